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
// In front of it, reads of several SMs, and writes of several warps of an SM, are made one if they
// come at the same time (the "L2 request coalescer" of Nsight Compute's documentation). A trace has
// no time that SMs share; those that execute the same code, at the same step of their warps, count
// as being at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2CACHE_H
#define GMPROF_CACHE_L2CACHE_H

#include "cache/Architecture.h"
#include "cache/LineAccess.h"
#include "cache/SectoredCache.h"
#include "cache/SeenSectors.h"
#include "cache/SplitSectors.h"
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

  /// Lines that copies have written, which are at home then. Counts: as of access(), of all
  /// launches.
  void written(const L2Requests &Lines, std::vector<AccessCounts> &Counts);

  /// BySm: what each SM asks for, in ascending order of the requests' numbers; those below Before
  /// are taken out. Their cells count from FirstCell in Counts; to those before, of launches that
  /// have ended, may be added what they had left to be written to DRAM.
  void access(std::vector<L2Requests> &BySm, uint64_t Before, uint32_t FirstCell,
              std::vector<AccessCounts> &Counts, unsigned Threads);

  /// That access() and its caller need for each: up to 40 in L2Requests and 48 in a Queue, and
  /// what vectors have in reserve.
  static constexpr uint64_t BytesPerAccess = 144;

  /// Sectors that have been written to DRAM, on whose behalf ever.
  uint64_t writtenBack() const { return WrittenBack; }
  /// That DRAM lacks still.
  uint64_t dirtySectors() const;
  /// Forgets everything.
  void clear();

private:
  template <typename Policy> class Of;
  class Distribution;
  struct LateAccess {
    uint64_t Line = ~uint64_t(0);
    uint32_t Request = 0, OfWarp = 0, Sm = 0;
    uint8_t Sectors = 0;
    LineAccess::Op What = LineAccess::Op::Read;
    uint16_t Launch = 0;
  };
  /// What was accessed lately of a slice, at places that a hash of the line chooses. Those of other
  /// launches than the last one count for nothing.
  struct LateAccesses {
    static constexpr size_t Count = 4096;
    std::vector<LateAccess> Of;
    std::vector<ByteMask> Written; ///< apart, as reads do not need them
    uint16_t Launch = 0;           ///< counts from 1

    static uint16_t placeOf(uint64_t Line) { return mixed(Line) % Count; }
    void prefetch(uint16_t Place) const { __builtin_prefetch(&Of[Place], /*rw=*/1); }
    void beginLaunch() {
      if (++Launch != 0)
        return;
      Of.clear(); // the number begins anew
      Launch = 1;
    }
    /// There is no memory before anything is accessed.
    void makePlaces() {
      if (!Of.empty())
        return;
      Of.resize(Count);
      Written.resize(Count);
    }
  };
  /// A line, and what of its request matters.
  struct Placed : L2Line {
    uint32_t Request, Cell, OfWarp;
    uint32_t Set;
    uint16_t Late; ///< its place in LateAccesses
    uint16_t Sm;
    LineAccess::Op What;
    uint8_t PastL1 : 1;
    uint8_t Home : 1, Own : 1; ///< partitions, of the line and of the SM
    uint8_t HasBytes : 1;

    unsigned count() const { return countSectors(Sectors); }
  };
  /// What waits for a slice.
  struct Queue {
    std::vector<Placed> All;
    std::vector<ByteMask> Bytes; ///< as those of L2Requests
  };
  /// For each slice; of several, the first ones are first.
  using Queues = std::vector<Queue>;
  /// Null: nothing has been accessed of the slice.
  template <typename Policy> using Slices = std::vector<std::unique_ptr<SectoredCache<Policy>>>;
  using AnySlices = std::variant<Slices<TreePlru>, Slices<GroupedPlru>, Slices<Lru>, Slices<Nru>,
                                 Slices<Fifo>, Slices<Random>>;

  L2Model Model;
  uint32_t Sets; ///< of each slice of a partition
  AnySlices TheSlices;
  std::vector<Queues> Waiting;     ///< kept for their memory alone
  std::vector<SeenSectors> Seen;   ///< for each slice, or none: read from DRAM
  std::vector<SplitSectors> Split; ///< the same: read by several L1s
  std::vector<LateAccesses> Late;  ///< for each slice; empty without coalescers
  uint64_t WrittenBack = 0;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2CACHE_H
