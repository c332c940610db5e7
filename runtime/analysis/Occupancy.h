//===- Occupancy.h - Blocks that fit on a multiprocessor --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OCCUPANCY_H
#define GMPROF_ANALYSIS_OCCUPANCY_H

#include "profile/Profile.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace gmprof::analysis {

/// Blocks of SharedBytes and Threads that are resident at a time by shared
/// memory, threads and registers; nothing if the device was not recorded.
inline std::optional<uint64_t> residentBlocks(const profile::Device &D, uint64_t SharedBytes,
                                              uint64_t Threads, uint64_t Registers) {
  if (D.SharedBytesPerSm == 0 || D.ThreadsPerSm == 0 || Threads == 0)
    return std::nullopt;
  constexpr uint64_t RegistersPerSm = 65536; // of every GPU that CUDA 13 supports
  uint64_t PerBlock = std::max<uint64_t>(SharedBytes + D.SharedBytesReservedPerBlock, 1);
  uint64_t ByRegisters = Registers == 0 ? std::numeric_limits<uint64_t>::max()
                                        : RegistersPerSm / (Registers * Threads);
  return std::min({D.SharedBytesPerSm / PerBlock, D.ThreadsPerSm / Threads, ByRegisters});
}

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OCCUPANCY_H
