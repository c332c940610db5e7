//===- Unsupported.cpp - Functions of libcudart that the CPU device lacks -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports every function of NVIDIA's library, so that programs load. To support one, define it in
// another file and remove its name from the list.
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Errors.h"
#include <atomic>

namespace {

/// Reports an unsupported function at its first call.
cudaError_t refuse(const char *Name, std::atomic<bool> &Said) {
  if (!Said.exchange(true))
    gmprof::cpu::api::complainThatItLacks(Name);
  return gmprof::cpu::api::record(cudaErrorNotSupported);
}

} // namespace

// Declared without parameters: callers pass arguments in registers or on a stack that they clean up
// themselves.
#define GMPROF_UNSUPPORTED(Name)                                                                   \
  extern "C" cudaError_t Name() {                                                                  \
    static std::atomic<bool> Said{false};                                                          \
    return refuse(#Name, Said);                                                                    \
  }
#include "cpu/api/exports/Unsupported.inc"
#undef GMPROF_UNSUPPORTED
