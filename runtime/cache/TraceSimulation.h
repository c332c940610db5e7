//===- TraceSimulation.h - Simulates what a trace holds ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACESIMULATION_H
#define GMPROF_CACHE_TRACESIMULATION_H

#include "cache/Simulator.h"
#include "cache/TraceReader.h"

namespace gmprof::cache {

/// What is known of the GPU that a trace was made on, with its own number of SMs and size of
/// L2.
Result<Architecture> architectureOf(const TraceDevice &Device);

/// Simulates a trace launch by launch.
class TraceSimulation {
public:
  static Result<std::unique_ptr<TraceSimulation>>
  open(const std::string &Path, const Architecture &Gpu, const SimulationOptions &Options);
  ~TraceSimulation();

  /// Whether somebody writes the file. At first nobody does.
  void setGrowing(bool Is) { Reader->setGrowing(Is); }

  enum class Step { GoesOn, Pauses, Ends };
  /// Takes the next thing from the trace; the end of a launch takes the longest, as it is simulated
  /// then. Pauses: there is nothing more in a trace that grows.
  Result<Step> step();
  /// That the trace has so far.
  uint64_t requests() const { return Requests; }
  /// After its end.
  SimulationResults finish();

private:
  class OfLaunch;
  TraceSimulation(std::unique_ptr<TraceReader> Reader, const Architecture &Gpu,
                  const SimulationOptions &Options);

  const std::unique_ptr<TraceReader> Reader;
  Simulator Sim;
  const std::unique_ptr<OfLaunch> Launch;
  uint64_t Requests = 0;
};

/// All of a trace. Threads take SMs in turn.
Result<SimulationResults> simulateTrace(const std::string &Path, const Architecture &Gpu,
                                        const SimulationOptions &Options);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACESIMULATION_H
