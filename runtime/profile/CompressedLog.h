//===- CompressedLog.h - Compressed event logs ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a training or of a simulation leave nearly the same records again and again. The log
// of a run that has ended may be compressed: Magic and a zstd frame, which EventLogReader
// decompresses into memory. Logs outside of LeastBytes to MostBytes stay as they are: a small one
// gains nothing, and a large one would not fit into memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COMPRESSEDLOG_H
#define GMPROF_PROFILE_COMPRESSEDLOG_H

#include "profile/Result.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gmprof {

class CompressedLog {
public:
  static constexpr char Magic[8] = {'G', 'M', 'P', 'R', 'O', 'F', 'L', 'Z'};
  static constexpr uint64_t LeastBytes = uint64_t(1) << 20, MostBytes = uint64_t(64) << 20;

  static bool isCompressed(std::span<const std::byte> File);
  /// Returns the log. Path is used in messages.
  static Result<std::vector<std::byte>> decompress(std::span<const std::byte> File,
                                                   const std::string &Path);
  /// Returns the compressed log; empty if it stays as it is.
  static std::vector<std::byte> compress(std::span<const std::byte> Log);
};

} // namespace gmprof

#endif // GMPROF_PROFILE_COMPRESSEDLOG_H
