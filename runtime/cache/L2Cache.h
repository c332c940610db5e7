//===- L2Cache.h - The second level, and DRAM -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Von Buelow et al., Section 4.3: set-associative and written back. Its slices (L2Queues.h) are
// simulated in parallel.
//
// Of two partitions, one is the home of each line. With Replicates an SM looks into its own
// one first; what its home has to provide stays there as well, and so does what the SM writes,
// until an SM of the other partition, or an atomic, changes it at home.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2CACHE_H
#define GMPROF_CACHE_L2CACHE_H

#include "cache/AccessCounts.h"
#include "cache/L2Coalescer.h"
#include "cache/L2Slice.h"
#include "cache/SeenSectors.h"
#include "cache/SplitSectors.h"
#include "profile/Workers.h"
#include <memory>
#include <variant>

namespace gmprof::cache {

class L2Cache {
public:
  /// Sampled: of this many lines, one is simulated, and so is one of as many sets. FindsRefetches:
  /// counts what is read again from DRAM, and what several L1s read.
  L2Cache(const L2Model &Model, uint32_t Sampled, bool FindsRefetches = false);

  /// What was read before counts as new.
  void beginLaunch();

  /// Lines that copies have written, those of one part after the other, which are at home then.
  /// Counts: as of access(), of all launches.
  void written(std::span<const L2Requests> Parts, std::vector<AccessCounts> &Counts,
               Workers &Threads);

  /// BySm: what each SM asks for, in ascending order of the requests' numbers; those below Before
  /// are taken out. Their cells count from FirstCell in Counts; to those before, of launches that
  /// have ended, may be added what they had left to be written to DRAM.
  void access(std::vector<L2Requests> &BySm, uint64_t Before, uint32_t FirstCell,
              std::vector<AccessCounts> &Counts, Workers &Threads);

  /// That access() and its caller need for each: up to 40 in L2Requests and 48 in a queue, and
  /// what arrays have in reserve.
  static constexpr uint64_t BytesPerAccess = 144;

  /// Sectors that have been written to DRAM, on whose behalf ever.
  uint64_t writtenBack() const { return WrittenBack; }
  /// That DRAM lacks still.
  uint64_t dirtySectors() const;
  /// Forgets everything.
  void clear();

private:
  template <typename Policy, bool FindsRefetches> class Of;
  /// Null: nothing has been accessed of the slice.
  template <typename Policy> using Slices = std::vector<std::unique_ptr<L2Slice<Policy>>>;
  using AnySlices = std::variant<Slices<TreePlru>, Slices<GroupedPlru>, Slices<LruOfFew>,
                                 Slices<Nru>, Slices<Fifo>, Slices<Random>>;

  L2Model Model;
  uint32_t Sets; ///< of each slice of a partition
  AnySlices TheSlices;
  std::vector<L2Queues> Waiting;       ///< kept for their memory alone
  std::vector<L2Coalescer> Coalescers; ///< for each slice
  std::vector<SeenSectors> Seen;       ///< for each slice, or none: read from DRAM
  std::vector<SplitSectors> Split;     ///< the same: read by several L1s
  uint64_t WrittenBack = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2CACHE_H
