//===- Occupancy.h - Resident blocks per multiprocessor ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_OCCUPANCY_H
#define GMPROF_ANALYSIS_SHARED_OCCUPANCY_H

#include "analysis/Finding.h"
#include "analysis/shared/SharedMemoryUse.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace gmprof::analysis {

/// Returns the number of resident blocks of SharedBytes and Threads, limited by shared memory,
/// threads and registers; nothing if the device was not recorded.
inline std::optional<uint64_t> residentBlocks(const profile::Device &D, uint64_t SharedBytes,
                                              uint64_t Threads, uint64_t Registers) {
  if (D.SharedBytesPerSm == 0 || D.ThreadsPerSm == 0 || Threads == 0)
    return std::nullopt;
  constexpr uint64_t RegistersPerSm = 65536; // on every GPU that CUDA 13 supports
  uint64_t PerBlock = std::max<uint64_t>(SharedBytes + D.SharedBytesReservedPerBlock, 1);
  uint64_t ByRegisters = Registers == 0 ? std::numeric_limits<uint64_t>::max()
                                        : RegistersPerSm / (Registers * Threads);
  return std::min({D.SharedBytesPerSm / PerBlock, D.ThreadsPerSm / Threads, ByRegisters});
}

/// Returns the shared memory of a block in a launch that contributes to A's counts.
uint64_t sharedBytesPerBlock(const profile::Profile &P, uint32_t Kernel, const SharedArray &A);

/// Adds to F's evidence the shared memory per block, and the resident blocks now and with Bytes
/// less for A. Returns true if these are more.
bool weighFreedSharedMemory(Finding &F, const profile::Profile &P, const SharedArray &A,
                            uint64_t Bytes);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_OCCUPANCY_H
