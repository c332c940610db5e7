//===- L2Cache.h - The second level, and DRAM -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Von Buelow et al., Section 4.3: set-associative and written back. It is made of slices,
// which a hash of the address chooses among and which know nothing of each other; so they are
// simulated in parallel. What SMs ask for is taken in turn: the first request of each SM, then
// the second one of each, and so on.
//
// Of two partitions, one is the home of each line. With Replicates an SM looks into its own
// one first; what its home has to provide stays there as well, and so does what the SM writes,
// until an SM of the other partition, or an atomic, changes it at home.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2CACHE_H
#define GMPROF_CACHE_L2CACHE_H

#include "cache/Architecture.h"
#include "cache/LineAccess.h"
#include "cache/SectoredCache.h"
#include "cache/SeenSectors.h"
#include <variant>

namespace gmprof::cache {

class L2Cache {
public:
  /// Sampled: of this many lines, one is simulated, and so is one of as many sets. FindsRefetches:
  /// counts what is read again from DRAM.
  L2Cache(const L2Model &Model, uint32_t Sampled, bool FindsRefetches = false);

  /// What was read before counts as new.
  void beginLaunch() {
    for (SeenSectors &Of : Seen)
      Of.clear();
  }

  /// BySm: what each SM asks for, in ascending order of the requests' numbers. Their cells
  /// count from FirstCell in Counts; to those before, of launches that have ended, may be
  /// added what they had left to be written to DRAM.
  void access(const std::vector<LineAccesses> &BySm, uint32_t FirstCell,
              std::vector<AccessCounts> &Counts, unsigned Threads);

  /// That access() and its caller need for each.
  static constexpr uint64_t BytesPerAccess = 3 * sizeof(LineAccess);

  /// Sectors that have been written to DRAM, on whose behalf ever.
  uint64_t writtenBack() const { return WrittenBack; }
  /// That DRAM lacks still.
  uint64_t dirtySectors() const;
  /// Forgets everything.
  void clear();

private:
  template <typename Policy> class Of;
  struct Placed {
    LineAccess Access;
    uint32_t Set;
    uint16_t Home, Own; ///< partitions, of the line and of the SM
  };
  template <typename Policy> using Slices = std::vector<SectoredCache<Policy>>;
  using AnySlices = std::variant<Slices<TreePlru>, Slices<GroupedPlru>, Slices<Lru>, Slices<Nru>,
                                 Slices<Fifo>, Slices<Random>>;

  L2Model Model;
  uint32_t Sets; ///< of each slice of a partition
  AnySlices TheSlices;
  std::vector<std::vector<Placed>> Waiting; ///< for each slice; kept for their memory alone
  std::vector<SeenSectors> Seen;            ///< for each slice, or none
  uint64_t WrittenBack = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2CACHE_H
