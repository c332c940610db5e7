//===- CacheProfile.cpp - The caches of a run that was traced -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/CacheProfile.h"
#include "cache/TraceFormat.h"
#include <algorithm>
#include <filesystem>
#include <thread>

namespace gmprof {

using namespace cache;

uint32_t linesSampledFor(uint64_t Requests) {
  constexpr uint64_t Whole = uint64_t(1) << 21;
  // Beyond, an L1 cache of a few KB would have no more than a line or two.
  constexpr uint32_t Most = 64;
  uint32_t Sampled = 1;
  while (Sampled < Most && Requests / Sampled > Whole)
    Sampled *= 2;
  return Sampled;
}

/// Those that the trace holds. They are not unpacked.
static Result<uint64_t> countRequests(TraceReader &Reader) {
  uint64_t Requests = 0;
  while (true) {
    const Result<TraceItem> Item = Reader.next();
    if (!Item)
      return Error{Item.error()};
    if (const auto *Chunk = std::get_if<RequestChunk>(&*Item))
      Requests += Chunk->Count;
    else if (std::holds_alternative<TraceEnd>(*Item))
      return Requests;
  }
}

/// The reason if that is not possible, or nothing.
std::string CacheSimulation::open(bool Growing) {
  const auto Reader = TraceReader::open(Path, /*AcceptsIncomplete=*/true);
  if (!Reader)
    return Reader.error();
  const Result<Architecture> Gpu = architectureOf((*Reader)->device());
  if (!Gpu)
    return Gpu.error();
  const Result<uint64_t> Requests = countRequests(**Reader);
  if (!Requests)
    return Requests.error();
  Sampled = linesSampledFor(*Requests);
  SimulationOptions Options;
  Options.Threads = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
  Options.Sampled = Sampled;
  Options.AcceptsIncomplete = Options.FindsRefetches = true;
  // With what is noted of sectors (SeenSectors.h), less than 1 GiB.
  Options.MemoryBytes = uint64_t(1) << 27;
  Result<std::unique_ptr<TraceSimulation>> Opened = TraceSimulation::open(Path, *Gpu, Options);
  if (!Opened)
    return Opened.error();
  Simulation = std::move(*Opened);
  Simulation->setGrowing(Growing);
  return "";
}

TraceSimulation::Step CacheSimulation::step() {
  const Result<TraceSimulation::Step> Step = Simulation->step();
  if (!Step) {
    Problem = Step.error();
    return TraceSimulation::Step::Ends;
  }
  if (linesSampledFor(Simulation->requests()) <= Sampled)
    return *Step;
  Simulation.reset();
  return TraceSimulation::Step::GoesOn;
}

void CacheSimulation::follow(const std::atomic<bool> &Ended) {
  while (Problem.empty() && !Ended) {
    if (!Simulation && !open(/*Growing=*/true).empty())
      return; // too little of it is there
    if (step() != TraceSimulation::Step::GoesOn)
      return;
  }
}

std::optional<CacheProfile> CacheSimulation::finish() {
  std::error_code Ignored;
  if (!std::filesystem::exists(Path, Ignored))
    return std::nullopt;
  if (Simulation)
    Simulation->setGrowing(false);
  for (bool More = true; More && Problem.empty();) {
    if (!Simulation)
      Problem = open(/*Growing=*/false);
    More = Problem.empty() && step() != TraceSimulation::Step::Ends;
  }
  CacheProfile Made;
  Made.Path = Path;
  Made.Problem = Problem;
  if (Problem.empty())
    Made.Results = Simulation->finish();
  Simulation.reset();
  return Made;
}

} // namespace gmprof
