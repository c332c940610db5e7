//===- SummaryBuilder.cpp - Builds a Summary from a Profile ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/SummaryBuilder.h"
#include "analysis/Analyze.h"
#include "report/builder/AccessSummary.h"
#include "report/builder/CacheProfile.h"
#include "report/builder/CacheSummary.h"
#include "report/builder/CoverageSummary.h"
#include "report/builder/FindingSummary.h"
#include "report/builder/GlobalSummary.h"
#include "report/builder/HeatSummary.h"
#include "report/builder/KernelSummary.h"
#include "report/builder/MemorySummary.h"
#include "report/builder/ObjectsSummary.h"
#include "report/builder/RunSummary.h"
#include "report/builder/SharedSummary.h"
#include "report/builder/SyncSummary.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gmprof {

using profile::Profile;

static analysis::SyncRuns runsOf(const Profile &P, const SyncStages *Stages) {
  return P.TheRun.recordsCalls() ? syncRuns(P, Stages) : analysis::SyncRuns();
}

static analysis::AnalysisInput inputOf(const analysis::SyncRuns &Runs, const CacheProfile *Caches) {
  if (!Caches || !Caches->Problem.empty())
    return {Runs};
  return {Runs, &Caches->Results, &Caches->Predictions};
}

namespace {

class Builder {
public:
  Builder(const Profile &P, std::optional<int> ExitStatus, const SyncStages *Stages,
          const CacheProfile *Caches)
      : P(P), ExitStatus(ExitStatus), Caches(Caches), Runs(runsOf(P, Stages)),
        Found(analysis::analyze(P, inputOf(Runs, Caches))), Memory(P, Found.Objects),
        Sync(P, Stages, Runs, Found.Sync) {}

  SummaryAndFiles build();

private:
  void kernels();
  void heat();
  void caches(SummaryAndFiles &Result);

  const Profile &P;
  std::optional<int> ExitStatus;
  const CacheProfile *Caches; ///< may be null
  const analysis::SyncRuns Runs;
  analysis::Analyses Found;
  summary::Summary S;
  ObjectsSummary GlobalObjects{P, S};
  SharedSummary SharedObjects{P, S};
  MemorySummary Memory;
  SyncSummary Sync;
  std::string GlobalCounts;
};

} // namespace

/// Found.Heat is in the order of the kernels.
void Builder::heat() {
  for (auto From = Found.Heat.begin(); From != Found.Heat.end();) {
    const uint32_t Kernel = From->Kernel;
    const auto To = std::find_if(From, Found.Heat.end(),
                                 [&](const analysis::LaunchHeat &L) { return L.Kernel != Kernel; });
    S.kernels[Kernel].heat = heatSummary(
        {From, To},
        {[&](uint64_t Id) { return GlobalObjects.indexOf(Id); },
         [&](const analysis::ArrayHeat &A) { return SharedObjects.indexOf(Kernel, A); }});
    From = To;
  }
}

void Builder::caches(SummaryAndFiles &Result) {
  if (!Caches || !Caches->Problem.empty())
    return;
  CacheSummary Made = cacheSummary(P, Caches->Results, [&](uint64_t Id) {
    const std::optional<uint32_t> Index = GlobalObjects.find(Id);
    return Index ? &S.objects[*Index] : nullptr;
  });
  S.cache = std::move(Made.Content);
  summary::File File = {"cache_accesses", "cache_accesses.csv", "csv",
                        "what the simulated caches did, by kernel, object, line and kind of "
                        "access"};
  if (Made.LinesOmitted != 0)
    File.description += fmt::format("; {} with the fewest sectors are left out", Made.LinesOmitted);
  S.files.push_back(File);
  Result.Files.push_back({File, CacheAccessesHeader + Made.Lines});
}

void Builder::kernels() {
  addKernels(P, S);
  addKernelTimes(Found.KernelTimes, S);
  for (const analysis::KernelSharedUse &Use : Found.Shared)
    SharedObjects.add(Use);
  addObjectAccesses(P, S.kernels, [&](uint64_t Id) { return GlobalObjects.listed(Id); });
  heat();
  uint64_t LinesLeft = MaxGlobalCountLines;
  for (const analysis::KernelGlobalUse &Use : Found.Global)
    S.kernels[Use.Kernel].global_memory = globalUse(
        P, Use, [&](uint64_t Id) { return GlobalObjects.indexOf(Id); }, GlobalCounts, LinesLeft);
}

SummaryAndFiles Builder::build() {
  SummaryAndFiles Result;
  addRun(P, ExitStatus, S);
  GlobalObjects.build();
  Memory.addTo(S, GlobalObjects);
  Sync.addTo(S, GlobalObjects);
  kernels();
  caches(Result);
  addCoverage(P, Found, Caches, Memory.coverage(), S);
  addFindings(P, Found.Findings, GlobalObjects, SharedObjects, S);
  if (const std::string &Counts = SharedObjects.counts(); !Counts.empty()) {
    summary::File File = {"shared_counts", "shared_counts.csv", "csv",
                          "accesses of each element or word of shared memory, summed over the "
                          "blocks counted"};
    S.files.push_back(File);
    Result.Files.push_back({File, SharedCountsHeader + Counts});
  }
  if (!GlobalCounts.empty()) {
    summary::File File = {"global_counts", "global_counts.csv", "csv",
                          "accesses of each element of global memory, summed over the launches "
                          "profiled"};
    S.files.push_back(File);
    Result.Files.push_back({File, GlobalCountsHeader + GlobalCounts});
  }
  if (std::string Lines = Memory.overTime(GlobalObjects); !Lines.empty()) {
    summary::File File = {"memory_over_time", "memory_over_time.csv", "csv",
                          "device memory in use, over the calls that change it"};
    S.files.push_back(File);
    Result.Files.push_back({File, MemoryOverTimeHeader + Lines});
  }
  Result.Content = std::move(S);
  return Result;
}

SummaryAndFiles buildSummary(const Profile &P, std::optional<int> ExitStatus,
                             const SyncStages *Stages, const CacheProfile *Caches) {
  return Builder(P, ExitStatus, Stages, Caches).build();
}

} // namespace gmprof
