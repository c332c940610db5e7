//===- CompressedCounts.cpp - Counts as the log keeps them ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/CompressedCounts.h"
#include <memory>
#include <zstd.h>

namespace gmprof {

/// Elements of one record; no object has more.
static constexpr uint64_t MaxElements = uint64_t(1) << 36;

static uint64_t bytesOf(uint64_t Elements, bool HasCapped) {
  return Elements * (sizeof(uint64_t) + (HasCapped ? sizeof(uint32_t) : 0));
}

std::vector<std::byte> compressCounts(std::span<const uint64_t> Sums,
                                      std::span<const uint32_t> Capped) {
  // One frame from two arrays, without a copy of both.
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> Context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  const uint64_t Size = Sums.size_bytes() + Capped.size_bytes();
  ZSTD_CCtx_setPledgedSrcSize(Context.get(), Size);
  std::vector<std::byte> Out(ZSTD_compressBound(Size));
  ZSTD_outBuffer To = {Out.data(), Out.size(), 0};
  ZSTD_inBuffer First = {Sums.data(), Sums.size_bytes(), 0};
  while (First.pos < First.size)
    ZSTD_compressStream2(Context.get(), &To, &First, ZSTD_e_continue);
  ZSTD_inBuffer Second = {Capped.data(), Capped.size_bytes(), 0};
  while (ZSTD_compressStream2(Context.get(), &To, &Second, ZSTD_e_end) != 0) {
  }
  Out.resize(To.pos);
  return Out;
}

bool holdsCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped) {
  return Elements <= MaxElements &&
         ZSTD_getFrameContentSize(Compressed.data(), Compressed.size()) ==
             bytesOf(Elements, HasCapped) &&
         ZSTD_findFrameCompressedSize(Compressed.data(), Compressed.size()) == Compressed.size();
}

bool decompressCounts(std::span<const std::byte> Compressed, uint64_t Elements, bool HasCapped,
                      ElementSums &To) {
  if (!holdsCounts(Compressed, Elements, HasCapped))
    return false;
  To.Sums.resize(Elements);
  To.Capped.resize(HasCapped ? Elements : 0);
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx *)> Context(ZSTD_createDCtx(), ZSTD_freeDCtx);
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
  return Fill(To.Sums.data(), To.Sums.size() * sizeof(uint64_t)) &&
         Fill(To.Capped.data(), To.Capped.size() * sizeof(uint32_t));
}

} // namespace gmprof
