//===- CachePredictions.cpp - What changes would do to traffic ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/CachePredictions.h"
#include "cache/TraceSimulation.h"
#include "cache/WhatIf.h"
#include "report/UnfinishedFile.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gmprof {

using namespace cache;
using analysis::CachePrediction;

namespace {

struct TrafficBytes {
  uint64_t L2 = 0, Dram = 0;
};

/// Of one launch.
class Predictor {
  const CacheProfile &Caches;
  const uint32_t Kernel, Launch;
  std::vector<CachePrediction> &To;

  WhatIf whatIf() const {
    WhatIf What;
    What.Launch = Launch;
    What.AcceptsIncomplete = true;
    return What;
  }
  Result<TrafficBytes> simulated(const WhatIf &What) const;
  void predict(CachePrediction Change, const WhatIf &Before, const WhatIf &After) const;

public:
  Predictor(const CacheProfile &Caches, uint32_t Kernel, uint32_t Launch,
            std::vector<CachePrediction> &To)
      : Caches(Caches), Kernel(Kernel), Launch(Launch), To(To) {}
  void swapThreads() const;
  void reshape() const;
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
    Bytes.L2 += C.Counts.l2Lookups() * SectorBytes;
    Bytes.Dram += (C.Counts.DramReads + C.Counts.DramWrites) * SectorBytes;
  }
  return Bytes;
}

void Predictor::predict(CachePrediction Change, const WhatIf &Before, const WhatIf &After) const {
  Change.Kernel = Kernel;
  const Result<TrafficBytes> Now = simulated(After);
  const Result<TrafficBytes> Then = Now ? simulated(Before) : Error{Now.error()};
  if (Then) {
    Change.L2BytesBefore = Then->L2;
    Change.DramBytesBefore = Then->Dram;
    Change.L2BytesAfter = Now->L2;
    Change.DramBytesAfter = Now->Dram;
  } else {
    Change.Refused = Then.error();
  }
  To.push_back(std::move(Change));
}

void Predictor::swapThreads() const {
  const TraceLaunch &L = Caches.Results.Launches[Launch].Launch;
  if (L.Block[0] == 1 || L.Block[1] == 1)
    return;
  WhatIf Swapped = whatIf();
  Swapped.SwapThreads = true;
  CachePrediction Change;
  Change.Name = "swap_threads";
  Change.What = "x and y of the threads' indices were swapped";
  predict(std::move(Change), whatIf(), Swapped);
}

/// Warps of one, two and four rows.
void Predictor::reshape() const {
  const TraceLaunch &L = Caches.Results.Launches[Launch].Launch;
  const auto Threads = static_cast<uint32_t>(L.blockThreads());
  if (L.Block[2] != 1 || (L.Block[1] == 1 && L.Grid[1] == 1))
    return; // of a line of threads any shape has the same warps
  for (const uint32_t Width : {32U, 16U, 8U}) {
    if (Threads % Width != 0 || Width == L.Block[0])
      continue;
    WhatIf Same = whatIf(), Other = whatIf();
    Same.Block = {0, 0, 0};
    Other.Block = {Width, Threads / Width, 1};
    CachePrediction Change;
    Change.Name = fmt::format("block_{}x{}", Width, Threads / Width);
    Change.What = fmt::format("its blocks were of {} x {} threads", Width, Threads / Width);
    predict(std::move(Change), Same, Other);
    if (!To.back().Refused.empty())
      return; // as the others will be
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
  analysis::rank(Found);
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
    const Predictor Each(Caches, F.Kernel, Use->HeaviestLaunch, Predictions);
    Each.swapThreads();
    Each.reshape();
  }
  return Predictions;
}

} // namespace gmprof
