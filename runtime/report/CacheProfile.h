//===- CacheProfile.h - The caches of a run that was traced -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates the trace of memory accesses beside an event log, for the summary; what a program has
// written of it can be simulated while it goes on. Of long traces lines are sampled, one in as many
// as makes it a matter of seconds: that depends on how many requests there are and on nothing else,
// so that the same trace gives the same numbers. A trace that has grown beyond that is begun anew.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CACHEPROFILE_H
#define GMPROF_REPORT_CACHEPROFILE_H

#include "analysis/PoorCacheLocality.h"
#include "cache/TraceSimulation.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace gmprof {

struct CacheProfile {
  std::string Path;    ///< of the trace
  std::string Problem; ///< why it cannot be simulated, and there are no results; or empty
  cache::SimulationResults Results;
  std::vector<analysis::CachePrediction> Predictions; ///< see CachePredictions.h
};

/// One of how many lines is simulated.
uint32_t linesSampledFor(uint64_t Requests);

class CacheSimulation {
public:
  explicit CacheSimulation(std::string Path) : Path(std::move(Path)) {}

  const std::string &path() const { return Path; }
  void moved(std::string To) { Path = std::move(To); }
  /// Of a trace that is being written: takes what there is so far, or of that what can be done
  /// until Ended. A launch is simulated whole, once all of it is there.
  void follow(const std::atomic<bool> &Ended);
  /// The rest, when nobody writes it any more. Nothing if there is no trace.
  std::optional<CacheProfile> finish();

private:
  std::string open(bool Growing);
  cache::TraceSimulation::Step step();

  std::string Path;
  std::string Problem; ///< that ended it, or empty
  uint32_t Sampled = 1;
  std::unique_ptr<cache::TraceSimulation> Simulation; ///< null: to be begun
};

} // namespace gmprof

#endif // GMPROF_REPORT_CACHEPROFILE_H
