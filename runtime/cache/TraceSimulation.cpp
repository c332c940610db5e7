//===- TraceSimulation.cpp - Simulates what a trace holds -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/TraceSimulation.h"
#include "profile/Parallel.h"
#include "profile/Progress.h"
#include <algorithm>
#include <atomic>
#include <map>

namespace gmprof::cache {

Result<Architecture> architectureOf(const TraceDevice &Device) {
  Result<Architecture> Gpu = readArchitecture(Device.Architecture);
  if (!Gpu)
    return Gpu;
  Architecture Own = *Gpu;
  if (Device.Sms != 0)
    Own.Sms = Device.Sms;
  // GPUs of one architecture differ in the number of slices.
  if (Device.L2Kb != 0) {
    Own.L2.Kb = Device.L2Kb;
    Own.L2.Slices = static_cast<uint32_t>(uint64_t(Own.L2.Slices) * Device.L2Kb / Gpu->L2.Kb);
  }
  return Own.impossible().empty() ? Own : *Gpu;
}

namespace {

class Feeder {
  Simulator &Sim;
  const unsigned Threads;
  std::map<uint32_t, std::vector<RequestChunk>> Chunks; ///< by SM
  size_t Count = 0;

  using ChunksOfSm = decltype(Chunks)::value_type;
  /// By simulated SM, which several of the trace may share.
  std::vector<std::vector<const ChunksOfSm *>> bySimulated() const {
    std::map<uint32_t, std::vector<const ChunksOfSm *>> Of;
    for (const ChunksOfSm &Each : Chunks)
      Of[Each.first % Sim.sms()].push_back(&Each);
    std::vector<std::vector<const ChunksOfSm *>> All;
    for (auto &[_, Each] : Of)
      All.push_back(std::move(Each));
    return All;
  }
  bool feed(const ChunksOfSm &Of) {
    thread_local std::vector<Request> Requests;
    for (const RequestChunk &C : Of.second) {
      if (!C.unpack(Requests))
        return false;
      Sim.add(Of.first, Requests);
    }
    return true;
  }
  /// That are fed together, an SM after the other.
  static constexpr size_t MostChunks = 512;

public:
  Feeder(Simulator &Sim, unsigned Threads) : Sim(Sim), Threads(Threads) {}

  bool add(RequestChunk Chunk) {
    Chunks[Chunk.Sm].push_back(std::move(Chunk));
    return ++Count < MostChunks || flush();
  }
  /// False if one was damaged.
  bool flush() {
    if (Chunks.empty())
      return true;
    const std::vector<std::vector<const ChunksOfSm *>> Sms = bySimulated();
    std::atomic<bool> Good = true;
    const auto Feed = [&](size_t I) {
      for (const ChunksOfSm *Each : Sms[I])
        if (!feed(*Each))
          Good = false;
    };
    inParallel(Sms.size(), Feed, Threads);
    Chunks.clear();
    Count = 0;
    if (Sim.full())
      Sim.drain();
    return Good;
  }
};

} // namespace

Result<SimulationResults> simulateTrace(const std::string &Path, const Architecture &Gpu,
                                        const SimulationOptions &Options) {
  Result<std::unique_ptr<TraceReader>> Opened = TraceReader::open(Path, Options.AcceptsIncomplete);
  if (!Opened)
    return Error{Opened.error()};
  TraceReader &Reader = **Opened;
  Simulator Sim(Gpu, Options);
  Feeder Requests(Sim, Options.Threads);
  while (true) {
    Result<TraceItem> Item = Reader.next();
    if (!Item)
      return Error{Item.error()};
    if (auto *Chunk = std::get_if<RequestChunk>(&*Item)) {
      progress("simulating caches", Reader.position(), Reader.bytes());
      if (!Requests.add(std::move(*Chunk)))
        return Reader.damaged();
      continue;
    }
    if (!Requests.flush())
      return Reader.damaged();
    if (auto *Kernel = std::get_if<TraceKernel>(&*Item))
      Sim.addKernel(std::move(*Kernel));
    else if (auto *Site = std::get_if<TraceSite>(&*Item))
      Sim.addSite(std::move(*Site));
    else if (auto *Object = std::get_if<TraceObject>(&*Item))
      Sim.allocate(std::move(*Object));
    else if (const auto *Release = std::get_if<TraceRelease>(&*Item))
      Sim.release(Release->Id);
    else if (const auto *Written = std::get_if<TraceWritten>(&*Item))
      Sim.written(*Written);
    else if (const auto *Launch = std::get_if<TraceLaunch>(&*Item))
      Sim.beginLaunch(*Launch);
    else if (const auto *End = std::get_if<TraceLaunchEnd>(&*Item))
      Sim.endLaunch(*End);
    else
      break;
  }
  SimulationResults R = Sim.finish();
  R.Complete = Reader.complete();
  return R;
}

} // namespace gmprof::cache
