//===- HeatRuns.h - Heat maps as the log keeps them -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows a log::HeatRunsRecord. Maps repeat themselves, so that a fast level of
// zstd does.
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

/// Of one map; one that needs more has unequal sectors in one run.
inline constexpr uint64_t MaxHeatRuns = uint64_t(1) << 22;

std::vector<std::byte> compressHeatRuns(std::span<const log::HeatRun> Runs);

/// Nothing if Compressed is damaged, or of another number of runs.
std::optional<std::vector<log::HeatRun>> decompressHeatRuns(std::span<const std::byte> Compressed,
                                                            uint64_t Count);

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATRUNS_H
