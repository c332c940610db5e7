//===- HeatMap.h - Which warps access which words ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of cuThermo's heat maps (cuThermo, 2025, Section IV): the number of distinct warps,
// among the recorded blocks of a launch, that access each word and sector of an object and each
// word of a block's shared memory; and the cost of each instruction's requests. Plain data.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_HEATMAP_H
#define GMPROF_PROFILE_HEATMAP_H

#include "gmprof/abi.h"
#include "profile/Records.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::profile {

struct Descriptor;

inline constexpr unsigned WordsPerSector = GMPROF_HEAT_SECTOR_BYTES / GMPROF_HEAT_WORD_BYTES;

/// Numbers of distinct warps, 0 to 32.
struct Temperatures {
  std::array<uint8_t, WordsPerSector> Words = {};
  uint8_t Sector = 0;

  bool operator==(const Temperatures &) const = default;
};

/// Consecutive sectors with equal temperatures.
struct HeatRun {
  uint64_t First = 0; ///< counted from the object's first sector
  uint64_t Sectors = 1;
  Temperatures All;                                  ///< accesses of all kinds
  std::array<Temperatures, GMPROF_COUNTER_KINDS> Of; ///< reads, writes, atomics
  bool SeveralBlocks = false; ///< accessed by several blocks; equal warp numbers of different
                              ///< blocks count as one warp
  bool Merged = false;        ///< merges unequal sectors: each number is their maximum
  std::array<uint64_t, GMPROF_COUNTER_KINDS> Accesses = {}; ///< by threads, summed over all sectors
  uint64_t Places = 0; ///< mask of the HeatPlaces that access them

  uint64_t end() const { return First + Sectors; }
};

/// A launch's accesses to one global memory object.
struct HeatMap {
  uint64_t Object = 0;       ///< Object::Id
  uint64_t Address = 0;      ///< object's address
  std::vector<HeatRun> Runs; ///< in order, without gaps for sectors that were not accessed
  uint64_t Merged = 0;       ///< number of sectors in merged runs
};

/// Accesses of one kind to a word of shared memory.
struct SharedWordHeat {
  uint32_t Warps = 0;    ///< mask
  uint32_t Accesses = 0; ///< by threads
  /// 1 + thread number of the only accessing thread; GMPROF_NONE: several; 0: none.
  uint32_t Thread = 0;
};

/// The heat of the launches that share one context, usually one launch.
struct HeatContext {
  uint64_t Context = 0; ///< Launch::Context
  uint32_t Kernel = 0;  ///< index
  uint64_t FirstBlock = 0, EndBlock = 1, BlockStep = 1;
  uint64_t Blocks = 0, Threads = 0; ///< of the recorded blocks
  uint64_t BodyLaunches = 0;        ///< executions of a node in a graph's conditional body
  /// Accesses by threads; see GmprofHeatTotals.
  uint64_t Outside = 0, Lost = 0, OtherBlocks = 0;
  /// True if the heat of closed forms was computed, not recorded.
  bool ClosedForms = false;
  /// Requests to global memory, per site of the descriptor; the last entry is for functions with
  /// unknown sites.
  std::vector<GmprofHeatSite> Sites;
  std::vector<GmprofHeatSite> SharedSites; ///< the same of requests to shared memory
  std::vector<HeatMap> Maps;               ///< accessed objects only
  /// Shared memory of the first recorded block: per word, per kind.
  std::vector<std::array<SharedWordHeat, GMPROF_COUNTER_KINDS>> SharedWords;
  uint32_t FirstAddress = 0, DynamicAddress = 0, DynamicSharedBytes = 0; ///< as in SharedCounts
  std::vector<uint32_t> Addresses; ///< per variable of the descriptor, or GMPROF_NONE
  std::vector<uint64_t> Objects;   ///< per variable: the object it is or points into; 0: unknown

  /// Warps of a block, if all recorded blocks are equally large.
  uint64_t warpsPerBlock() const { return Blocks ? (Threads / Blocks + 31) / 32 : 0; }
};

/// Returns each site's place number (GmprofHeatPage). Sites on one line share a number. The last
/// number, GMPROF_HEAT_PLACES - 1, stands for all further lines and for functions whose sites have
/// no numbers (SiteNumbers.h).
std::vector<uint32_t> heatPlaces(const Descriptor &Desc);

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_HEATMAP_H
