//===- CacheProfile.cpp - Cache simulation of a traced run ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/CacheProfile.h"
#include "cache/TraceFormat.h"
#include "cache/TraceSimulation.h"
#include "report/builder/LineSampling.h"
#include <algorithm>
#include <filesystem>
#include <thread>

namespace gmprof {

using namespace cache;

/// Returns the sampling rate for the trace, without unpacking requests.
static Result<uint32_t> linesSampled(TraceReader &Reader) {
  LineSampling Sampling;
  while (true) {
    const Result<TraceItem> Item = Reader.next();
    if (!Item)
      return Error{Item.error()};
    if (std::holds_alternative<TraceEnd>(*Item))
      return Sampling.lines();
    Sampling.add(*Item);
  }
}

unsigned mostSimulatingThreads() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
}

Result<std::unique_ptr<TraceSimulation>> openSimulation(const std::string &Path,
                                                        const TraceDevice &Device,
                                                        uint32_t LinesSampled, bool Grows,
                                                        std::shared_ptr<Workers> Pool) {
  const Result<Architecture> Gpu = architectureOf(Device);
  if (!Gpu)
    return Error{Gpu.error()};
  SimulationOptions Options;
  Options.Threads = mostSimulatingThreads();
  Options.Sampled = LinesSampled;
  Options.AcceptsIncomplete = Options.FindsRefetches = true;
  // Uses less than 1 GiB, including the state of sectors (SeenSectors.h).
  Options.MemoryBytes = uint64_t(1) << 27;
  return TraceSimulation::open(Path, *Gpu, Options, Grows, std::move(Pool));
}

static Result<SimulationResults> simulate(const std::string &Path) {
  const auto Reader = TraceReader::open(Path, /*AcceptsIncomplete=*/true);
  if (!Reader)
    return Error{Reader.error()};
  const Result<uint32_t> Lines = linesSampled(**Reader);
  if (!Lines)
    return Error{Lines.error()};
  const auto Simulation = openSimulation(Path, (*Reader)->device(), *Lines, /*Grows=*/false);
  if (!Simulation)
    return Error{Simulation.error()};
  return (*Simulation)->all();
}

std::optional<CacheProfile> simulateTraceOf(const std::string &LogPath) {
  CacheProfile Made;
  Made.Path = tracePathOf(LogPath);
  std::error_code Ignored;
  if (!std::filesystem::exists(Made.Path, Ignored))
    return std::nullopt;
  Result<SimulationResults> R = simulate(Made.Path);
  if (R)
    Made.Results = std::move(*R);
  else
    Made.Problem = R.error();
  return Made;
}

} // namespace gmprof
