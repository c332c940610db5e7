//===- CompressedCounts.h - Access counts in the log ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload of log::GlobalCountsRecord: one zstd frame. Most elements of an object have equal
// counts, so a fast level reduces megabytes to kilobytes. Sums are narrow (NarrowSums.h), since
// compressing the zero bytes of wide sums would take most of the time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPRESSEDCOUNTS_H
#define GMPROF_PROFILE_COMPRESSEDCOUNTS_H

#include "profile/NarrowSums.h"
#include <memory>

struct ZSTD_CCtx_s;

namespace gmprof {

/// Reuses its buffers and zstd context, whose allocation takes longer than a compression.
class CountsCompressor {
public:
  /// Compresses Count sums from First on. `Capped` is empty or has Count numbers. The result is
  /// valid until the next call.
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

/// Returns true if the frame's size matches counts of `Elements` elements.
bool holdsCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped);

struct ElementSums {
  NarrowSums Sums;
  std::vector<uint32_t> Capped; ///< empty without HasCapped

  bool isCapped(size_t I) const { return !Capped.empty() && Capped[I] != 0; }
  /// Returns the first element after I with another sum or capped flag, or their number.
  size_t endOfRun(size_t I) const;
};

/// Returns false if `Compressed` is damaged.
bool decompressCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped,
                      ElementSums &To);

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPRESSEDCOUNTS_H
