//===- L1Cache.h - L1 cache of an SM ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Model of von Buelow et al., Section 4.2: lines of 128 bytes, filled by sectors of 32 bytes on
// demand and evicted whole. Global memory is written through; local memory, which no other SM can
// see, may be written back. Atomics execute in L2.
//
// A missed sector is present for the next access: the hardware counters compare tags, which change
// at the lookup, not when the data arrives.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L1CACHE_H
#define GMPROF_CACHE_L1CACHE_H

#include "cache/AccessCounts.h"
#include "cache/Architecture.h"
#include "cache/L2Requests.h"
#include "cache/SectoredCache.h"
#include "cache/SeenSectors.h"
#include <optional>
#include <span>
#include <variant>

namespace gmprof::cache {

/// L1 cache of one SM; used by one thread at a time.
class L1Cache {
public:
  /// Creates a cache of `Lines` lines of 128 bytes. FindsRefetches: counts refetched sectors.
  L1Cache(const L1Model &Model, uint32_t Lines, bool FindsRefetches = false);

  /// Simulates accesses; `Lines` are the lines of all accesses, in order. Adds the outcome of
  /// access A to Counts[A.Cell], and requests to L2 to ToL2.
  void access(std::span<const LineAccess> Accesses, std::span<const CoalescedLine> Lines,
              std::vector<AccessCounts> &Counts, L2Requests &ToL2);

private:
  template <typename Policy, bool FindsRefetches> class Of;
  /// State that only FindsRefetches needs.
  struct History {
    SeenSectors Seen;
    /// Fetched bytes that no lane has accessed yet, of each slot with a tracked line.
    std::vector<ByteMask> Unused;
  };
  using AnyCache =
      std::variant<SectoredCache<TreePlru>, SectoredCache<GroupedPlru>, SectoredCache<Lru>,
                   SectoredCache<Nru>, SectoredCache<Fifo>, SectoredCache<Random>>;
  static AnyCache make(const L1Model &Model, uint32_t Lines);

  L1Model Model;
  AnyCache Cache;
  std::optional<History> Past;
};

/// Returns the set of a line among at least two.
[[gnu::noinline]] inline uint32_t setOfSeveral(uint64_t Line, uint32_t Sets, SetHash Hash) {
  switch (Hash) {
  case SetHash::Modulo:
    return static_cast<uint32_t>(Line % Sets);
  case SetHash::Xor:
    // The number of a line within a 2 MB page has 14 bits; higher bits take part too.
    return static_cast<uint32_t>((Line ^ Line >> 7 ^ Line >> 13 ^ Line >> 19 ^ Line >> 29) % Sets);
  case SetHash::Mixed:
    return static_cast<uint32_t>((mixed(Line) >> 32) * Sets >> 32);
  }
  return 0;
}
/// Returns the set of a line.
inline uint32_t setOf(uint64_t Line, uint32_t Sets, SetHash Hash) {
  return Sets == 1 ? 0 : setOfSeveral(Line, Sets, Hash);
}

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L1CACHE_H
