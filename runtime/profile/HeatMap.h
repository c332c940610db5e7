//===- HeatMap.h - Which warps access which words ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of cuThermo's heat maps (cuThermo, 2025, Section IV): numbers of distinct warps, of
// the blocks that a launch noted, for each word and each sector of an object, and for each
// word of a block's shared memory; and of each instruction what its requests come to in
// memory. Plain data.
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

/// Consecutive sectors that are alike.
struct HeatRun {
  uint64_t First = 0; ///< from the sector that the object begins in
  uint64_t Sectors = 1;
  Temperatures All;                                  ///< by accesses of any kind
  std::array<Temperatures, GMPROF_COUNTER_KINDS> Of; ///< reads, writes, atomics
  bool SeveralBlocks = false; ///< accessed by several of the blocks: warps of different blocks with
                              ///< the same number are one
  bool Merged = false;        ///< stands for sectors that differ: of each number the highest
  std::array<uint64_t, GMPROF_COUNTER_KINDS> Accesses = {}; ///< by threads, of all these sectors
  uint64_t Places = 0; ///< mask of numbers of HeatPlaces that access them

  uint64_t end() const { return First + Sectors; }
};

/// A launch's accesses of one object of global memory.
struct HeatMap {
  uint64_t Object = 0;       ///< Object::Id
  uint64_t Address = 0;      ///< of the object
  std::vector<HeatRun> Runs; ///< in order; what is in none was not accessed
  uint64_t Merged = 0;       ///< sectors in runs that stand for unequal ones
};

/// A word of shared memory, of one kind of accesses.
struct SharedWordHeat {
  uint32_t Warps = 0;    ///< mask
  uint32_t Accesses = 0; ///< by threads
  uint32_t Thread = 0;   ///< 1 + the one that accessed it; GMPROF_NONE: several did; 0: none
};

/// The heat of a launch, or of several that one context notes.
struct HeatContext {
  uint64_t Context = 0; ///< Launch::Context
  uint32_t Kernel = 0;  ///< index
  uint64_t FirstBlock = 0, EndBlock = 1, BlockStep = 1;
  uint64_t Blocks = 0, Threads = 0; ///< noted
  uint64_t BodyLaunches = 0;        ///< of a node in a graph's body: how often it ran
  /// Accesses by threads, see GmprofHeatTotals.
  uint64_t Outside = 0, Lost = 0, OtherBlocks = 0;
  /// What the descriptor's closed forms describe was not noted but computed.
  bool ClosedForms = false;
  /// Per site of the descriptor, then of functions whose sites are not known.
  std::vector<GmprofHeatSite> Sites;
  std::vector<HeatMap> Maps; ///< of objects that were accessed
  /// Shared memory of the first of the blocks: per word, per kind.
  std::vector<std::array<SharedWordHeat, GMPROF_COUNTER_KINDS>> SharedWords;
  uint32_t FirstAddress = 0, DynamicAddress = 0, DynamicSharedBytes = 0; ///< as in SharedCounts
  std::vector<uint32_t> Addresses; ///< per variable of the descriptor, or GMPROF_NONE
  std::vector<uint64_t> Objects;   ///< per variable: the one it points into, or is; 0: not known

  /// Of the blocks, if they are equally large.
  uint64_t warpsPerBlock() const { return Blocks ? (Threads / Blocks + 31) / 32 : 0; }
};

/// The places of a kernel's sites (GmprofHeatPage): per site its number; the numbers of sites on
/// one line are the same. From GMPROF_HEAT_PLACES - 1 on all are that one, as are those of
/// functions whose sites have no numbers (SiteNumbers.h).
std::vector<uint32_t> heatPlaces(const Descriptor &Desc);

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_HEATMAP_H
