//===- SimulatorBench.cpp - Speed of simulating caches --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   gmprof-cache-bench [threads [part of the name of a kind, or "" [turns]]]
//
// Prints, for requests of different kinds, millions of sector accesses per second of processor
// time: all stages on one thread, also with the counts of refetches that findings need; from a
// trace's file; and the same on the given number of threads. The fastest of several turns counts,
// as other load of a shared machine only slows a turn down. The printed sums must not change when
// the simulator is made faster.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "cache/TraceSimulation.h"
#include "cache/TraceWriter.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>

using namespace gmprof;
using namespace gmprof::cache;
using namespace gmprof::cache_bench;

namespace {

/// Time of simulating requests of a kind in one way.
struct Measured {
  std::string Way;
  double Sectors = 0, Seconds = 0;
  std::string Found;

  double rate() const { return Sectors / Seconds * 1e-6; }
};

/// Returns a hash of all counts.
uint64_t digest(const AccessCounts &C) {
  uint64_t Hash = 0;
  for (const uint64_t Count :
       {C.L1Hits, C.L2Reads, C.L2Writes, C.Coalesced, C.L2Hits, C.OtherPartition, C.DramReads,
        C.DramWrites, C.FetchedAgain, C.DramReadsAgain})
    Hash = mixed(Hash + Count);
  return Hash;
}

AccessCounts sum(const SimulationResults &Results) {
  AccessCounts Sum;
  for (const Cell &C : Results.Cells)
    Sum += C.Counts;
  return Sum;
}

void addObjects(const std::function<void(TraceObject)> &Add) {
  for (uint32_t I = 1; I <= 3; ++I)
    Add({I, "object", uint64_t(I) << 32, uint64_t(1) << 30});
}

double part(uint64_t Of, uint64_t All) {
  return 100.0 * static_cast<double>(Of) / static_cast<double>(std::max<uint64_t>(All, 1));
}

std::vector<Measured> direct(const Pattern &P, Architecture Gpu) {
  std::vector<Measured> Ways;
  for (const auto &[Policy, FindsRefetches] :
       {std::pair(Replacement::GroupedPlru, false), std::pair(Replacement::GroupedPlru, true),
        std::pair(Replacement::TreePlru, false), std::pair(Replacement::Lru, false),
        std::pair(Replacement::Random, false)}) {
    Gpu.L1.Policy = Policy;
    SimulationOptions Options;
    Options.FindsRefetches = FindsRefetches;
    Simulator S(Gpu, Options);
    addObjects([&](TraceObject O) { S.allocate(std::move(O)); });
    S.beginLaunch({});
    double Seconds = 0, L1Seconds = 0;
    produce(P, [&](uint32_t Sm, const std::vector<Request> &Batch) {
      const Timer T;
      S.add(Sm, Batch);
      L1Seconds += T.seconds();
      if (Sm + 1 == Sms && S.full())
        S.drain();
      Seconds += T.seconds();
    });
    const Timer T;
    S.endLaunch();
    Seconds += T.seconds();
    const AccessCounts C = sum(S.finish());
    const auto Sectors = static_cast<double>(C.Sectors);
    const std::string Way = fmt::format("{}{}", ReplacementNames[static_cast<size_t>(Policy)],
                                        FindsRefetches ? ", with what findings need" : "");
    Ways.push_back({Way, Sectors, Seconds,
                    fmt::format("L1 {:5.1f} %  L2 {:5.1f} %  {:016x}", part(C.L1Hits, C.L1Lookups),
                                part(C.L2Hits, C.l2Lookups()), digest(C))});
    Ways.push_back({Way + ", L1 alone", Sectors, L1Seconds, ""});
  }
  return Ways;
}

std::vector<Measured> fromFile(const Pattern &P, const Architecture &Gpu, unsigned Threads) {
  const std::string Path =
      std::filesystem::temp_directory_path() / ("gmprof-cache-bench-" + std::to_string(::getpid()));
  auto W = TraceWriter::create(Path, {"sm_90", "", Sms, 64, 0});
  if (!W)
    return {};
  (*W)->addKernel({"k", false});
  for (uint32_t I = 0; I < 3; ++I)
    (*W)->addSite({0, "", I, "", {}});
  addObjects([&](const TraceObject &O) { (*W)->allocate(O); });
  (*W)->beginLaunch({});
  double Writing = 0;
  produce(P, [&](uint32_t Sm, const std::vector<Request> &Batch) {
    const Timer T;
    (*W)->add(Sm, Batch);
    Writing += T.seconds();
  });
  (*W)->endLaunch();
  const Result<uint64_t> Requests = (*W)->finish();
  std::vector<Measured> Ways;
  double Sectors = 0;
  for (const auto &[Many, Sampled] :
       {std::pair(1U, 1U), std::pair(Threads, 1U), std::pair(1U, 16U)}) {
    SimulationOptions Options;
    Options.Threads = Many;
    Options.Sampled = Sampled;
    const Timer T;
    const Result<SimulationResults> R = simulateTrace(Path, Gpu, Options);
    const double Seconds = T.seconds();
    if (!R) {
      std::fprintf(stderr, "%s\n", R.error().c_str());
      continue;
    }
    Sectors = static_cast<double>(sum(*R).Sectors);
    Ways.push_back(
        {fmt::format("file, {} thread{}, 1 of {} lines", Many, Many == 1 ? "" : "s", Sampled),
         Sectors, Seconds, fmt::format("{:016x}", digest(sum(*R)))});
  }
  const auto Count = static_cast<double>(*Requests);
  Ways.push_back({"writing the file", Sectors, Writing,
                  fmt::format("{:.2f} bytes a request, of {:.1f} sectors",
                              static_cast<double>(std::filesystem::file_size(Path)) / Count,
                              Sectors / Count)});
  std::filesystem::remove(Path);
  return Ways;
}

/// Returns the fastest turn of each way.
std::vector<Measured> fastest(unsigned Turns,
                              const std::function<std::vector<Measured>()> &Measure) {
  std::vector<Measured> Best = Measure();
  for (unsigned Turn = 1; Turn < Turns; ++Turn) {
    const std::vector<Measured> Again = Measure();
    for (size_t I = 0; I < std::min(Best.size(), Again.size()); ++I)
      if (Again[I].Seconds < Best[I].Seconds)
        Best[I] = Again[I];
  }
  return Best;
}

void print(const char *Name, const Measured &M) {
  std::printf("%-32s %-48s %7.1f M/s  %s\n", Name, M.Way.c_str(), M.rate(), M.Found.c_str());
}

} // namespace

int main(int Argc, char **Argv) {
  const auto Number = [&](int I, unsigned Default) {
    return Argc > I ? std::max(1U, static_cast<unsigned>(std::strtoul(Argv[I], nullptr, 10)))
                    : Default;
  };
  const unsigned Threads = Number(1, 2), Turns = Number(3, 3);
  const std::string_view Chosen = Argc > 2 ? Argv[2] : "";
  const Result<Architecture> Gpu = readArchitecture("sm_90");
  if (!Gpu) {
    std::fprintf(stderr, "%s\n", Gpu.error().c_str());
    return 1;
  }
  std::vector<Measured> Together; // the same number of sectors of each kind
  for (const Pattern &P : Patterns) {
    if (std::string_view(P.Name).find(Chosen) == std::string_view::npos)
      continue;
    std::vector<Measured> Ways = fastest(Turns, [&] { return direct(P, *Gpu); });
    std::ranges::move(fastest(Turns, [&] { return fromFile(P, *Gpu, Threads); }),
                      std::back_inserter(Ways));
    Together.resize(std::max(Together.size(), Ways.size()));
    for (size_t I = 0; I < Ways.size(); ++I) {
      print(P.Name, Ways[I]);
      Together[I].Way = Ways[I].Way;
      Together[I].Sectors += 1;
      Together[I].Seconds += Ways[I].Seconds / Ways[I].Sectors;
    }
  }
  for (const Measured &M : Together)
    print("as many sectors of each", M);
}
