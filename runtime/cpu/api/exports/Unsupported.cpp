//===- Unsupported.cpp - Functions of libcudart that the CPU device lacks -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of NVIDIA's library is there, so that programs load. To support
// one, define it in another file and take its name off the list.
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Errors.h"
#include <atomic>

namespace {

/// Says so once per function, at its first call.
cudaError_t refuse(const char *Name, std::atomic<bool> &Said) {
  if (!Said.exchange(true))
    gmprof::cpu::api::complainThatItLacks(Name);
  return gmprof::cpu::api::record(cudaErrorNotSupported);
}

} // namespace

// Without their arguments, which are of no interest: callers pass them in
// registers or on a stack that they clean up themselves.
#define GMPROF_UNSUPPORTED(Name)                                                                   \
  extern "C" cudaError_t Name() {                                                                  \
    static std::atomic<bool> Said{false};                                                          \
    return refuse(#Name, Said);                                                                    \
  }
#include "cpu/api/exports/Unsupported.inc"
#undef GMPROF_UNSUPPORTED
