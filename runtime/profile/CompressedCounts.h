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
#include <memory>

struct ZSTD_CCtx_s;

namespace gmprof {

/// Keeps what it needs: memory that is asked for anew takes longer than what is done with it.
class CountsCompressor {
public:
  /// Of Count sums, from First on; until the next call. Capped is empty, or as many numbers.
  std::span<const std::byte> compress(const NarrowSums &Sums, size_t First, size_t Count,
                                      std::span<const uint32_t> Capped);

private:
  struct FreeContext {
    void operator()(ZSTD_CCtx_s *C) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> Context;
  std::vector<std::byte> Both, Out;
};

std::vector<std::byte> compressCounts(std::span<const uint64_t> Sums,
                                      std::span<const uint32_t> Capped);

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
