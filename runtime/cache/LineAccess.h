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
#include <algorithm>
#include <vector>

namespace gmprof::cache {

/// What the processor is told to fetch is of so many accesses later.
inline constexpr int AccessesAhead = 16;

/// Sectors of a line of 128 bytes that a request accesses.
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
  bool Bulk = false;   ///< which L1 has no part in
  bool Fence = false;  ///< no access at all: of no line and no cell
  uint32_t Block = 0;  ///< that accesses it: the lower bits of its number
  uint32_t OfWarp = 0; ///< number of the request among those of its warp

  unsigned count() const { return countSectors(Sectors); }
};

/// What L1 asks L2 for.
struct L2Request {
  uint64_t Line; ///< as those of the access
  uint32_t Request, Cell, OfWarp;
  uint8_t Sectors;
  LineAccess::Op What;
  bool PastL1;

  unsigned count() const { return countSectors(Sectors); }
};

/// Many of these, each of which takes 24 bytes, or 40 if anybody looks at the bytes of lanes.
/// Aligned, as threads add to those of an SM each.
struct alignas(64) L2Requests {
  std::vector<L2Request> All;
  std::vector<ByteMask> Bytes; ///< of each that is written, and of all if ReadsHaveBytes
  bool ReadsHaveBytes = false;

  bool haveBytes(LineAccess::Op What) const {
    return ReadsHaveBytes || What == LineAccess::Op::Write;
  }
  void add(const L2Request &R, const ByteMask &OfLanes) {
    All.push_back(R);
    if (haveBytes(R.What))
      Bytes.push_back(OfLanes);
  }
  /// How many of the next Count ones have bytes.
  size_t withBytes(size_t First, size_t Count) const {
    if (ReadsHaveBytes)
      return Count;
    const auto From = All.begin() + static_cast<ptrdiff_t>(First);
    return static_cast<size_t>(
        std::count_if(From, From + static_cast<ptrdiff_t>(Count),
                      [this](const L2Request &R) { return haveBytes(R.What); }));
  }
  /// How many of them have numbers below that: the first ones.
  size_t below(uint64_t Number) const {
    return static_cast<size_t>(
        std::partition_point(All.begin(), All.end(),
                             [Number](const L2Request &R) { return R.Request < Number; }) -
        All.begin());
  }
  void removeFirst(size_t Count) {
    Bytes.erase(Bytes.begin(), Bytes.begin() + static_cast<ptrdiff_t>(withBytes(0, Count)));
    All.erase(All.begin(), All.begin() + static_cast<ptrdiff_t>(Count));
  }
  void clear() {
    All.clear();
    Bytes.clear();
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINEACCESS_H
