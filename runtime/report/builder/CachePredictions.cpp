//===- CachePredictions.cpp - Effects of changes on traffic ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/CachePredictions.h"
#include "cache/TraceSimulation.h"
#include "cache/WhatIf.h"
#include "report/files/UnfinishedFile.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>

namespace gmprof {

using namespace cache;
using analysis::CachePrediction;

namespace {

struct TrafficBytes {
  uint64_t L2 = 0, Dram = 0;
};

/// Simulates changes of one launch.
class Predictor {
  const CacheProfile &Caches;
  const uint32_t Kernel, Launch;
  std::vector<CachePrediction> &To;
  /// Traffic before any change, as traced and with the modelled order of blocks. Simulated on
  /// demand.
  std::optional<Result<TrafficBytes>> Traced, Modelled;

  WhatIf whatIf() const {
    WhatIf What;
    What.Launch = Launch;
    What.AcceptsIncomplete = true;
    return What;
  }
  Result<TrafficBytes> simulated(const WhatIf &What) const;
  const Result<TrafficBytes> &before(bool Models);
  /// Returns false if the change cannot be simulated. Models: After models the order of blocks.
  bool predict(std::string Name, std::string What, const WhatIf &After, bool Models);

public:
  Predictor(const CacheProfile &Caches, uint32_t Kernel, uint32_t Launch,
            std::vector<CachePrediction> &To)
      : Caches(Caches), Kernel(Kernel), Launch(Launch), To(To) {}
  void swap();
  void reshape();
};

} // namespace

Result<TrafficBytes> Predictor::simulated(const WhatIf &What) const {
  const UnfinishedFile Changed = UnfinishedFile::temporary("gmprof-trace");
  if (const Result<uint64_t> Written = rewriteTrace(Caches.Path, Changed.path(), What); !Written)
    return Error{Written.error()};
  SimulationOptions Options = Caches.Results.Options;
  Options.Sampled = 1;
  Options.FindsRefetches = false;
  const Result<SimulationResults> R = simulateTrace(Changed.path(), Caches.Results.Gpu, Options);
  if (!R)
    return Error{R.error()};
  TrafficBytes Bytes;
  for (const Cell &C : R->Cells) {
    Bytes.L2 += C.Counts.l1Traffic() * SectorBytes;
    Bytes.Dram += (C.Counts.DramReads + C.Counts.DramWrites) * SectorBytes;
  }
  return Bytes;
}

const Result<TrafficBytes> &Predictor::before(bool Models) {
  std::optional<Result<TrafficBytes>> &Known = Models ? Modelled : Traced;
  if (!Known) {
    WhatIf Same = whatIf();
    if (Models)
      Same.Block = {0, 0, 0};
    Known = simulated(Same);
  }
  return *Known;
}

bool Predictor::predict(std::string Name, std::string What, const WhatIf &After, bool Models) {
  CachePrediction Change;
  Change.Kernel = Kernel;
  Change.Name = std::move(Name);
  Change.What = std::move(What);
  const Result<TrafficBytes> Now = simulated(After);
  if (!Now)
    Change.Refused = Now.error();
  else if (const Result<TrafficBytes> &Then = before(Models); !Then)
    Change.Refused = Then.error();
  else {
    Change.L2BytesBefore = Then->L2;
    Change.DramBytesBefore = Then->Dram;
    Change.L2BytesAfter = Now->L2;
    Change.DramBytesAfter = Now->Dram;
  }
  To.push_back(std::move(Change));
  return To.back().Refused.empty();
}

void Predictor::swap() {
  const TraceLaunch &L = Caches.Results.Launches[Launch].Launch;
  WhatIf Grid = whatIf(), Threads = whatIf();
  Grid.SwapGrid = Threads.SwapThreads = true;
  if (L.Block[1] != 1 || L.Grid[1] != 1)
    predict("swap_grid", "x and y of the threads' indices were swapped", Grid, /*Models=*/true);
  if (L.Block[0] != 1 && L.Block[1] != 1)
    predict("swap_threads", "x and y of the threads were swapped within each block", Threads,
            /*Models=*/false);
}

/// Predicts blocks whose warps span one, two and four rows.
void Predictor::reshape() {
  const TraceLaunch &L = Caches.Results.Launches[Launch].Launch;
  const auto Threads = static_cast<uint32_t>(L.blockThreads());
  if (L.Block[2] != 1 || (L.Block[1] == 1 && L.Grid[1] == 1))
    return; // a single row of threads gives the same warps in any shape
  for (const uint32_t Width : {32U, 16U, 8U}) {
    if (Threads % Width != 0 || Width == L.Block[0])
      continue;
    WhatIf Other = whatIf();
    Other.Block = {Width, Threads / Width, 1};
    if (!predict(fmt::format("block_{}x{}", Width, Threads / Width),
                 fmt::format("its blocks were of {} x {} threads", Width, Threads / Width), Other,
                 /*Models=*/true))
      return; // the other shapes would be refused too
  }
}

std::vector<CachePrediction> predictChanges(const profile::Profile &P, const CacheProfile &Caches) {
  std::vector<CachePrediction> Predictions;
  if (!Caches.Problem.empty())
    return Predictions;
  const std::vector<analysis::KernelCacheUse> Uses = analysis::cacheUse(P, Caches.Results);
  analysis::PoorCacheLocalityOptions Options;
  Options.Sampled = Caches.Results.Options.Sampled;
  std::vector<analysis::Finding> Found = analysis::poorCacheLocality(P, Uses, {}, Options);
  std::ranges::sort(Found, std::greater(), [](const analysis::Finding &F) {
    return std::tuple(F.Level, F.BytesSaved, std::string_view(F.Fingerprint));
  });
  std::vector<uint64_t> Requests(Caches.Results.Launches.size());
  for (const Cell &C : Caches.Results.Cells)
    Requests[C.Launch] += C.Counts.Requests;
  std::set<uint32_t> Done;
  uint64_t Left = MostRequestsPredictedTogether;
  for (const analysis::Finding &F : Found) {
    if (!Done.insert(F.Kernel).second)
      continue;
    const auto Use =
        std::find_if(Uses.begin(), Uses.end(), [&](const auto &U) { return U.Kernel == F.Kernel; });
    const uint64_t Own = Requests[Use->HeaviestLaunch];
    if (Own > std::min(Left, MostRequestsPredicted))
      continue;
    Left -= Own;
    Predictor Each(Caches, F.Kernel, Use->HeaviestLaunch, Predictions);
    Each.swap();
    Each.reshape();
  }
  return Predictions;
}

} // namespace gmprof
