//===- LineAccess.h - What a request does with lines ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_LINEACCESS_H
#define GMPROF_CACHE_LINEACCESS_H

#include <cstdint>

namespace gmprof::cache {

/// What a request does with so many lines of 128 bytes, that one cell counts.
struct LineAccess {
  enum class Op : uint8_t { Read, Write, Atomic };

  uint32_t Request; ///< number of the request among those of its SM, in this launch
  uint32_t Cell;    ///< what counts it
  uint32_t OfWarp;  ///< number of the request among those of its warp
  uint32_t Block;   ///< that accesses it: the lower bits of its number
  uint16_t Lines;
  uint16_t Sectors; ///< of all lines
  Op What;
  bool Local;         ///< local memory, which L1 writes back
  bool PastL1;        ///< loads that L1 keeps nothing of
  bool Bulk = false;  ///< which L1 has no part in
  bool Fence = false; ///< no access at all: of no line and no cell
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINEACCESS_H
