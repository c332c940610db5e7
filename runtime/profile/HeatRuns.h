//===- HeatRuns.h - Compressed heat maps of the log -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload of a log::HeatRunsRecord. Maps are repetitive, so a fast level of zstd suffices.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_HEATRUNS_H
#define GMPROF_PROFILE_HEATRUNS_H

#include "profile/Records.h"
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gmprof {

/// Maximum number of runs of one map; larger maps merge unequal sectors.
inline constexpr uint64_t MaxHeatRuns = uint64_t(1) << 22;

std::vector<std::byte> compressHeatRuns(std::span<const log::HeatRun> Runs);

/// Returns nothing if `Compressed` is damaged or does not hold Count runs.
std::optional<std::vector<log::HeatRun>> decompressHeatRuns(std::span<const std::byte> Compressed,
                                                            uint64_t Count);

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATRUNS_H
