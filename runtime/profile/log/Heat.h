//===- Heat.h - Records of the profile heat ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_HEAT_H
#define GMPROF_PROFILE_LOG_HEAT_H

#include <cstdint>

namespace gmprof::log {

/// Heat of the recorded blocks of a context's launches, usually of one launch. Follows these
/// launches in the log. Arrays follow in this order: GmprofHeatSite sites[2][siteCount + 1]
/// (requests to global and to shared memory; the last ones: functions that are not inlined),
/// GmprofHeatWord words[words][GMPROF_COUNTER_KINDS] of shared memory, uint64_t
/// objects[variableCount] (ObjectRecord::id of the object that the variable is or points into; 0:
/// none or unknown), uint32_t variables[variableCount] (shared addresses, see GmprofSharedLayout).
struct HeatRecord {
  uint64_t context;
  uint64_t firstBlock, endBlock, blockStep; ///< see GmprofHeatLaunch
  uint64_t blocks;                          ///< number of recorded blocks
  uint64_t threads;                         ///< threads of the recorded blocks
  uint64_t outside, lost, otherBlocks;      ///< see GmprofHeatTotals
  uint64_t bodyLaunches;                    ///< see SharedCountsRecord
  uint64_t heatCase; ///< HeatCaseRecord::context whose closed forms were not recorded; 0: all was
  uint32_t kernel;
  uint32_t siteCount; ///< as in the kernel's descriptor
  uint32_t words;     ///< of shared memory; 0: none
  uint32_t variableCount;
  uint32_t firstAddress, dynamicAddress; ///< shared addresses
  uint32_t dynamicSharedBytes;           ///< requested by the program
  uint32_t reserved;
};

/// A launch in whose recorded blocks the closed forms of the kernel's accesses hold
/// (GmprofHeatFormDesc); the log's reader adds their heat. Precedes that launch in the log. Arrays
/// follow in this order: int64_t values[valueCount] of the kernel's parameters, uint64_t
/// objects[variableCount] as in HeatRecord, uint64_t pointers[variableCount] (global addresses of
/// the variables), HeatRange ranges[rangeCount] (those that closed forms access, sorted by
/// address).
struct HeatCaseRecord {
  uint64_t context; ///< LaunchRecord::context if the program's own kernel ran; else
                    ///< HeatRecord::heatCase refers to it
  uint64_t firstBlock, endBlock, blockStep; ///< see GmprofHeatLaunch
  uint32_t kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes;
  uint32_t valueCount, variableCount, rangeCount;
  uint32_t reserved;
};

/// A global memory object, or a section of one that its pool parts leave.
struct HeatRange {
  uint64_t object; ///< ObjectRecord::id
  uint64_t address, bytes;
};

/// Recorded pages of a range that closed forms access as well. Replaces the range's HeatRunsRecord.
struct HeatPagesRecord {
  uint64_t context; ///< HeatRecord::context
  uint64_t address; ///< range's address
  uint64_t pages, contents;
};

struct HeatPageRef {
  uint64_t number;  ///< counted from the page in which the range begins
  uint32_t kind;    ///< GmprofCounterKind
  uint32_t block;   ///< 1 + block that first accessed all its sectors; 0: see the content
  uint64_t content; ///< index in the contents, whose `page` and `kind` are unused
};

/// Heat map of an object, or of a section that its pool parts leave. Follows the HeatRecord of the
/// context.
struct HeatRunsRecord {
  uint64_t context;
  uint64_t object;  ///< ObjectRecord::id
  uint64_t address; ///< address of the object or section during the launch
  uint64_t runs;
  uint64_t merged; ///< number of sectors in merged runs
};

/// Consecutive sectors with equal temperatures and places. A temperature is the number of distinct
/// warps, 0 to 32 (cuThermo, 2025, Section IV.A).
struct HeatRun {
  uint64_t first;   ///< counted from the sector in which the object begins
  uint64_t sectors; ///< >= 1
  /// Temperatures of the sector's words, then of the sector; by all accesses, then by each
  /// GmprofCounterKind.
  uint8_t temperatures[4][9];
  uint8_t severalBlocks; ///< 1: accessed by several blocks; equal warp numbers of different blocks
                         ///< count as one warp
  uint8_t merged;        ///< 1: merges unequal sectors; each number is their maximum
  uint16_t reserved;
  uint64_t accesses[3]; ///< by threads, per kind, summed over the words of all sectors
  uint64_t places;      ///< mask, see GmprofHeatPage
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_HEAT_H
