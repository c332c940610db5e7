//===- LiveRanges.h - Accesses per live range of shared data ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section V): a word of shared memory holds other data after
// each move from device memory, and how often the word is accessed says little of
// how often the data is. A live range of a word
//
//   begins   with a store that moves data in from device memory; with the first
//            store after the range before it has ended; or with the block
//   ends     with a load whose value is moved out to device memory. What is loaded
//            until the next store is still the same data, and belongs to it
//   is over  when the next one begins, or the block ends
//
// Its accesses are all loads, stores and atomics in between, those of the end
// included, but not the store that moved the data in: data that is moved in and
// used once has one access, a result that is put there and moved out has two. So
// the paper's Table IV has 2 for the tile of Jacobi's first version, and 4 for that
// of the second.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_LIVERANGES_H
#define GMPROF_ANALYSIS_LIVERANGES_H

#include "analysis/SharedMemoryUse.h"

namespace gmprof::analysis {

/// Ranges of From to To - 1 accesses.
struct RangeBucket {
  uint64_t From = 0, To = 0; ///< To is 0 for the last bucket
  uint64_t Ranges = 0;
};

/// The live ranges of an array's words in the blocks that were counted.
struct LiveRangeUse {
  /// The moves of the kernel that begin and end them.
  std::vector<const profile::Move *> Begins, Ends;
  bool Counted = false;
  /// Why not: mostly because a word has one range in a block, whose accesses are
  /// those of the block.
  std::string WhyNot;
  uint64_t Ranges = 0; ///< those with a known number of accesses
  uint64_t Capped = 0; ///< in which the word's counter reached the threshold
  uint64_t Accesses = 0;
  uint32_t Min = 0, Max = 0;
  std::vector<RangeBucket> Histogram; ///< contiguous, from the first to the last not empty
  /// The first ranges of one word, and where it is in the array.
  std::vector<profile::RangeRecord> Records;
  uint64_t RecordsSeen = 0;
  uint64_t RecordOffset = 0;

  double mean() const {
    return Ranges ? static_cast<double>(Accesses) / static_cast<double>(Ranges) : 0;
  }
};

/// Nothing if no data is moved between A and device memory.
std::optional<LiveRangeUse> liveRanges(const profile::Profile &P, uint32_t Kernel,
                                       const SharedArray &A);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_LIVERANGES_H
