//===- SummaryBuilder.cpp - Builds a Summary from a Profile ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/SummaryBuilder.h"
#include "analysis/cache/PoorCacheLocality.h"
#include "analysis/global/AtomicContention.h"
#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/heat/HeatPatterns.h"
#include "analysis/shared/NoReuseInLiveRange.h"
#include "analysis/shared/SharedMemoryCandidate.h"
#include "analysis/shared/SharedMemoryUse.h"
#include "analysis/shared/UnderusedSharedMemory.h"
#include "profile/ApiTraceBuilder.h"
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
#include <nlohmann/json.hpp>
#include <utility>

namespace gmprof {

using analysis::KernelSharedUse;
using profile::Profile;

/// Returns the bandwidth of the first device that reports it; 0 if none does.
static double memoryBytesPerSecond(const Profile &P) {
  for (const profile::Device &D : P.Devices) {
    const auto J = nlohmann::json::parse(D.AttributesJson, nullptr, false);
    if (J.is_object() && J.contains("memory_bytes_per_second") &&
        J["memory_bytes_per_second"].is_number())
      return std::max(J["memory_bytes_per_second"].get<double>(), 0.0);
  }
  return 0;
}

namespace {

class Builder {
public:
  Builder(const Profile &P, std::optional<int> ExitStatus, const SyncStages *Stages,
          const CacheProfile *Caches)
      : P(P), Uses(analysis::sharedMemoryUse(P)), GlobalUses(analysis::globalMemoryUse(P)),
        HeatUses(analysis::heatUse(P)), ExitStatus(ExitStatus), Caches(Caches),
        Memory(P, buildApiTrace(P)), Sync(P, Stages) {}

  SummaryAndFiles build();

private:
  void kernels();
  void heat();
  void caches(SummaryAndFiles &Result);
  std::vector<analysis::Finding> findings() const;

  const Profile &P;
  std::vector<KernelSharedUse> Uses;
  std::vector<analysis::KernelGlobalUse> GlobalUses;
  std::vector<analysis::LaunchHeat> HeatUses;
  std::optional<int> ExitStatus;
  const CacheProfile *Caches; ///< may be null
  summary::Summary S;
  ObjectsSummary GlobalObjects{P, S};
  SharedSummary SharedObjects{P, S};
  MemorySummary Memory;
  SyncSummary Sync;
  std::string GlobalCounts;
};

} // namespace

/// HeatUses are in the order of the kernels.
void Builder::heat() {
  for (auto From = HeatUses.begin(); From != HeatUses.end();) {
    const uint32_t Kernel = From->Kernel;
    const auto To = std::find_if(From, HeatUses.end(),
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
  for (const KernelSharedUse &Use : Uses)
    SharedObjects.add(Use);
  addObjectAccesses(P, S.kernels, [&](uint64_t Id) { return GlobalObjects.indexOf(Id); });
  heat();
  uint64_t LinesLeft = MaxGlobalCountLines;
  for (const analysis::KernelGlobalUse &Use : GlobalUses)
    S.kernels[Use.Kernel].global_memory = globalUse(
        P, Use, [&](uint64_t Id) { return GlobalObjects.indexOf(Id); }, GlobalCounts, LinesLeft);
}

std::vector<analysis::Finding> Builder::findings() const {
  std::vector<analysis::Finding> Findings = analysis::underusedSharedMemory(P, Uses);
  for (analysis::Finding &F : analysis::noReuseInLiveRange(P, Uses))
    Findings.push_back(std::move(F));
  for (analysis::Finding &F : analysis::sharedMemoryCandidates(P, GlobalUses, Uses))
    Findings.push_back(std::move(F));
  for (analysis::Finding &F : analysis::atomicContention(P, GlobalUses))
    Findings.push_back(std::move(F));
  for (analysis::Finding &F : analysis::heatFindings(P, HeatUses))
    Findings.push_back(std::move(F));
  if (Caches && Caches->Problem.empty()) {
    analysis::PoorCacheLocalityOptions Options;
    Options.Sampled = Caches->Results.Options.Sampled;
    Options.DramBytesPerSecond = memoryBytesPerSecond(P);
    for (analysis::Finding &F : analysis::poorCacheLocality(
             P, analysis::cacheUse(P, Caches->Results), Caches->Predictions, Options))
      Findings.push_back(std::move(F));
  }
  for (analysis::Finding &F : Memory.findings())
    Findings.push_back(std::move(F));
  for (analysis::Finding &F : Sync.findings())
    Findings.push_back(std::move(F));
  analysis::joinCauses(Findings, P);
  analysis::rank(Findings);
  return Findings;
}

SummaryAndFiles Builder::build() {
  SummaryAndFiles Result;
  addRun(P, ExitStatus, S);
  GlobalObjects.build();
  Memory.addTo(S, GlobalObjects);
  Sync.addTo(S, GlobalObjects);
  kernels();
  caches(Result);
  addCoverage(P, {Uses, GlobalUses, HeatUses, Caches, Memory.coverage()}, S);
  addFindings(P, findings(), GlobalObjects, SharedObjects, S);
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
