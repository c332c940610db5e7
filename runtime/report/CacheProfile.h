//===- CacheProfile.h - The caches of a run that was traced -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates the trace of memory accesses beside an event log, for the summary. Of long traces
// lines are sampled, one in as many as makes it a matter of seconds: that depends on how many
// requests there are and on nothing else, so that the same trace gives the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CACHEPROFILE_H
#define GMPROF_REPORT_CACHEPROFILE_H

#include "analysis/PoorCacheLocality.h"
#include "cache/TraceSimulation.h"
#include <optional>
#include <string>

namespace gmprof {

struct CacheProfile {
  std::string Path;    ///< of the trace
  std::string Problem; ///< why it cannot be simulated, and there are no results; or empty
  cache::SimulationResults Results;
  std::vector<analysis::CachePrediction> Predictions; ///< see CachePredictions.h
};

/// Nothing if there is no trace.
std::optional<CacheProfile> simulateTraceOf(const std::string &LogPath);

/// On this machine.
unsigned mostSimulatingThreads();

/// As simulateTraceOf() does it, of the trace at Path, which somebody may still write. Pool: so
/// many threads; null: its own.
Result<std::unique_ptr<cache::TraceSimulation>>
openSimulation(const std::string &Path, const cache::TraceDevice &Device, uint32_t LinesSampled,
               bool Grows, std::shared_ptr<Workers> Pool = nullptr);

} // namespace gmprof

#endif // GMPROF_REPORT_CACHEPROFILE_H
