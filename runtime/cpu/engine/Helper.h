//===- Helper.h - C++ functions that lowered code calls ------- -*- C++ -*-===//
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

/// A C++ function that lowered code calls. Names start with "gm_".
struct Helper {
  const char *Name;
  const void *Address;
};

/// Reports a fault of the running GPU thread from a helper; the launch ends.
/// Message is a clause: kernel, block and thread are added.
enum class FaultKind;
[[noreturn]] void raiseFault(FaultKind Kind, uint64_t Address, std::string Message);

/// Lets a warp's lanes, in a helper of a warp-wide intrinsic (wmma, mma, ldmatrix,
/// stmatrix), see each other's data. Waits until all lanes that have not exited
/// are there; then All[Lane * Bytes] holds what that lane passed as Mine. Returns
/// the mask of the lanes that took part.
uint32_t warpExchange(ThreadState *Thread, uint32_t Site, const void *Mine, size_t Bytes,
                      void *All);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_HELPER_H
