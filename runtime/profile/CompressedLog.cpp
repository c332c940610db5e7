//===- CompressedLog.cpp - Compressed event logs --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/CompressedLog.h"
#include <cstring>
#include <zstd.h>

namespace gmprof {

bool CompressedLog::isCompressed(std::span<const std::byte> File) {
  return File.size() >= sizeof(Magic) && std::memcmp(File.data(), Magic, sizeof(Magic)) == 0;
}

Result<std::vector<std::byte>> CompressedLog::decompress(std::span<const std::byte> File,
                                                         const std::string &Path) {
  const std::span<const std::byte> Frame = File.subspan(sizeof(Magic));
  const uint64_t Bytes = ZSTD_getFrameContentSize(Frame.data(), Frame.size());
  std::vector<std::byte> Log;
  // The values for unknown sizes and errors are larger, too.
  if (Bytes <= MostBytes) {
    Log.resize(Bytes);
    if (ZSTD_decompress(Log.data(), Log.size(), Frame.data(), Frame.size()) == Bytes)
      return Log;
  }
  return Error{"the event log '" + Path + "' is damaged: it cannot be decompressed"};
}

std::vector<std::byte> CompressedLog::compress(std::span<const std::byte> Log) {
  std::vector<std::byte> File;
  if (Log.size() < LeastBytes || Log.size() > MostBytes)
    return File;
  const size_t Most = ZSTD_compressBound(Log.size());
  File.resize(sizeof(Magic) + Most);
  std::memcpy(File.data(), Magic, sizeof(Magic));
  const size_t Bytes = ZSTD_compress(File.data() + sizeof(Magic), Most, Log.data(), Log.size(),
                                     /*level=*/3);
  File.resize(ZSTD_isError(Bytes) || Bytes >= Log.size() ? 0 : sizeof(Magic) + Bytes);
  return File;
}

} // namespace gmprof
