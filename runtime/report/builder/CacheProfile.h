//===- CacheProfile.h - Cache simulation of a traced run --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates the trace of memory accesses beside an event log for the summary. Lines of long traces
// are sampled so that the simulation takes seconds. The rate depends only on the number of
// requests, so that a trace always gives the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_CACHEPROFILE_H
#define GMPROF_REPORT_BUILDER_CACHEPROFILE_H

#include "analysis/cache/PoorCacheLocality.h"
#include "cache/TraceSimulation.h"
#include <optional>
#include <string>

namespace gmprof {

struct CacheProfile {
  std::string Path;    ///< of the trace
  std::string Problem; ///< why there are no results; empty if simulated
  cache::SimulationResults Results;
  std::vector<analysis::CachePrediction> Predictions; ///< see CachePredictions.h
};

/// Returns nothing if there is no trace.
std::optional<CacheProfile> simulateTraceOf(const std::string &LogPath);

/// Returns the number of threads to simulate with on this machine.
unsigned mostSimulatingThreads();

/// Opens the trace at Path, which may still be growing, for a simulation like that of
/// simulateTraceOf(). Pool: threads to use; null: its own.
Result<std::unique_ptr<cache::TraceSimulation>>
openSimulation(const std::string &Path, const cache::TraceDevice &Device, uint32_t LinesSampled,
               bool Grows, std::shared_ptr<Workers> Pool = nullptr);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_CACHEPROFILE_H
