//===- TraceSimulation.h - Simulation of a trace ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACESIMULATION_H
#define GMPROF_CACHE_TRACESIMULATION_H

#include "cache/Simulator.h"
#include "cache/TraceReader.h"
#include <algorithm>
#include <memory>

namespace gmprof::cache {

/// Returns the parameters of the GPU that made a trace, with its own number of SMs and size of L2.
Result<Architecture> architectureOf(const TraceDevice &Device);

/// Amount of requests in a launch.
struct TraceSize {
  uint64_t Requests = 0;
  uint64_t Bytes = 0; ///< unpacked size

  void add(const RequestChunk &Chunk) {
    Requests += Chunk.Count;
    Bytes += Chunk.RawBytes;
  }
  /// Returns the number of requests of a few sectors each that take as long to simulate. A request
  /// with individually encoded lanes counts as many.
  uint64_t regularRequests() const { return std::max(Requests, Bytes / 8); }
};

/// Returns the number of threads for a launch, up to Most: fewer for little work. From 40 ms after
/// the launch on, busy threads delay the end of the program in the system, so a launch of a million
/// requests must be simulated by then (docs/observations.md).
unsigned simulatingThreads(const TraceSize &Launch, unsigned Most);

/// Simulation of a trace that may still be written. Threads process SMs in turn.
class TraceSimulation {
public:
  /// Opens a trace. Pool: as for Simulator.
  static Result<std::unique_ptr<TraceSimulation>>
  open(const std::string &Path, const Architecture &Gpu, const SimulationOptions &Options,
       bool Grows = false, std::shared_ptr<Workers> Pool = nullptr);
  ~TraceSimulation();

  enum class Place {
    LaunchEnd,
    Pause, ///< no further item yet
    End,
  };
  /// Simulates up to the next of these places.
  Result<Place> advance();
  /// Returns the results. Call once, at the end.
  SimulationResults finish();
  /// Simulates a complete trace to its end.
  Result<SimulationResults> all();

private:
  class LaunchRequests;
  TraceSimulation(std::unique_ptr<TraceReader> Reader, const Architecture &Gpu,
                  const SimulationOptions &Options, std::shared_ptr<Workers> Pool);

  std::unique_ptr<TraceReader> Reader;
  Simulator Sim;
  std::unique_ptr<LaunchRequests> Requests;
};

Result<SimulationResults> simulateTrace(const std::string &Path, const Architecture &Gpu,
                                        const SimulationOptions &Options);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACESIMULATION_H
