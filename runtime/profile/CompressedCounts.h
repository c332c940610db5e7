//===- CompressedCounts.h - Counts as the log keeps them --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload of log::GlobalCountsRecord: one zstd frame. Most elements of an object are accessed
// equally often, so a fast level makes megabytes of counts kilobytes. Sums have as many bytes as
// the largest of the record needs; zeros of wider ones would take most of the time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPRESSEDCOUNTS_H
#define GMPROF_PROFILE_COMPRESSEDCOUNTS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gmprof {

/// Capped is empty, or as long as Sums.
std::vector<std::byte> compressCounts(std::span<const uint64_t> Sums,
                                      std::span<const uint32_t> Capped);

/// Whether Compressed says that it holds counts of so many elements.
bool holdsCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped);

struct ElementSums {
  std::vector<uint64_t> Sums;
  std::vector<uint32_t> Capped; ///< empty without HasCapped
};

/// Returns false if Compressed is damaged.
bool decompressCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped,
                      ElementSums &To);

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPRESSEDCOUNTS_H
