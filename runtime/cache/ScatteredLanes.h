//===- ScatteredLanes.h - Requests whose lanes share no line ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a gather most lanes access a line of their own. If lines are sampled, few of these are
// simulated; then it suffices to know that no line is shared, without a list of all lines. Saves
// 5 % of `gmreport simulate --sample 16` (docs/optimisations.md).
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

/// Detector of requests without shared lines.
class ScatteredLanes {
public:
  struct Kept {
    uint64_t Address, Hash; ///< hash of its line
  };

  /// Returns true only if each active lane of R accesses a line of its own within [FirstLine,
  /// FirstLine + Lines); may return false for such requests. On success kept() holds the lanes, in
  /// order, whose hash has no bit in common with Mask.
  template <typename Hasher>
  bool find(const Request &R, uint64_t FirstLine, uint64_t Lines, const Hasher &HashOf,
            uint64_t Mask) {
    if (++Turn == 0) {
      Last.fill(0);
      Turn = 1;
    }
    // Free of branches, which would be unpredictable.
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
  std::array<uint16_t, size_t{1} << PlaceBits> Last = {}; ///< turn in which each hash last occurred
  uint16_t Turn = 0;
  std::array<Kept, WarpLanes + 1> All;
  size_t Count = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_SCATTEREDLANES_H
