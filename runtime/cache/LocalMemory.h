//===- LocalMemory.h - Address mapping of local memory ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads use the same local addresses. In memory, the first words of a warp's threads are
// contiguous, followed by their second words, and so on (von Buelow et al., Equation 1), so that
// threads that access the same variable access neighbouring words.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_LOCALMEMORY_H
#define GMPROF_CACHE_LOCALMEMORY_H

#include "cache/Request.h"
#include <cstdint>

namespace gmprof::cache {

/// Bit that is set in all addresses of local memory, and in no other.
inline constexpr uint64_t LocalSpace = uint64_t(1) << 63;

struct LocalMemory {
  uint32_t WarpsPerSm = 64;    ///< n_w
  uint32_t BytesPerThread = 0; ///< L, a multiple of 4

  /// Returns the address by Equation 1: r_new = (i_s n_w + i_w) 32 L + (floor(r / 4) 32 + i_t) 4 +
  /// (r mod 4).
  uint64_t address(uint64_t Sm, uint64_t Slot, uint64_t Lane, uint64_t Offset) const {
    return LocalSpace + (Sm * WarpsPerSm + Slot) * WarpLanes * BytesPerThread +
           (Offset / 4 * WarpLanes + Lane) * 4 + Offset % 4;
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LOCALMEMORY_H
