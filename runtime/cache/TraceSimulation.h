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
#include <algorithm>
#include <memory>

namespace gmprof::cache {

/// What is known of the GPU that a trace was made on, with its own number of SMs and size of
/// L2.
Result<Architecture> architectureOf(const TraceDevice &Device);

/// Of requests that a trace holds.
struct TraceSize {
  uint64_t Requests = 0;
  uint64_t Bytes = 0; ///< of these, unpacked

  void add(const RequestChunk &Chunk) {
    Requests += Chunk.Count;
    Bytes += Chunk.RawBytes;
  }
  /// Requests of which each takes a few sectors that take as long to simulate. One whose lanes are
  /// written one by one takes many.
  uint64_t regularRequests() const { return std::max(Requests, Bytes / 8); }
};

/// How many threads simulate a launch, of Most: fewer where there is little work. 40 ms after it
/// has begun, the end of a program waits for a part of the system that is fast where nobody is
/// busy: a launch of a million requests is to be simulated by then (docs/observations.md).
unsigned simulatingThreads(const TraceSize &Launch, unsigned Most);

/// The simulation of a trace that somebody may still write. Threads take SMs in turn.
class TraceSimulation {
public:
  /// Pool: as Simulator takes it.
  static Result<std::unique_ptr<TraceSimulation>>
  open(const std::string &Path, const Architecture &Gpu, const SimulationOptions &Options,
       bool Grows = false, std::shared_ptr<Workers> Pool = nullptr);
  ~TraceSimulation();

  enum class Place {
    LaunchEnd,
    Pause, ///< there is nothing more yet
    End,
  };
  /// To the next of these.
  Result<Place> advance();
  /// At the end, once.
  SimulationResults finish();
  /// To the end, of a trace that is written.
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
