//===- CompressedCounts.cpp - Counts as the log keeps them ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/CompressedCounts.h"
#include <algorithm>
#include <bit>
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

/// Sums as they are in the frame.
template <typename Narrow> std::vector<std::byte> narrowed(std::span<const uint64_t> Sums) {
  std::vector<std::byte> Bytes(Sums.size() * sizeof(Narrow));
  auto *To = reinterpret_cast<Narrow *>(Bytes.data());
  std::transform(Sums.begin(), Sums.end(), To, [](uint64_t S) { return static_cast<Narrow>(S); });
  return Bytes;
}

std::vector<std::byte> inBytes(std::span<const uint64_t> Sums, unsigned Width) {
  return Width == 1   ? narrowed<uint8_t>(Sums)
         : Width == 2 ? narrowed<uint16_t>(Sums)
         : Width == 4 ? narrowed<uint32_t>(Sums)
                      : narrowed<uint64_t>(Sums);
}

template <typename Narrow>
void widen(const std::vector<std::byte> &Bytes, std::vector<uint64_t> &To) {
  const std::span From(reinterpret_cast<const Narrow *>(Bytes.data()),
                       Bytes.size() / sizeof(Narrow));
  To.assign(From.begin(), From.end());
}

/// Of the largest sum: 1, 2, 4 or 8 bytes.
unsigned widthFor(std::span<const uint64_t> Sums) {
  uint64_t Bits = 0;
  for (uint64_t S : Sums)
    Bits |= S;
  return static_cast<unsigned>(std::bit_ceil((std::bit_width(Bits | 1) + 7U) / 8U));
}

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

std::vector<std::byte> compressCounts(std::span<const uint64_t> Sums,
                                      std::span<const uint32_t> Capped) {
  // One frame from two arrays, without a copy of both.
  const std::vector<std::byte> Narrow = inBytes(Sums, widthFor(Sums));
  const std::unique_ptr<ZSTD_CCtx, FreeCompression> Context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(Context.get(), ZSTD_c_compressionLevel, 1);
  const uint64_t Size = Narrow.size() + Capped.size_bytes();
  ZSTD_CCtx_setPledgedSrcSize(Context.get(), Size);
  std::vector<std::byte> Out(ZSTD_compressBound(Size));
  ZSTD_outBuffer To = {Out.data(), Out.size(), 0};
  ZSTD_inBuffer First = {Narrow.data(), Narrow.size(), 0};
  while (First.pos < First.size)
    ZSTD_compressStream2(Context.get(), &To, &First, ZSTD_e_continue);
  ZSTD_inBuffer Second = {Capped.data(), Capped.size_bytes(), 0};
  while (ZSTD_compressStream2(Context.get(), &To, &Second, ZSTD_e_end) != 0) {
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
  const unsigned Width = *widthIn(Compressed, Elements, HasCapped);
  std::vector<std::byte> Narrow(Elements * Width);
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
  if (!Fill(Narrow.data(), Narrow.size()) ||
      !Fill(To.Capped.data(), To.Capped.size() * sizeof(uint32_t)))
    return false;
  Width == 1   ? widen<uint8_t>(Narrow, To.Sums)
  : Width == 2 ? widen<uint16_t>(Narrow, To.Sums)
  : Width == 4 ? widen<uint32_t>(Narrow, To.Sums)
               : widen<uint64_t>(Narrow, To.Sums);
  return true;
}

} // namespace gmprof
