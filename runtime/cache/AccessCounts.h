//===- AccessCounts.h - Counters of memory accesses -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counted separately for each launch, source line and object (von Buelow et al., Section 4.4).
// Transactions are sectors of 32 bytes. All counts are integers of disjoint parts, so they sum up
// exactly: the ratio of hits h_i to lookups n_i is Equation 3, and the sum over i of h_i / n_i *
// n_i / n is h / n (Equations 4 and 5).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_ACCESSCOUNTS_H
#define GMPROF_CACHE_ACCESSCOUNTS_H

#include <cstdint>

namespace gmprof::cache {

/// Counters of a cell. Aligned to a cache line, because each thread counts for one SM or slice.
struct alignas(64) AccessCounts {
  // All accesses.
  uint64_t Requests = 0;
  uint64_t Sectors = 0;   ///< transactions of L1
  uint64_t BytesUsed = 0; ///< bytes of these sectors that any lane accessed
  // Simulated lines only: all lines, unless lines are sampled.
  uint64_t L1Lookups = 0, L1Hits = 0;
  uint64_t LostToFences = 0; ///< lookups of loads that would have hit without the invalidation of
                             ///< L1 by a fence
  uint64_t L2Reads = 0, L2Writes = 0, L2Atomics = 0; ///< transactions of L2
  /// Sectors whose request to L2 was merged with another warp's; excluded from the three above.
  /// While a launch runs, L1 adds them there and L2 moves them here.
  uint64_t Coalesced = 0;
  uint64_t L2Hits = 0;
  uint64_t OtherPartition = 0; ///< sectors that the SM's partition of L2 fetched from the other one
  uint64_t DramReads = 0, DramWrites = 0;
  // Tracked lines only (NotedLines.h), with SimulationOptions::FindsRefetches; each is weighted by
  // the number of lines that it represents, until estimate().
  uint64_t FetchedAgain = 0;        ///< part of fetched() that the SM had fetched before in this
                                    ///< launch
  uint64_t FetchedAgainByBlock = 0; ///< part of FetchedAgain for the same block
  uint64_t DramReadsAgain = 0;      ///< part of DramReads that was read before in this launch
  uint64_t FetchedSplit = 0;   ///< part of fetched() that another SM had fetched for other bytes
                               ///< (SplitSectors.h)
  uint64_t BytesOfFetched = 0; ///< fetched bytes that lanes used before L1 evicted them, each
                               ///< counted once
  /// Denominators of the above: fetched() as tracked by L1s and by slices of L2; DramReads.
  uint64_t FetchesNoted = 0, SplitsNoted = 0, DramReadsNoted = 0;

  uint64_t fetched() const { return L2Reads + Coalesced; } ///< sectors that loads missed in L1
  uint64_t l2Lookups() const { return L2Reads + L2Writes + L2Atomics; }
  uint64_t l1Traffic() const { return l2Lookups() + Coalesced; } ///< sectors between L1s and L2

  AccessCounts &operator+=(const AccessCounts &O) {
    Requests += O.Requests;
    Sectors += O.Sectors;
    BytesUsed += O.BytesUsed;
    L1Lookups += O.L1Lookups;
    L1Hits += O.L1Hits;
    LostToFences += O.LostToFences;
    L2Reads += O.L2Reads;
    L2Writes += O.L2Writes;
    L2Atomics += O.L2Atomics;
    Coalesced += O.Coalesced;
    L2Hits += O.L2Hits;
    OtherPartition += O.OtherPartition;
    DramReads += O.DramReads;
    DramWrites += O.DramWrites;
    FetchedAgain += O.FetchedAgain;
    FetchedAgainByBlock += O.FetchedAgainByBlock;
    DramReadsAgain += O.DramReadsAgain;
    FetchedSplit += O.FetchedSplit;
    BytesOfFetched += O.BytesOfFetched;
    FetchesNoted += O.FetchesNoted;
    SplitsNoted += O.SplitsNoted;
    DramReadsNoted += O.DramReadsNoted;
    return *this;
  }

  /// Scales the counts of tracked lines to all lines. Exact if all lines are tracked.
  void estimate() {
    const auto Scale = [](uint64_t &Found, uint64_t Noted, uint64_t All) {
      using Wide = unsigned __int128;
      if (Noted != All && Noted != 0)
        Found = static_cast<uint64_t>((Wide(Found) * All + Noted / 2) / Noted);
    };
    Scale(FetchedAgain, FetchesNoted, fetched());
    Scale(FetchedAgainByBlock, FetchesNoted, fetched());
    Scale(BytesOfFetched, FetchesNoted, fetched());
    Scale(FetchedSplit, SplitsNoted, fetched());
    Scale(DramReadsAgain, DramReadsNoted, DramReads);
  }
  bool operator==(const AccessCounts &) const = default;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_ACCESSCOUNTS_H
