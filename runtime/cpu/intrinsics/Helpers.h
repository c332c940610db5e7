//===- Helpers.h - Tables of helpers ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_INTRINSICS_HELPERS_H
#define GMPROF_CPU_INTRINSICS_HELPERS_H

#include "cpu/engine/Helper.h"

namespace gmprof::cpu {

template <typename Result, typename... Args>
Helper helper(const char *Name, Result (*Function)(Args...)) {
  return {Name, reinterpret_cast<const void *>(Function)};
}

// Tables of helpers, one per file.
std::span<const Helper> atomicHelpers();
std::span<const Helper> clusterHelpers();
std::span<const Helper> conversionHelpers();
std::span<const Helper> mathHelpers();
std::span<const Helper> matrixHelpers();
std::span<const Helper> memoryHelpers();
std::span<const Helper> textureHelpers();

/// Counts arrived bytes on a barrier (MBarrier.cpp).
void completeTx(uint64_t *Barrier, uint32_t Bytes);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_INTRINSICS_HELPERS_H
