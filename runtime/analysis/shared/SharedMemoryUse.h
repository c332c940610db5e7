//===- SharedMemoryUse.h - Access counts in shared memory -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clones count accesses per word of the block's shared memory, without variables. This maps
// words to elements of variables:
//
//  * SharedRegions.h provides the variables' addresses.
//  * Counts known at compile time are added: count x threads.
//  * An element of one or several whole words counts as often as its most accessed word (an access
//    of a double touches two words and is one access). Words are counted instead for elements
//    smaller than a word or not aligned to one, which cannot be told apart, and for structs whose
//    fields are used differently.
//  * Launches of a kernel are merged. A dynamic region of another size is another array, since its
//    indices have another meaning.
//
// With sampling of blocks and launches, totals are multiplied by the ratio of blocks launched to
// blocks counted. The standard error of a total follows two-stage cluster sampling (Cochran,
// Sampling Techniques, 3rd edition, 9A and 10): the variance between blocks is estimated from
// random groups (log::SharedCountsRecord); without two groups, and always between launches, it is
// that of totals with a coefficient of variation of 1. A systematic sample of blocks is treated as
// a random one.
//
// The sum of a word that reached the threshold in some block is a lower bound; everything computed
// from it is marked as one.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_SHAREDMEMORYUSE_H
#define GMPROF_ANALYSIS_SHARED_SHAREDMEMORYUSE_H

#include "profile/Profile.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::analysis {

/// A number or a lower bound.
struct Bound {
  double Value = 0;
  bool AtLeast = false;
};

/// Number of elements with From <= accesses per block < To.
struct Bucket {
  double From = 0, To = 0; ///< both 0: never accessed
  uint64_t Elements = 0;
  bool AtThreshold = false; ///< true for elements that reached the threshold, which is From
};

/// Counts First to Last of an array, inclusive.
struct Range {
  uint64_t First = 0, Last = 0;
};

/// Unused columns that make rows begin on different banks: the last Length of every Period counts.
struct Padding {
  uint64_t Period = 0, Length = 0;
};

struct SharedArray {
  std::vector<std::string> Names; ///< several for aliases of dynamic shared memory
  std::string Type;
  profile::SourcePosition Source;
  std::vector<uint32_t> Variables; ///< indices in the descriptor
  bool Dynamic = false;
  uint64_t Bytes = 0;
  unsigned ElementBytes = 0;
  std::vector<uint64_t> Dims; ///< as declared, outermost first; empty: unknown

  /// The unit of one count: an element, or a word if elements are smaller or not aligned.
  unsigned CountBytes = 4;
  bool CountsWords = false;
  uint64_t Blocks = 0;          ///< number of counted blocks
  uint64_t BlocksLaunched = 0;  ///< in all launches of the kernel with this array
  std::vector<uint64_t> Sums;   ///< per count, over the counted blocks
  std::vector<uint64_t> Capped; ///< per count: blocks in which it reached the threshold
  uint64_t UncountedBytes = 0;  ///< at the array's end, beyond the launch's counters

  // Derived from the above. Min to Histogram exclude padding.
  Bound Min, Mean, Max;     ///< per count and block
  Bound Total;              ///< accesses in the counted blocks
  Bound TotalEstimate;      ///< accesses in all launched blocks
  double StandardError = 0; ///< standard error of TotalEstimate; 0: all was counted
  uint64_t AtThreshold = 0;
  uint64_t Touched = 0;
  std::vector<Bucket> Histogram;
  std::vector<Range> NeverTouched; ///< without padding
  std::optional<Padding> Pad;
  uint64_t PaddingCounts = 0;
  uint64_t UnusedBytes = 0; ///< bytes of NeverTouched
  std::string Untouched;    ///< NeverTouched as text: "columns 32-63 of every row"

  std::string displayName() const;
  /// Returns the index of the first element of count C.
  uint64_t element(uint64_t C) const;
  uint64_t elements() const { return ElementBytes ? Bytes / ElementBytes : Sums.size(); }
};

struct KernelSharedUse {
  uint32_t Kernel = 0;
  uint64_t Blocks = 0, Threads = 0; ///< of the counted blocks
  uint64_t BlocksExpected = 0;      ///< blocks that the profiled launches should have counted
  uint64_t BlocksLaunched = 0;      ///< in all launches of the kernel
  uint64_t Lost = 0;                ///< accesses outside the counted words
  uint32_t BlockSample = 1;         ///< largest block sample of its launches
  bool CountersInShared = false, CountersInDevice = false;
  uint64_t Other = 0; ///< accesses to words outside of all variables
  std::vector<SharedArray> Arrays;
};

/// Returns one entry per kernel with counts, in the order of the kernels.
std::vector<KernelSharedUse> sharedMemoryUse(const profile::Profile &P);

/// Returns the array bounds at the end of a C++ type: {32, 33} for float[32][33].
std::vector<uint64_t> arrayBounds(const std::string &Type);

/// Returns the number of blocks of the grid.
uint64_t blocksOf(const profile::Launch &L);

/// Sets the fields derived from Sums and Capped.
void derive(SharedArray &A, unsigned Threshold);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_SHAREDMEMORYUSE_H
