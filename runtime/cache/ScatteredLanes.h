//===- ScatteredLanes.h - Lanes that share no line --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a gathered request most lanes have a line of their own. Where lines are sampled, few of these
// go on: then it is enough to know that none is shared, which needs no list of all.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_SCATTEREDLANES_H
#define GMPROF_CACHE_SCATTEREDLANES_H

#include "cache/Coalescing.h"
#include "cache/Request.h"
#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace gmprof::cache {

class ScatteredLanes {
public:
  struct Kept {
    uint64_t Address, Hash; ///< of its line
  };

  /// Whether each active lane of R accesses a line of its own, of these lines; not always found
  /// where it is so. Then kept() has those of which the hash has none of the bits Mask, by lanes.
  template <typename Hasher>
  bool find(const Request &R, uint64_t FirstLine, uint64_t Lines, const Hasher &HashOf,
            uint64_t Mask) {
    if (++Turn == 0) {
      Last.fill(0);
      Turn = 1;
    }
    // There are no branches here: nobody could tell which way they go.
    bool IsOther = false;
    uint64_t Offsets = 0;
    Count = 0;
    for (uint32_t Left = R.Mask; Left != 0; Left &= Left - 1) {
      const uint64_t Address = R.Addresses[static_cast<size_t>(std::countr_zero(Left))];
      const uint64_t Line = Address / LineBytes, Hash = HashOf(Line);
      uint16_t &Before = Last[Hash >> (64 - PlaceBits)];
      IsOther |= (Before == Turn) | (Line - FirstLine >= Lines);
      Before = Turn;
      Offsets |= Address;
      All[Count] = {Address, Hash};
      Count += (Hash & Mask) == 0;
    }
    return !IsOther && (Offsets & (R.Size - 1U)) == 0;
  }
  std::span<const Kept> kept() const { return {All.data(), Count}; }

private:
  static constexpr unsigned PlaceBits = 12;
  std::array<uint16_t, size_t{1} << PlaceBits> Last = {}; ///< turns in which hashes had a line
  uint16_t Turn = 0;
  std::array<Kept, WarpLanes + 1> All;
  size_t Count = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SCATTEREDLANES_H
