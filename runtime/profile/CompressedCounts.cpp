//===- CompressedCounts.cpp - Access counts in the log --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/CompressedCounts.h"
#include <algorithm>
#include <optional>
#include <zstd.h>

namespace gmprof {

/// Maximum number of elements of one record; no object has more.
static constexpr uint64_t MaxElements = uint64_t(1) << 36;

namespace {

/// Returns the bytes per sum that the frame's content size implies; nothing if none fits.
std::optional<unsigned> widthIn(std::span<const std::byte> Compressed, uint64_t Elements,
                                bool HasCapped) {
  if (Elements > MaxElements)
    return std::nullopt;
  const uint64_t Size = ZSTD_getFrameContentSize(Compressed.data(), Compressed.size());
  for (unsigned Width : {1U, 2U, 4U, 8U})
    if (Size == Elements * (Width + (HasCapped ? sizeof(uint32_t) : 0)))
      return Width;
  return std::nullopt;
}

} // namespace

void CountsCompressor::FreeContext::operator()(ZSTD_CCtx_s *C) const { ZSTD_freeCCtx(C); }

std::span<const std::byte> CountsCompressor::compress(const NarrowSums &Sums, size_t First,
                                                      size_t Count,
                                                      std::span<const uint32_t> Capped) {
  // Compress in one call: zstd is slower when equal counts arrive in parts.
  std::span<const std::byte> All = Sums.bytes().subspan(First * Sums.width(), Count * Sums.width());
  if (!Capped.empty()) {
    Both.assign(All.begin(), All.end());
    Both.insert(Both.end(), std::as_bytes(Capped).begin(), std::as_bytes(Capped).end());
    All = Both;
  }
  if (!Context)
    Context.reset(ZSTD_createCCtx());
  if (const size_t Most = ZSTD_compressBound(All.size()); Out.size() < Most)
    Out.resize(Most);
  return std::span(Out).first(ZSTD_compressCCtx(Context.get(), Out.data(), Out.size(), All.data(),
                                                All.size(), /*compressionLevel=*/1));
}

std::vector<std::byte> compressCounts(std::span<const uint64_t> Sums,
                                      std::span<const uint32_t> Capped) {
  CountsCompressor Compressor;
  const auto Bytes = Compressor.compress(NarrowSums(Sums), 0, Sums.size(), Capped);
  return {Bytes.begin(), Bytes.end()};
}

bool holdsCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped) {
  return widthIn(Compressed, Elements, HasCapped) &&
         ZSTD_findFrameCompressedSize(Compressed.data(), Compressed.size()) == Compressed.size();
}

bool decompressCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped,
                      ElementSums &To) {
  if (!holdsCounts(Compressed, Elements, HasCapped))
    return false;
  To.Sums = NarrowSums(Elements, *widthIn(Compressed, Elements, HasCapped));
  To.Capped.resize(HasCapped ? Elements : 0);
  const std::span<std::byte> Sums = To.Sums.bytes();
  const auto Decompress = [&](std::span<std::byte> All) {
    return ZSTD_decompress(All.data(), All.size(), Compressed.data(), Compressed.size()) ==
           All.size();
  };
  if (!HasCapped)
    return Decompress(Sums);
  std::vector<std::byte> Both(Sums.size() + Elements * sizeof(uint32_t));
  if (!Decompress(Both))
    return false;
  const auto Rest = Both.begin() + static_cast<std::ptrdiff_t>(Sums.size());
  std::copy(Both.begin(), Rest, Sums.begin());
  std::copy(Rest, Both.end(), std::as_writable_bytes(std::span(To.Capped)).begin());
  return true;
}

size_t ElementSums::endOfRun(size_t I) const {
  const size_t End = Sums.endOfRun(I);
  if (Capped.empty())
    return End;
  const auto From = Capped.begin() + static_cast<std::ptrdiff_t>(I);
  const auto Differs = [&](uint32_t C) { return (C != 0) != (Capped[I] != 0); };
  return static_cast<size_t>(
      std::find_if(From, Capped.begin() + static_cast<std::ptrdiff_t>(End), Differs) -
      Capped.begin());
}

} // namespace gmprof
