//===- compare.cu - Compares memory of the GPU -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compare.h"

static __global__ void count(const unsigned char *A, const unsigned char *B, size_t Bytes,
                             unsigned long long *Count) {
  const size_t Stride = size_t(gridDim.x) * blockDim.x;
  unsigned long long Mine = 0;
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Bytes; I += Stride)
    Mine += A[I] != B[I];
  if (Mine)
    atomicAdd(Count, Mine);
}

void countDifferences(const unsigned char *A, const unsigned char *B, size_t Bytes,
                      unsigned long long *Count) {
  count<<<1024, 256>>>(A, B, Bytes, Count);
}
