//===- TraceSimulation.cpp - Simulation of a trace ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/TraceSimulation.h"
#include "profile/Progress.h"
#include <algorithm>
#include <atomic>
#include <utility>

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

unsigned simulatingThreads(const TraceSize &Launch, unsigned Most) {
  constexpr uint64_t WorthAThread = uint64_t(1) << 16;
  return static_cast<unsigned>(
      std::clamp<uint64_t>(Launch.regularRequests() / WorthAThread, 1, std::max(Most, 1U)));
}

/// Requests of a launch by simulated SM.
class TraceSimulation::LaunchRequests {
  const TraceReader &Reader;
  const unsigned MostThreads;
  /// Decoded requests in memory per SM.
  static constexpr uint32_t AtATime = 64;
  struct OfSm {
    std::vector<RequestChunk> Chunks;
    size_t Next = 0; ///< index of the next chunk
    OpenChunk Open;
    std::vector<Request> Requests;
  };
  std::vector<OfSm> Sms;
  TraceSize Size;
  std::atomic<bool> Good = true;
  std::atomic<uint64_t> Done; ///< bytes of the file

  /// Opens the next chunk if the current one is used up; returns whether there are requests left.
  bool openNext(OfSm &Of) {
    while (Of.Open.Left == 0) {
      if (Of.Next == Of.Chunks.size())
        return false;
      const RequestChunk &Chunk = Of.Chunks[Of.Next++];
      progress("simulating caches", Done += Chunk.Bytes, Reader.bytes());
      if (!Reader.open(Chunk, Of.Open)) {
        Good = false;
        return false;
      }
    }
    return true;
  }

  std::span<const Request> next(OfSm &Of) {
    if (!Good || !openNext(Of))
      return {};
    if (TraceReader::unpack(Of.Open, AtATime, Of.Requests))
      return Of.Requests;
    Good = false;
    return {};
  }

public:
  LaunchRequests(const TraceReader &Reader, uint32_t Sms, unsigned MostThreads)
      : Reader(Reader), MostThreads(MostThreads), Sms(Sms) {}

  /// Adds a chunk. SMs that share a simulated one follow each other in file order.
  void add(const RequestChunk &Chunk) {
    Sms[Chunk.Sm % Sms.size()].Chunks.push_back(Chunk);
    Size.add(Chunk);
  }

  /// Simulates the launch to its end.
  void run(Simulator &Sim, const TraceLaunchEnd &End) {
    std::vector<uint64_t> Counts;
    for (const OfSm &Of : Sms) {
      Counts.push_back(0);
      for (const RequestChunk &Chunk : Of.Chunks)
        Counts.back() += Chunk.Count;
    }
    Sim.allowThreads(simulatingThreads(std::exchange(Size, {}), MostThreads));
    Sim.run(Counts, [&](uint32_t Sm) { return next(Sms[Sm]); });
    Sim.endLaunch(End);
    Sim.allowThreads(MostThreads); // copies may write much more
    for (OfSm &Of : Sms) {
      Of.Chunks.clear();
      Of.Next = 0;
    }
  }
  /// Returns whether all chunks were intact.
  bool good() const { return Good; }
};

TraceSimulation::TraceSimulation(std::unique_ptr<TraceReader> TheReader, const Architecture &Gpu,
                                 const SimulationOptions &Options, std::shared_ptr<Workers> Pool)
    : Reader(std::move(TheReader)), Sim(Gpu, Options, std::move(Pool)),
      Requests(std::make_unique<LaunchRequests>(*Reader, Sim.sms(), Options.Threads)) {}

TraceSimulation::~TraceSimulation() = default;

Result<std::unique_ptr<TraceSimulation>>
TraceSimulation::open(const std::string &Path, const Architecture &Gpu,
                      const SimulationOptions &Options, bool Grows, std::shared_ptr<Workers> Pool) {
  Result<std::unique_ptr<TraceReader>> Reader = TraceReader::open(Path, Options.AcceptsIncomplete);
  if (!Reader)
    return Error{Reader.error()};
  (*Reader)->setGrowing(Grows);
  return std::unique_ptr<TraceSimulation>(
      new TraceSimulation(std::move(*Reader), Gpu, Options, std::move(Pool)));
}

Result<TraceSimulation::Place> TraceSimulation::advance() {
  while (true) {
    Result<TraceItem> Item = Reader->next();
    if (!Item)
      return Error{Item.error()};
    if (const auto *Chunk = std::get_if<RequestChunk>(&*Item))
      Requests->add(*Chunk);
    else if (auto *Kernel = std::get_if<TraceKernel>(&*Item))
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
    else if (const auto *End = std::get_if<TraceLaunchEnd>(&*Item)) {
      Requests->run(Sim, *End);
      if (!Requests->good())
        return Reader->damaged();
      return Place::LaunchEnd;
    } else
      return std::holds_alternative<TracePause>(*Item) ? Place::Pause : Place::End;
  }
}

SimulationResults TraceSimulation::finish() {
  SimulationResults R = Sim.finish();
  R.Complete = Reader->complete();
  return R;
}

Result<SimulationResults> TraceSimulation::all() {
  while (true) {
    const Result<Place> At = advance();
    if (!At)
      return Error{At.error()};
    if (*At == Place::End)
      return finish();
  }
}

Result<SimulationResults> simulateTrace(const std::string &Path, const Architecture &Gpu,
                                        const SimulationOptions &Options) {
  const auto Simulation = TraceSimulation::open(Path, Gpu, Options);
  if (!Simulation)
    return Error{Simulation.error()};
  return (*Simulation)->all();
}

} // namespace gmprof::cache
