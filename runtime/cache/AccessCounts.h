//===- AccessCounts.h - What is counted of accesses -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counted for each launch, line of source and object by itself (von Buelow et al., Section
// 4.4). Transactions are sectors of 32 bytes. All counts are of integers and of disjoint
// parts, so that they add up to those of the whole exactly: hits h_i of lookups n_i are
// Equation 3, and the sum over i of h_i / n_i * n_i / n is h / n (Equations 4 and 5).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_ACCESSCOUNTS_H
#define GMPROF_CACHE_ACCESSCOUNTS_H

#include <cstdint>

namespace gmprof::cache {

/// Aligned, as threads count for an SM or a slice each.
struct alignas(64) AccessCounts {
  // Of all accesses.
  uint64_t Requests = 0;
  uint64_t Sectors = 0;   ///< transactions of L1
  uint64_t BytesUsed = 0; ///< of those sectors, that any lane asked for
  // Of the lines that are simulated: all, unless they are sampled.
  uint64_t L1Lookups = 0, L1Hits = 0;
  uint64_t LostToFences = 0; ///< lookups of loads that would have hit if no fence had emptied L1
  uint64_t L2Reads = 0, L2Writes = 0, L2Atomics = 0; ///< transactions of L2
  /// Sectors that L1 asked for or wrote together with another warp: in neither of the above. While
  /// a launch runs, L1 counts them there, and L2 takes them off.
  uint64_t Coalesced = 0;
  uint64_t L2Hits = 0;
  uint64_t OtherPartition = 0; ///< that the SM's partition of L2 asked the other one
  uint64_t DramReads = 0, DramWrites = 0;
  // With SimulationOptions::FindsRefetches, of the lines that are noted (NotedLines.h), each for as
  // many as it stands for, until estimate().
  uint64_t FetchedAgain = 0;        ///< of fetched(): their SM had fetched them in this launch
  uint64_t FetchedAgainByBlock = 0; ///< of these: for the same block
  uint64_t DramReadsAgain = 0;      ///< of DramReads: read before in this launch
  uint64_t FetchedSplit = 0;   ///< of fetched(): another SM had, for other bytes (SplitSectors.h)
  uint64_t BytesOfFetched = 0; ///< that lanes used before L1 lost them, each counted once
  /// Of which the above were found: of fetched(), as L1s note it and as slices of L2 do; of
  /// DramReads.
  uint64_t FetchesNoted = 0, SplitsNoted = 0, DramReadsNoted = 0;

  uint64_t fetched() const { return L2Reads + Coalesced; } ///< of loads: sectors that L1s lacked
  uint64_t l2Lookups() const { return L2Reads + L2Writes + L2Atomics; }
  uint64_t l1Traffic() const { return l2Lookups() + Coalesced; } ///< with L2, of each L1

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

  /// Makes what was found of the lines that are noted the same part of all: exact if these are all.
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
