//===- L1Cache.h - The first level, of one SM -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Von Buelow et al., Section 4.2: lines of 128 bytes, of which sectors of 32 bytes are loaded
// as they are needed, and which are evicted whole. Global memory is written through; local
// memory, which no other SM can see, may be written back. Atomics are done by L2.
//
// What misses is there for the next access already: the tags are what hardware counts by, and
// they change when an access looks them up, not when its data comes.
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

class L1Cache {
public:
  /// Lines: of 128 bytes, that it holds. FindsRefetches: counts what is fetched again.
  L1Cache(const L1Model &Model, uint32_t Lines, bool FindsRefetches = false);

  /// Lines: those of each access, one after the other. Adds to Counts[A.Cell] of each what comes of
  /// it, and to ToL2 what L2 is asked for.
  void access(std::span<const LineAccess> Accesses, std::span<const CoalescedLine> Lines,
              std::vector<AccessCounts> &Counts, L2Requests &ToL2);

private:
  template <typename Policy, bool FindsRefetches> class Of;
  /// What nobody needs to know but who asks how well it is used.
  struct History {
    SeenSectors Seen;
    /// Of each slot with a line that is noted: bytes that were fetched, and that no lane asked for.
    ZeroedArray<ByteMask> Unused;
  };
  using AnyCache =
      std::variant<SectoredCache<TreePlru>, SectoredCache<GroupedPlru>, SectoredCache<Lru>,
                   SectoredCache<Nru>, SectoredCache<Fifo>, SectoredCache<Random>>;
  static AnyCache make(const L1Model &Model, uint32_t Lines);

  L1Model Model;
  AnyCache Cache;
  std::optional<History> Past;
};

/// The same if there are several.
[[gnu::noinline]] inline uint32_t setOfSeveral(uint64_t Line, uint32_t Sets, SetHash Hash) {
  switch (Hash) {
  case SetHash::Modulo:
    return static_cast<uint32_t>(Line % Sets);
  case SetHash::Xor:
    // Line numbers of 2 MB pages have 14 bits; those further up take part too.
    return static_cast<uint32_t>((Line ^ Line >> 7 ^ Line >> 13 ^ Line >> 19 ^ Line >> 29) % Sets);
  case SetHash::Mixed:
    return static_cast<uint32_t>((mixed(Line) >> 32) * Sets >> 32);
  }
  return 0;
}
/// Which of Sets a line is in.
inline uint32_t setOf(uint64_t Line, uint32_t Sets, SetHash Hash) {
  return Sets == 1 ? 0 : setOfSeveral(Line, Sets, Hash);
}

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L1CACHE_H
