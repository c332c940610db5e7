//===- Shared.h - Counts of shared memory -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_SHARED_H
#define GMPROF_PROFILE_MODEL_SHARED_H

#include "gmprof/abi/shared.h"
#include <array>
#include <cstdint>
#include <vector>

namespace gmprof::profile {

/// Live ranges of a variable's words by number of accesses.
struct RangeCounts {
  std::array<uint64_t, GMPROF_RANGE_BUCKETS> Ranges = {}; ///< see GmprofRangeCounts
  uint64_t Capped = 0; ///< ranges whose counter reached the threshold
  uint64_t Accesses = 0;
  uint32_t Min = UINT32_MAX, Max = 0;
};

/// A live range of one word.
struct RangeRecord {
  uint32_t Variable = 0; ///< index in Descriptor::RangeVariables
  uint32_t Word = 0;
  uint32_t Begin = 0, End = 0; ///< logical clock of the block
  uint32_t Accesses = 0;
  bool Moved = false; ///< true if a move began it
};

/// Counts of one launch context; see log::SharedCountsRecord. Accesses of closed forms that the log
/// omits (SharedCase) are added, scaled to the blocks that counted.
struct SharedCounts {
  uint64_t Context = 0;
  uint32_t Kernel = 0;
  uint64_t Blocks = 0, Threads = 0, Lost = 0;
  uint32_t FirstAddress = 0, DynamicAddress = 0, DynamicSharedBytes = 0;
  uint32_t BlockSample = 1;
  bool CountersInDeviceMemory = false;
  std::vector<uint64_t> Sums;      ///< per word
  std::vector<uint32_t> Capped;    ///< per word: blocks in which its counter reached the threshold
  std::vector<uint32_t> Addresses; ///< per variable of the descriptor
  uint32_t DegreesOfFreedom = 0;   ///< of Deviations
  std::vector<double> Deviations;  ///< per variable; see log::SharedCountsRecord
  /// Per entry of Descriptor::RangeVariables; empty if not counted.
  std::vector<RangeCounts> Ranges;
  std::vector<RangeRecord> RangeRecords; ///< the first ones of the context
  uint64_t RangeRecordsSeen = 0;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_SHARED_H
