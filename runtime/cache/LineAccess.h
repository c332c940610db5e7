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

/// A line that L2 is asked for.
struct L2Line {
  uint64_t Line : 60; ///< address / 128
  uint64_t Sectors : 4;
};

/// What a request of an SM asks L2 for: so many lines.
struct L2Request {
  uint32_t Request, Cell, OfWarp; ///< as those of the access
  LineAccess::Op What;
  bool PastL1;
  uint16_t Lines = 0;
};

/// Many of these: a few bytes for each line, as requests that miss have many. Aligned, as threads
/// add to those of an SM each.
struct alignas(64) L2Requests {
  std::vector<L2Request> All;
  std::vector<L2Line> Lines;   ///< of each, one after the other
  std::vector<ByteMask> Bytes; ///< of each line that is written, and of all if ReadsHaveBytes
  bool ReadsHaveBytes = false;

  bool haveBytes(LineAccess::Op What) const {
    return ReadsHaveBytes || What == LineAccess::Op::Write;
  }
  /// Adds to the last request if it is the same.
  [[gnu::always_inline]] void add(const L2Request &R, uint64_t Line, unsigned Sectors,
                                  const ByteMask &OfLanes) {
    if (All.empty() || !isMore(R, All.back()))
      All.push_back(R);
    ++All.back().Lines;
    Lines.push_back({Line, Sectors});
    if (haveBytes(R.What))
      Bytes.push_back(OfLanes);
  }
  /// How many lines the next Count requests from First on have, and how many of these have bytes.
  struct Sizes {
    size_t Lines = 0, Bytes = 0;
  };
  Sizes sizes(size_t First, size_t Count) const {
    Sizes Sum;
    for (size_t I = First; I < First + Count; ++I) {
      Sum.Lines += All[I].Lines;
      Sum.Bytes += haveBytes(All[I].What) ? All[I].Lines : 0;
    }
    return Sum;
  }
  /// How many requests have numbers below that: the first ones.
  size_t below(uint64_t Number) const {
    return static_cast<size_t>(
        std::partition_point(All.begin(), All.end(),
                             [Number](const L2Request &R) { return R.Request < Number; }) -
        All.begin());
  }
  void removeFirst(size_t Count) {
    if (Count == All.size())
      return clear();
    const Sizes Of = sizes(0, Count);
    const auto Remove = [](auto &From, size_t N) {
      From.erase(From.begin(), From.begin() + static_cast<ptrdiff_t>(N));
    };
    Remove(Bytes, Of.Bytes);
    Remove(Lines, Of.Lines);
    Remove(All, Count);
  }
  void clear() {
    All.clear();
    Lines.clear();
    Bytes.clear();
  }

private:
  static bool isMore(const L2Request &R, const L2Request &Last) {
    return R.Request == Last.Request && R.Cell == Last.Cell && R.What == Last.What &&
           R.PastL1 == Last.PastL1 && Last.Lines != 0xffff;
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINEACCESS_H
