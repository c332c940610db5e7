//===- check.h - Ends a program where a call of CUDA fails ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_BENCH_CHECK_H
#define GMPROF_BENCH_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(Call)                                                                                \
  do {                                                                                             \
    cudaError_t Status = (Call);                                                                   \
    if (Status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s: %s\n", #Call, cudaGetErrorString(Status));                         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

#endif // GMPROF_BENCH_CHECK_H
