//===- L2Cache.h - L2 cache and DRAM ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Model of von Buelow et al., Section 4.3: set-associative and written back. Slices (L2Queues.h)
// are simulated in parallel.
//
// One of two partitions is the home of each line. With Replicates an SM looks up its own partition
// first. Sectors that the home provides, and sectors that the SM writes, stay there as a copy until
// an SM of the other partition, or an atomic, changes them at home.
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

/// L2 cache of a GPU.
class L2Cache {
public:
  /// Sampled: simulates one line of this many, and one set of as many. FindsRefetches: counts
  /// repeated reads from DRAM and sectors that several L1s read.
  L2Cache(const L2Model &Model, uint32_t Sampled, bool FindsRefetches = false);

  /// Forgets earlier reads; the contents stay.
  void beginLaunch();

  /// Writes lines of copies, part after part, to their home. Counts: as in access(), of all
  /// launches.
  void written(std::span<const L2Requests> Parts, std::vector<AccessCounts> &Counts,
               Workers &Threads);

  /// Simulates the requests in BySm (by SM, in ascending order of request numbers) whose numbers
  /// are below Before, and removes them. Their cells count from FirstCell in Counts; earlier cells,
  /// of launches that have ended, may receive DRAM writes of dirty sectors.
  void access(std::vector<L2Requests> &BySm, uint64_t Before, uint32_t FirstCell,
              std::vector<AccessCounts> &Counts, Workers &Threads);

  /// Memory that access() and its caller need per access: up to 40 bytes in L2Requests, 48 in a
  /// queue, and the arrays' reserve.
  static constexpr uint64_t BytesPerAccess = 144;

  /// Returns the sectors written to DRAM so far, by any cell or copy.
  uint64_t writtenBack() const { return WrittenBack; }
  /// Returns the sectors that are newer than DRAM.
  uint64_t dirtySectors() const;
  /// Removes all lines.
  void clear();

private:
  template <typename Policy, bool FindsRefetches> class Of;
  /// Slices; null until first accessed.
  template <typename Policy> using Slices = std::vector<std::unique_ptr<L2Slice<Policy>>>;
  using AnySlices = std::variant<Slices<TreePlru>, Slices<GroupedPlru>, Slices<LruOfFew>,
                                 Slices<Nru>, Slices<Fifo>, Slices<Random>>;

  L2Model Model;
  uint32_t Sets; ///< per slice of a partition
  AnySlices TheSlices;
  std::vector<L2Queues> Waiting;       ///< buffers, kept to reuse their memory
  std::vector<L2Coalescer> Coalescers; ///< one per slice
  std::vector<SeenSectors> Seen;       ///< one per slice, or none: sectors read from DRAM
  std::vector<SplitSectors> Split;     ///< likewise: sectors read by several L1s
  uint64_t WrittenBack = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2CACHE_H
