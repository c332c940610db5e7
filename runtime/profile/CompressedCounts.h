//===- CompressedCounts.h - Counts as the log keeps them --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload of log::GlobalCountsRecord: one zstd frame. Most elements of an object are accessed
// equally often, so a fast level makes megabytes of counts kilobytes. Sums are narrow
// (NarrowSums.h); zeros of wider ones would take most of the time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPRESSEDCOUNTS_H
#define GMPROF_PROFILE_COMPRESSEDCOUNTS_H

#include "profile/NarrowSums.h"

namespace gmprof {

/// Of Count sums, from First on. Capped is empty, or as many numbers.
std::vector<std::byte> compressCounts(const NarrowSums &Sums, size_t First, size_t Count,
                                      std::span<const uint32_t> Capped);
inline std::vector<std::byte> compressCounts(std::span<const uint64_t> Sums,
                                             std::span<const uint32_t> Capped) {
  return compressCounts(NarrowSums(Sums), 0, Sums.size(), Capped);
}

/// Whether Compressed says that it holds counts of so many elements.
bool holdsCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped);

struct ElementSums {
  NarrowSums Sums;
  std::vector<uint32_t> Capped; ///< empty without HasCapped

  bool isCapped(size_t I) const { return !Capped.empty() && Capped[I] != 0; }
  /// The first element behind I that was counted otherwise, or their number.
  size_t endOfRun(size_t I) const;
};

/// Returns false if Compressed is damaged.
bool decompressCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped,
                      ElementSums &To);

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPRESSEDCOUNTS_H
