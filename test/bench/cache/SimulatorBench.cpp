//===- SimulatorBench.cpp - How fast caches are simulated -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   gmprof-cache-bench [threads [part of the name of a kind, or "" [turns]]]
//
// Prints, for requests of different kinds, millions of sector accesses a second of processor
// time: all stages on one thread, also with what findings need to know of refetches; from a trace's
// file; and that on as many threads as are given. Of some turns the fastest counts, as what else a
// shared machine does only makes any of them slower. The sums that are printed are to stay as they
// are when the simulator is made faster.
//
//===----------------------------------------------------------------------===//

#include "cache/TraceSimulation.h"
#include "cache/TraceWriter.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <unistd.h>

using namespace gmprof;
using namespace gmprof::cache;

namespace {

constexpr unsigned Sms = 132, BatchRequests = 1024;
constexpr unsigned WarpsOfSm = 64,
                   WarpsOfBlock = 8; ///< requests of an SM: a multiple of the former

/// What it took to simulate requests of a kind in some way.
struct Measured {
  std::string Way;
  double Sectors = 0, Seconds = 0;
  std::string Found;

  double rate() const { return Sectors / Seconds * 1e-6; }
};

struct Pattern {
  const char *Name;
  unsigned RequestsPerSm;
  /// The I-th request of an SM.
  std::function<void(uint64_t Sm, uint64_t I, Request &R)> Make;
};

uint64_t hashed(uint64_t X) { return mixed(X + 0x9e3779b97f4a7c15); }

void words(Request &R, uint64_t Base, int64_t Stride = 4) {
  R.Affine = true;
  R.Addresses[0] = Base;
  R.Stride = Stride;
}

const Pattern Patterns[] = {
    {"stream: read, read, write", 29952,
     [](uint64_t Sm, uint64_t I, Request &R) {
       R.Site = I % 3;
       R.Kind = R.Site == 2 ? AccessKind::Store : AccessKind::Load;
       words(R, (uint64_t(1) + R.Site) << 32 | (I / 3 * Sms + Sm) * 128);
     }},
    {"matrix product: a word, a row", 29952,
     [](uint64_t Sm, uint64_t I, Request &R) {
       R.Site = I % 2;
       const uint64_t K = I / 2 % 1024, Row = Sm + I / 2048 * Sms;
       if (R.Site == 0)
         words(R, uint64_t(1) << 32 | (Row * 1024 + K) * 4, 0);
       else
         words(R, uint64_t(2) << 32 | (K * 1024 + Row * 32 % 1024) * 4);
     }},
    {"columns: a line for each lane", 4032,
     [](uint64_t Sm, uint64_t I, Request &R) {
       words(R, uint64_t(1) << 32 | (Sm * 32 * 4096 + I % 1024) * 4, 4096 * 4);
     }},
    {"gather: 64 MB at random", 4032,
     [](uint64_t Sm, uint64_t I, Request &R) {
       for (uint64_t Lane = 0; Lane < WarpLanes; ++Lane)
         R.Addresses[Lane] =
             uint64_t(1) << 32 | (hashed((Sm << 40) + I * WarpLanes + Lane) % (1U << 24)) * 4;
     }},
    {"gather: 1 MB at random", 4032,
     [](uint64_t Sm, uint64_t I, Request &R) {
       for (uint64_t Lane = 0; Lane < WarpLanes; ++Lane)
         R.Addresses[Lane] =
             uint64_t(1) << 32 | (hashed((Sm << 40) + I * WarpLanes + Lane) % (1U << 18)) * 4;
     }},
};

/// Of the process, whatever else the machine does: several threads count together.
struct Timer {
  double Start = now();

  static double now() {
    timespec T = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
    return static_cast<double>(T.tv_sec) + static_cast<double>(T.tv_nsec) * 1e-9;
  }
  double seconds() const { return now() - Start; }
};

/// Of all counts: differs if any of them does.
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

/// The number of the request that an SM makes as its I-th one: its warps make one each, in an order
/// that is another one each time.
uint64_t inOrderOfWarps(uint64_t Sm, uint64_t I) {
  return I ^ hashed(Sm << 32 | I / WarpsOfSm) % WarpsOfSm;
}

/// Calls To(Sm, Requests) for all of them, a batch of each SM in turn.
template <typename Consumer> void produce(const Pattern &P, const Consumer &To) {
  std::vector<Request> Batch;
  for (uint64_t First = 0; First < P.RequestsPerSm; First += BatchRequests)
    for (uint32_t Sm = 0; Sm < Sms; ++Sm) {
      Batch.assign(std::min<uint64_t>(BatchRequests, P.RequestsPerSm - First), {});
      for (uint64_t I = 0; I < Batch.size(); ++I) {
        const uint64_t Number = inOrderOfWarps(Sm, First + I);
        Request &R = Batch[I];
        R.Slot = static_cast<uint16_t>(Number % WarpsOfSm);
        R.Block = Sm + R.Slot / WarpsOfBlock * Sms;
        R.Warp = R.Slot % WarpsOfBlock;
        P.Make(Sm, Number, R);
      }
      To(Sm, Batch);
    }
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

/// Of each way the fastest turn.
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
  std::vector<Measured> Together; // as many sectors of each kind
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
