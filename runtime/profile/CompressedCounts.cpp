//===- CompressedCounts.cpp - Counts as the log keeps them ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/CompressedCounts.h"
#include <algorithm>
#include <memory>
#include <optional>
#include <zstd.h>

namespace gmprof {

/// Elements of one record; no object has more.
static constexpr uint64_t MaxElements = uint64_t(1) << 36;

namespace {

struct FreeCompression {
  void operator()(ZSTD_CCtx *C) const { ZSTD_freeCCtx(C); }
  void operator()(ZSTD_DCtx *C) const { ZSTD_freeDCtx(C); }
};

/// Bytes of a sum in the frame, by its size; nothing if there are none of that size.
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

std::vector<std::byte> compressCounts(const NarrowSums &Sums, size_t First, size_t Count,
                                      std::span<const uint32_t> Capped) {
  // One frame from two arrays, without a copy of both.
  const std::span<const std::byte> Narrow =
      Sums.bytes().subspan(First * Sums.width(), Count * Sums.width());
  const std::unique_ptr<ZSTD_CCtx, FreeCompression> Context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_compressionLevel, 1);
  const uint64_t Size = Narrow.size() + Capped.size_bytes();
  ZSTD_CCtx_setPledgedSrcSize(Context.get(), Size);
  std::vector<std::byte> Out(ZSTD_compressBound(Size));
  ZSTD_outBuffer To = {Out.data(), Out.size(), 0};
  ZSTD_inBuffer OfSums = {Narrow.data(), Narrow.size(), 0};
  while (OfSums.pos < OfSums.size)
    ZSTD_compressStream2(Context.get(), &To, &OfSums, ZSTD_e_continue);
  ZSTD_inBuffer OfCapped = {Capped.data(), Capped.size_bytes(), 0};
  while (ZSTD_compressStream2(Context.get(), &To, &OfCapped, ZSTD_e_end) != 0) {
  }
  Out.resize(To.pos);
  return Out;
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
  const std::unique_ptr<ZSTD_DCtx, FreeCompression> Context(ZSTD_createDCtx());
  ZSTD_inBuffer From = {Compressed.data(), Compressed.size(), 0};
  const auto Fill = [&](void *Data, size_t Bytes) {
    ZSTD_outBuffer Out = {Data, Bytes, 0};
    while (Out.pos < Out.size) {
      const size_t Before = Out.pos, Read = From.pos;
      if (ZSTD_isError(ZSTD_decompressStream(Context.get(), &Out, &From)) ||
          (Out.pos == Before && From.pos == Read))
        return false;
    }
    return true;
  };
  return Fill(To.Sums.bytes().data(), To.Sums.bytes().size()) &&
         Fill(To.Capped.data(), To.Capped.size() * sizeof(uint32_t));
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
