//===- LineAccess.h - What goes from level to level -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_LINEACCESS_H
#define GMPROF_CACHE_LINEACCESS_H

#include "cache/AccessCounts.h"
#include "cache/Coalescing.h"
#include <vector>

namespace gmprof::cache {

/// Sectors of a line of 128 bytes: of a request, as L1 sees it, or of what L1 asks of L2.
struct LineAccess {
  enum class Op : uint8_t { Read, Write, Atomic };

  uint64_t Line;    ///< address / 128
  ByteMask Bytes;   ///< that lanes access
  uint32_t Request; ///< number of the request among those of its SM, in this launch
  uint32_t Cell;    ///< what counts it
  uint8_t Sectors;  ///< a bit each
  Op What;
  bool Local;          ///< local memory, which L1 writes back
  bool PastL1;         ///< loads that L1 keeps nothing of
  uint32_t Block = 0;  ///< that accesses it: the lower bits of its number
  uint32_t OfWarp = 0; ///< number of the request among those of its warp

  unsigned count() const { return static_cast<unsigned>(std::popcount(Sectors)); }
};

using LineAccesses = std::vector<LineAccess>;

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINEACCESS_H
