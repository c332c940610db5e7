//===- HeatRuns.cpp - Compressed heat maps of the log ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatRuns.h"
#include <zstd.h>

namespace gmprof {

std::vector<std::byte> compressHeatRuns(std::span<const log::HeatRun> Runs) {
  std::vector<std::byte> Out(ZSTD_compressBound(Runs.size_bytes()));
  Out.resize(ZSTD_compress(Out.data(), Out.size(), Runs.data(), Runs.size_bytes(), /*level=*/1));
  return Out;
}

std::optional<std::vector<log::HeatRun>> decompressHeatRuns(std::span<const std::byte> Compressed,
                                                            uint64_t Count) {
  const uint64_t Bytes = Count * sizeof(log::HeatRun);
  if (Count > MaxHeatRuns ||
      ZSTD_getFrameContentSize(Compressed.data(), Compressed.size()) != Bytes ||
      ZSTD_findFrameCompressedSize(Compressed.data(), Compressed.size()) != Compressed.size())
    return {};
  std::vector<log::HeatRun> Runs(Count);
  if (ZSTD_decompress(Runs.data(), Bytes, Compressed.data(), Compressed.size()) != Bytes)
    return {};
  return Runs;
}

} // namespace gmprof
