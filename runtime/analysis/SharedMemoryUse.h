//===- SharedMemoryUse.h - How often each shared word is used ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clones count by word of the block's shared memory and know nothing of
// variables. Here the words become elements of variables:
//
//  * Variables lie where SharedRegions.h says.
//  * Counts that were known at compile time are added: count x threads.
//  * An element of one or several whole words counts as often as its most
//    accessed word (one access of a double touches two words, and is one access).
//    Elements smaller than a word, or that do not begin at one, cannot be told
//    apart, and those of a struct whose fields are used differently should be:
//    there, words are counted.
//  * Launches of a kernel are merged. A dynamic region of another size is
//    another array: the same index means something else in it.
//
// Blocks and launches may be sampled. Then totals are expanded by the ratio of blocks
// launched to blocks counted. The standard error of a total is that of cluster sampling
// in two stages (Cochran, Sampling Techniques, 3rd edition, 9A and 10): the variance
// between blocks is estimated from random groups of them (log::SharedCountsRecord), or,
// where there are no two groups, and always between launches, it is that of totals
// with a coefficient of variation of 1. A block of a systematic sample is taken as
// one of a random sample.
//
// A word that reached the threshold in some block was accessed at least as often
// as its sum says; everything computed from it is a lower bound and marked so.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHAREDMEMORYUSE_H
#define GMPROF_ANALYSIS_SHAREDMEMORYUSE_H

#include "profile/Profile.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::analysis {

/// A number, or what it is at least.
struct Bound {
  double Value = 0;
  bool AtLeast = false;
};

/// Elements by accesses per block: From <= count < To.
struct Bucket {
  double From = 0, To = 0; ///< both 0: never accessed
  uint64_t Elements = 0;
  bool AtThreshold = false; ///< those that reached the threshold; From is it
};

/// Counts First to Last of an array, both included.
struct Range {
  uint64_t First = 0, Last = 0;
};

/// Columns that exist so that rows begin on different banks: the last Length
/// of every Period counts, never accessed.
struct Padding {
  uint64_t Period = 0, Length = 0;
};

struct SharedArray {
  std::vector<std::string> Names; ///< several for aliases of dynamic shared memory
  std::string Type;
  profile::SourcePosition Source;
  std::vector<uint32_t> Variables; ///< of the kernel's descriptor
  bool Dynamic = false;
  uint64_t Bytes = 0;
  unsigned ElementBytes = 0;
  std::vector<uint64_t> Dims; ///< as declared, outermost first; empty: unknown

  /// What one count stands for: an element, or a word where elements are
  /// smaller or not aligned.
  unsigned CountBytes = 4;
  bool CountsWords = false;
  uint64_t Blocks = 0;          ///< counted
  uint64_t BlocksLaunched = 0;  ///< by all launches of the kernel with this array
  std::vector<uint64_t> Sums;   ///< per count, over the blocks counted
  std::vector<uint64_t> Capped; ///< per count: blocks in which it reached the threshold
  uint64_t UncountedBytes = 0;  ///< at the end, beyond the launch's counters

  // Derived from the above. Padding is left out of Min to Histogram.
  Bound Min, Mean, Max;     ///< per count and block
  Bound Total;              ///< accesses in the blocks counted
  Bound TotalEstimate;      ///< in all blocks launched
  double StandardError = 0; ///< of TotalEstimate; 0: all was counted
  uint64_t AtThreshold = 0;
  uint64_t Touched = 0;
  std::vector<Bucket> Histogram;
  std::vector<Range> NeverTouched; ///< without padding
  std::optional<Padding> Pad;
  uint64_t PaddingCounts = 0;
  uint64_t UnusedBytes = 0; ///< of NeverTouched
  std::string Untouched;    ///< NeverTouched in words: "columns 32-63 of every row"

  std::string displayName() const;
  /// Index of the first element of count C.
  uint64_t element(uint64_t C) const;
  uint64_t elements() const { return ElementBytes ? Bytes / ElementBytes : Sums.size(); }
};

struct KernelSharedUse {
  uint32_t Kernel = 0;
  uint64_t Blocks = 0, Threads = 0; ///< counted
  uint64_t BlocksExpected = 0;      ///< that the profiled launches should have counted
  uint64_t BlocksLaunched = 0;      ///< by all launches of the kernel
  uint64_t Lost = 0;                ///< accesses outside the counted words
  uint32_t BlockSample = 1;         ///< the sparsest of its launches
  bool CountersInShared = false, CountersInDevice = false;
  uint64_t Other = 0; ///< accesses of words that belong to no variable
  std::vector<SharedArray> Arrays;
};

/// One entry for each kernel with counts, in the order of the kernels.
std::vector<KernelSharedUse> sharedMemoryUse(const profile::Profile &P);

/// Array bounds at the end of a C++ type: {32, 33} for float[32][33].
std::vector<uint64_t> arrayBounds(const std::string &Type);

/// Fills in what is derived from Sums and Capped.
void derive(SharedArray &A, unsigned Threshold);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHAREDMEMORYUSE_H
