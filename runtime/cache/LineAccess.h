//===- LineAccess.h - Access of a request to lines --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_LINEACCESS_H
#define GMPROF_CACHE_LINEACCESS_H

#include <cstdint>

namespace gmprof::cache {

/// Access of a request to lines of 128 bytes that are counted in one cell.
struct LineAccess {
  enum class Op : uint8_t { Read, Write, Atomic };

  uint32_t Request; ///< number of the request among those of its SM, in this launch
  uint32_t Cell;    ///< index of the counters
  uint32_t OfWarp;  ///< number of the request among those of its warp
  uint32_t Block;   ///< lower bits of the block's number
  uint16_t Lines;
  uint16_t Sectors; ///< of all lines
  Op What;
  bool Local;         ///< local memory, which L1 may write back
  bool PastL1;        ///< bypasses L1
  bool Bulk = false;  ///< bulk copy: bypasses and does not count in L1
  bool Fence = false; ///< no access: has no lines and no cell
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINEACCESS_H
