//===- Helper.h - C++ functions called by lowered code ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_HELPER_H
#define GMPROF_CPU_ENGINE_HELPER_H

#include "cpu/engine/ThreadState.h"

#include <cstddef>
#include <span>
#include <string>

namespace gmprof::cpu {

/// C++ function that lowered code calls. Names start with "gm_".
struct Helper {
  const char *Name;
  const void *Address;
};

/// Reports a fault of the running GPU thread from a helper and ends the launch. Message is a
/// clause; kernel, block and thread are added.
enum class FaultKind;
[[noreturn]] void raiseFault(FaultKind Kind, uint64_t Address, std::string Message);

/// Exchanges data between the lanes of a warp, for helpers of warp-wide intrinsics (wmma, mma,
/// ldmatrix, stmatrix). Waits for all live lanes; then All[Lane * Bytes] holds the data that the
/// lane passed as Mine. Returns the mask of participating lanes.
uint32_t warpExchange(ThreadState *Thread, uint32_t Site, const void *Mine, size_t Bytes,
                      void *All);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_HELPER_H
