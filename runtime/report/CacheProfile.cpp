//===- CacheProfile.cpp - The caches of a run that was traced -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/CacheProfile.h"
#include "cache/TraceFormat.h"
#include "cache/TraceSimulation.h"
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

static Result<SimulationResults> simulate(const std::string &Path) {
  const auto Reader = TraceReader::open(Path, /*AcceptsIncomplete=*/true);
  if (!Reader)
    return Error{Reader.error()};
  const Result<Architecture> Gpu = architectureOf((*Reader)->device());
  if (!Gpu)
    return Error{Gpu.error()};
  const Result<uint64_t> Requests = countRequests(**Reader);
  if (!Requests)
    return Error{Requests.error()};
  SimulationOptions Options;
  Options.Threads = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
  Options.Sampled = linesSampledFor(*Requests);
  Options.AcceptsIncomplete = Options.FindsRefetches = true;
  // With what is noted of sectors (SeenSectors.h), less than 1 GiB.
  Options.MemoryBytes = uint64_t(1) << 27;
  return simulateTrace(Path, *Gpu, Options);
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
