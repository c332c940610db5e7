//===- LiveRanges.h - Accesses per live range -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section V): a word of shared memory holds different data after each move from
// device memory, so the accesses per word tell little about the reuse of data. A live range of a
// word
//
//   begins   with a store that moves data in from device memory; with the first store after the
//            previous range has ended; or with the block
//   ends     with a load whose value is moved out to device memory. Loads until the next store
//            still read the same data, and belong to the range
//   is over  when the next one begins, or the block ends
//
// Its accesses are all loads, stores and atomics in between, including the one that ends it, but
// not the store that moved the data in: data that is moved in and used once has one access, a
// result that is stored and moved out has two. Therefore the tile of Jacobi's first version has 2
// in the paper's Table IV, that of the second version 4.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_LIVERANGES_H
#define GMPROF_ANALYSIS_SHARED_LIVERANGES_H

#include "analysis/shared/SharedMemoryUse.h"

namespace gmprof::analysis {

/// Number of ranges with From to To - 1 accesses.
struct RangeBucket {
  uint64_t From = 0, To = 0; ///< To is 0 for the last bucket
  uint64_t Ranges = 0;
};

/// The live ranges of an array's words in the counted blocks.
struct LiveRangeUse {
  /// The kernel's moves that begin and end ranges.
  std::vector<const profile::Move *> Begins, Ends;
  bool Counted = false;
  /// Why ranges were not counted: mostly because each word has one range per block, whose accesses
  /// are those of the block.
  std::string WhyNot;
  uint64_t Ranges = 0; ///< ranges with a known number of accesses
  uint64_t Capped = 0; ///< ranges in which the word's counter reached the threshold
  uint64_t Accesses = 0;
  uint32_t Min = 0, Max = 0;
  std::vector<RangeBucket> Histogram; ///< contiguous, from the first to the last nonempty bucket
  /// The first ranges of one word, and the word's offset in the array.
  std::vector<profile::RangeRecord> Records;
  uint64_t RecordsSeen = 0;
  uint64_t RecordOffset = 0;

  double mean() const {
    return Ranges ? static_cast<double>(Accesses) / static_cast<double>(Ranges) : 0;
  }
};

/// Returns nothing if no data is moved between A and device memory.
std::optional<LiveRangeUse> liveRanges(const profile::Profile &P, uint32_t Kernel,
                                       const SharedArray &A);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_LIVERANGES_H
