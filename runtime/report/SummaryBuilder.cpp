//===- SummaryBuilder.cpp - Builds a Summary from a Profile ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/SummaryBuilder.h"
#include "analysis/AtomicContention.h"
#include "analysis/GlobalMemoryUse.h"
#include "analysis/HeatPatterns.h"
#include "analysis/NoReuseInLiveRange.h"
#include "analysis/PoorCacheLocality.h"
#include "analysis/SharedMemoryCandidate.h"
#include "analysis/SharedMemoryUse.h"
#include "analysis/UnderusedSharedMemory.h"
#include "profile/ApiTraceBuilder.h"
#include "profile/KernelDescriptor.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include "report/AccessSummary.h"
#include "report/CacheProfile.h"
#include "report/CacheSummary.h"
#include "report/GlobalSummary.h"
#include "report/HeatSummary.h"
#include "report/LiveRangeSummary.h"
#include "report/MemorySummary.h"
#include "report/ObjectsSummary.h"
#include "report/SummaryNames.h"
#include "report/SyncSummary.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

namespace gmprof {

using analysis::KernelSharedUse;
using analysis::SharedArray;
using log::LaunchMode;
using profile::None;
using profile::Profile;

static bool isProfiled(LaunchMode Mode) {
  return Mode != LaunchMode::Plain && Mode != LaunchMode::Refused;
}

/// Returns true if kernels need clones. Profiles of objects and synchronisation use compiler facts
/// or calls only.
static bool needsClones(const profile::Run &R) {
  return !R.records("objects") && !R.records("sync");
}

static bool isShared(GmprofSpace Space) {
  return Space == GMPROF_SPACE_SHARED || Space == GMPROF_SPACE_SHARED_CLUSTER;
}

/// Returns true if a heat profile has something to record.
static bool accessesMemory(const profile::Kernel &K) { return !K.Desc || usesNotedMemory(*K.Desc); }

/// Returns true if a cache profile has something to trace; shared memory is not cached.
static bool accessesCaches(const profile::Kernel &K) {
  return !K.Desc || usesCachedMemory(*K.Desc);
}

/// Returns true if the shared profile applies; other kernels are no gap in the coverage.
static bool usesSharedMemory(const profile::Kernel &K) {
  return !K.Desc || K.StaticSharedBytes != 0 || usesSharedMemory(*K.Desc);
}

/// Returns true even for kernels not compiled for the global profile.
static bool usesGlobalMemory(const profile::Kernel &K) {
  return !K.Desc || usesGlobalMemory(*K.Desc);
}

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

/// Returns true if the kernel has nothing that the profile measures.
static bool hasNothingFor(const std::string &Profile, const profile::Kernel &K,
                          uint32_t DynamicSharedBytes) {
  if (Profile == "heat")
    return !accessesMemory(K);
  if (Profile == "cache")
    return !accessesCaches(K);
  if (Profile == "global" || Profile == "elements")
    return !usesGlobalMemory(K);
  if (usesSharedMemory(K) || DynamicSharedBytes != 0)
    return false;
  return Profile == "shared" || K.Desc->Modes == 0;
}

//===----------------------------------------------------------------------===//
// The builder
//===----------------------------------------------------------------------===//

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
  void run();
  void kernels();
  void groupLaunches();
  void launches(summary::Kernel &To, uint32_t Index) const;
  void sharedUse(summary::Kernel &To, const KernelSharedUse &Use);
  summary::ObjectUse objectUse(const KernelSharedUse &Use, const SharedArray &A);
  void heat();
  void caches(SummaryAndFiles &Result);
  uint32_t arrayObject(uint32_t Kernel, const analysis::ArrayHeat &A);
  void writeCounts(uint32_t Kernel, uint32_t Object, const SharedArray &A);
  /// Returns true if the kernel has nothing that any of the run's profiles measures.
  bool hasNothing(const profile::Kernel &K, uint32_t DynamicSharedBytes) const;
  void coverage();
  void launchCoverage(summary::LaunchCoverage &To) const;
  void accessCoverage(summary::AccessCoverage &To) const;
  void setInlined(summary::Finding &To, const analysis::Finding &F) const;
  void findings();

  const Profile &P;
  std::vector<KernelSharedUse> Uses;
  std::vector<analysis::KernelGlobalUse> GlobalUses;
  std::vector<analysis::LaunchHeat> HeatUses;
  std::optional<int> ExitStatus;
  const CacheProfile *Caches; ///< may be null
  summary::Summary S;
  ObjectsSummary GlobalObjects{P, S};
  MemorySummary Memory;
  SyncSummary Sync;
  std::string Counts, GlobalCounts;
  /// Launches of a kernel on one device with equal grid, block, dynamic shared memory, mode and
  /// reason.
  using LaunchKey = std::tuple<uint32_t, std::array<uint32_t, 3>, std::array<uint32_t, 3>, uint32_t,
                               LaunchMode, std::string>;
  std::vector<std::map<LaunchKey, uint64_t>> LaunchGroups; ///< index: kernel
  /// Object::id by kernel, name and size.
  std::map<std::tuple<uint32_t, std::string, uint64_t>, uint32_t> Objects;
};

} // namespace

bool Builder::hasNothing(const profile::Kernel &K, uint32_t DynamicSharedBytes) const {
  return std::ranges::all_of(P.TheRun.Profiles, [&](const std::string &Profile) {
    return hasNothingFor(Profile, K, DynamicSharedBytes);
  });
}

void Builder::run() {
  const profile::Run &R = P.TheRun;
  S.schema = summary::SchemaPrefix + std::to_string(summary::SchemaVersion);
  S.tool = {R.ToolName.empty() ? "gmprof" : R.ToolName, R.ToolVersion};
  S.config.text = R.ConfigJson;
  S.run.command = R.Command;
  S.run.host = R.Host;
  S.run.pid = R.Pid;
  S.run.ppid = R.ParentPid;
  S.run.rank = R.Rank;
  auto Seconds = static_cast<std::time_t>(R.StartUnixNs / 1'000'000'000);
  S.run.start = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(Seconds),
                            R.StartUnixNs / 1'000'000 % 1000);
  if (R.Ended && R.SteadyEndNs >= R.SteadyStartNs)
    S.run.wall_seconds = static_cast<double>(R.SteadyEndNs - R.SteadyStartNs) / 1e9;
  S.run.exit_status = ExitStatus ? ExitStatus : R.ExitStatus;
  S.run.complete = R.Ended && !R.Truncated;
  S.run.device = R.DeviceKind;
  for (const profile::Device &D : P.Devices)
    S.devices.push_back({D.Id, D.Name, D.ComputeCapability, {D.AttributesJson}});
  // Threads record devices in any order.
  std::ranges::sort(S.devices, {}, &summary::Device::id);
}

/// Counts equal launches.
void Builder::groupLaunches() {
  LaunchGroups.resize(P.Kernels.size());
  for (const profile::Launch &L : P.Launches) {
    if (L.Times == 0)
      continue;
    const LaunchKey Key{L.Device, L.Grid, L.Block, L.DynamicSharedBytes, L.Mode, L.Reason.str()};
    LaunchGroups[L.Kernel][Key] += L.Times;
  }
}

/// Adds the groups of launches, the most frequent first.
void Builder::launches(summary::Kernel &To, uint32_t Index) const {
  std::multimap<uint64_t, const LaunchKey *, std::greater<>> ByCount;
  for (const auto &[K, Count] : LaunchGroups[Index]) {
    const LaunchMode Mode = std::get<LaunchMode>(K);
    ByCount.emplace(Count, &K);
    To.launch_counts.seen += Count;
    (isProfiled(Mode)              ? To.launch_counts.profiled
     : Mode == LaunchMode::Refused ? To.launch_counts.refused
                                   : To.launch_counts.not_selected) += Count;
  }
  for (const auto &[Count, K] : ByCount) {
    const auto &[Device, Grid, Block, Dynamic, Mode, Reason] = *K;
    To.launches.push_back({Device, Grid, Block, Dynamic, modeName(Mode), Reason, Count});
  }
  if (To.launches.size() > MaxInline) {
    To.launch_groups_omitted = To.launches.size() - MaxInline;
    To.launches.resize(MaxInline);
  }
}

void Builder::writeCounts(uint32_t Kernel, uint32_t Object, const SharedArray &A) {
  for (size_t I = 0; I < A.Sums.size(); ++I)
    fmt::format_to(std::back_inserter(Counts), "{},{},{},{},{}\n", Kernel, Object, I, A.Sums[I],
                   A.Capped[I]);
}

summary::ObjectUse Builder::objectUse(const KernelSharedUse &Use, const SharedArray &A) {
  const profile::Descriptor &Desc = *P.Kernels[Use.Kernel].Desc;
  auto Id = static_cast<uint32_t>(S.objects.size());
  Objects[{Use.Kernel, A.displayName(), A.Bytes}] = Id;
  summary::Object &O = S.objects.emplace_back();
  O.id = Id;
  O.name = A.displayName();
  O.kind = "shared";
  O.type = A.Type;
  O.bytes = A.Bytes;
  if (A.ElementBytes)
    O.element_bytes = A.ElementBytes;
  O.kernel = Use.Kernel;
  O.source = source(A.Source);

  summary::ObjectUse U;
  U.object = Id;
  U.space = A.Dynamic ? "shared_dynamic" : "shared";
  U.counts_of = A.CountsWords ? "words" : "elements";
  U.count_elements = A.Sums.size();
  U.uncounted_bytes = A.UncountedBytes;
  U.blocks_counted = A.Blocks;
  U.blocks_launched = A.BlocksLaunched;
  U.accesses = number(A.Total);
  U.accesses_estimated = number(A.TotalEstimate);
  U.standard_error = A.StandardError;
  U.per_block = {number(A.Min), number(A.Mean), number(A.Max), buckets(A.Histogram)};
  if (Desc.Threshold != 0)
    U.threshold = {Desc.Threshold, A.AtThreshold};

  U.never_touched = {A.UnusedBytes / A.CountBytes, A.UnusedBytes,  A.Untouched, {},
                     A.NeverTouched.size(),        A.PaddingCounts};
  for (analysis::Range R : A.NeverTouched) {
    if (U.never_touched.ranges.size() == MaxInline)
      break;
    U.never_touched.ranges.push_back({R.First, R.Last});
  }
  for (const profile::Site &Site : Desc.Sites)
    if (std::find(A.Variables.begin(), A.Variables.end(), Site.Variable) != A.Variables.end())
      U.sites.push_back(site(Desc, Site));
  U.live_ranges = liveRangeSummary(P, Use.Kernel, A);
  U.uncounted_reason = analysis::uncountedAccesses(Desc, A);
  writeCounts(Use.Kernel, Id, A);
  return U;
}

void Builder::sharedUse(summary::Kernel &To, const KernelSharedUse &Use) {
  To.block_sample = Use.BlockSample;
  To.accesses_lost = Use.Lost;
  To.accesses_unattributed = Use.Other;
  To.counters_in = Use.CountersInShared && Use.CountersInDevice ? "shared and device memory"
                   : Use.CountersInDevice                       ? "device memory"
                                                                : "shared memory";
  for (const SharedArray &A : Use.Arrays)
    To.objects.push_back(objectUse(Use, A));
}

/// Returns the array's index in objects[].
uint32_t Builder::arrayObject(uint32_t Kernel, const analysis::ArrayHeat &A) {
  auto [It, New] = Objects.try_emplace({Kernel, A.Name, A.Region.Bytes},
                                       static_cast<uint32_t>(S.objects.size()));
  if (New) {
    summary::Object &O = S.objects.emplace_back();
    O.id = It->second;
    O.name = A.Name;
    O.kind = "shared";
    O.type = A.Type;
    O.bytes = A.Region.Bytes;
    O.kernel = Kernel;
    O.source = source(A.Source);
  }
  return It->second;
}

/// HeatUses are in the order of the kernels.
void Builder::heat() {
  for (auto From = HeatUses.begin(); From != HeatUses.end();) {
    const uint32_t Kernel = From->Kernel;
    const auto To = std::find_if(From, HeatUses.end(),
                                 [&](const analysis::LaunchHeat &L) { return L.Kernel != Kernel; });
    S.kernels[Kernel].heat = heatSummary(
        {From, To}, {[&](uint64_t Id) { return GlobalObjects.indexOf(Id); },
                     [&](const analysis::ArrayHeat &A) { return arrayObject(Kernel, A); }});
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
  groupLaunches();
  for (uint32_t I = 0; I < P.Kernels.size(); ++I) {
    const profile::Kernel &K = P.Kernels[I];
    summary::Kernel &To = S.kernels.emplace_back();
    To.id = I;
    To.name = K.Name;
    To.demangled = K.Demangled;
    To.devices = K.Devices;
    std::ranges::sort(To.devices);
    To.reason = K.Reason;
    To.registers = K.Registers;
    To.clone_registers = K.CloneRegisters;
    To.static_shared_bytes = K.StaticSharedBytes;
    launches(To, I);
    if (!K.Desc)
      continue;
    const profile::Descriptor &Desc = *K.Desc;
    To.instrumented = K.Reason.empty() && (Desc.Modes != 0 || !needsClones(P.TheRun));
    To.source = source(Desc.Source);
    To.level = levelName(Desc.Level);
    To.counter_bits = Desc.CounterBits;
    if (Desc.Threshold != 0)
      To.threshold = Desc.Threshold;
    To.counts_exact = !(Desc.Flags & GMPROF_KERNEL_PLAIN_UPDATES);
    To.blocks_alike = (Desc.Flags & GMPROF_KERNEL_BLOCKS_ALIKE) != 0;
    for (const profile::Site &Site : Desc.Sites)
      if (Site.Variable == None && (isShared(Site.Space) || Site.Space == GMPROF_SPACE_GENERIC) &&
          Site.Rule != GMPROF_RULE_NOT_COUNTED)
        To.other_sites.push_back(site(Desc, Site));
  }
  for (const KernelSharedUse &Use : Uses)
    sharedUse(S.kernels[Use.Kernel], Use);
  addObjectAccesses(P, S.kernels, [&](uint64_t Id) { return GlobalObjects.indexOf(Id); });
  heat();
  uint64_t LinesLeft = MaxGlobalCountLines;
  for (const analysis::KernelGlobalUse &Use : GlobalUses)
    S.kernels[Use.Kernel].global_memory = globalUse(
        P, Use, [&](uint64_t Id) { return GlobalObjects.indexOf(Id); }, GlobalCounts, LinesLeft);
}

/// Returns the number of objects that ElementUse.h skips in a profile of elements.
static uint64_t objectsWithoutElements(const profile::Profile &P) {
  if (!P.TheRun.records("elements"))
    return 0;
  std::set<uint64_t> LeftOut;
  for (const profile::Object &O : P.Objects) {
    if (O.Kind == log::ObjectKind::Graph || O.Parent != 0)
      LeftOut.insert(O.Id);
    if (O.Parent != 0)
      LeftOut.insert(O.Parent);
  }
  return LeftOut.size();
}

void Builder::launchCoverage(summary::LaunchCoverage &To) const {
  std::set<uint64_t> Counted;
  for (const profile::SharedCounts &C : P.Shared)
    Counted.insert(C.Context);
  for (const profile::HeatContext &C : P.Heat)
    Counted.insert(C.Context);
  std::set<uint64_t> Traced;
  if (Caches)
    for (const cache::LaunchResult &L : Caches->Results.Launches)
      Traced.insert(L.Launch.Number);
  std::map<std::pair<uint32_t, std::string>, uint64_t> Reasons;
  for (const profile::Launch &L : P.Launches) {
    To.seen += L.Times;
    if (isProfiled(L.Mode)) {
      To.profiled += L.Times;
      if (!profile::isGlobal(L.Mode) && L.Mode != LaunchMode::Objects &&
          !Counted.count(L.Context) && !Traced.count(L.Id))
        To.without_counts += L.Times;
      continue;
    }
    if (hasNothing(P.Kernels[L.Kernel], L.DynamicSharedBytes)) {
      To.nothing_to_profile += L.Times;
      continue;
    }
    // Launches of a kernel that can never be profiled count as refused.
    const std::string &Why = P.Kernels[L.Kernel].Reason;
    bool Refused = L.Mode == LaunchMode::Refused || !Why.empty();
    (Refused ? To.refused : To.not_selected) += L.Times;
    if (const std::string &Reason = L.Reason.empty() ? Why : L.Reason.str(); !Reason.empty())
      Reasons[{L.Kernel, Reason}] += L.Times;
  }
  To.without_counts += launchesWithoutGlobalCounts(P) + P.LaunchesWithoutHits;
  To.seen += P.PlainGraphNodes;
  To.not_selected += P.PlainGraphNodes;
  for (const profile::Gap &G : P.Gaps) {
    // Launches of which only the number is known.
    if (G.What == "launches") {
      To.seen = addSaturating(To.seen, G.Count);
      To.refused = addSaturating(To.refused, G.Count);
    }
    // Launches already listed with a reason.
    if (G.What == "launch counts")
      To.without_counts -= std::min(To.without_counts, G.Count);
  }
  for (const auto &[Key, Count] : Reasons)
    To.reasons.push_back({P.Kernels[Key.first].Demangled, Key.second, Count});
  if (P.PlainGraphNodes)
    To.reasons.push_back({"graphs", "nodes of kernels that run no clone", P.PlainGraphNodes});
}

/// Adds a kernel's instructions that could not be counted according to one of its sites' rules.
static void addSkipped(const profile::Kernel &K, GmprofRule profile::Site::*Rule,
                       std::string profile::Site::*Reason, summary::AccessCoverage &To) {
  for (const profile::Site &Site : K.Desc->Sites)
    if (Site.*Rule == GMPROF_RULE_SKIPPED && To.skipped.size() < MaxInline)
      To.skipped.push_back({K.Demangled, accessName(Site.Kind), source(Site.Source), Site.*Reason});
}

void Builder::accessCoverage(summary::AccessCoverage &To) const {
  double Counted = 0;
  for (const KernelSharedUse &Use : Uses) {
    To.lost = addSaturating(To.lost, Use.Lost);
    To.unattributed = addSaturating(To.unattributed, Use.Other);
    for (const SharedArray &A : Use.Arrays)
      Counted += A.Total.Value;
    addSkipped(P.Kernels[Use.Kernel], &profile::Site::Rule, &profile::Site::Reason, To);
  }
  for (const analysis::KernelGlobalUse &Use : GlobalUses) {
    To.outside = addSaturating(To.outside, Use.Outside);
    for (const analysis::GlobalObjectUse &O : Use.Objects)
      Counted += O.total().Value;
    addSkipped(P.Kernels[Use.Kernel], &profile::Site::GlobalRule, &profile::Site::GlobalReason, To);
  }
  // Accesses that cannot be analysed are neither counted nor recorded.
  for (uint32_t Last = None; const analysis::LaunchHeat &L : HeatUses) // ordered by kernel
    if (L.Kernel != std::exchange(Last, L.Kernel))
      addSkipped(P.Kernels[L.Kernel], &profile::Site::Rule, &profile::Site::Reason, To);
  To.counted = Counted < 1.8e19 ? static_cast<uint64_t>(Counted) : ~uint64_t(0);
}

void Builder::coverage() {
  summary::Coverage &C = S.coverage;
  for (uint32_t I = 0; I < P.Kernels.size(); ++I) {
    const profile::Kernel &K = P.Kernels[I];
    ++C.kernels.seen;
    if (S.kernels[I].instrumented)
      ++C.kernels.instrumented;
    else if (hasNothing(K, 0))
      ++C.kernels.nothing_to_profile;
    else
      C.kernels.not_instrumented.push_back({I, K.Demangled, K.Reason});
  }
  launchCoverage(C.launches);
  for (const KernelSharedUse &Use : Uses) {
    C.blocks.launched = addSaturating(C.blocks.launched, Use.BlocksLaunched);
    C.blocks.selected = addSaturating(C.blocks.selected, Use.BlocksExpected);
    C.blocks.counted = addSaturating(C.blocks.counted, Use.Blocks);
  }
  for (const analysis::KernelGlobalUse &Use : GlobalUses) {
    C.blocks.launched = addSaturating(C.blocks.launched, Use.BlocksLaunched);
    C.blocks.selected = addSaturating(C.blocks.selected, Use.BlocksSelected);
    C.blocks.counted = addSaturating(C.blocks.counted, Use.Blocks);
  }
  accessCoverage(C.accesses);
  addHeatCoverage(P, HeatUses, C);
  if (Caches && Caches->Problem.empty())
    addCacheCoverage(Caches->Results, C);
  else if (Caches)
    C.gaps.push_back({"traces", "the caches were not simulated: " + Caches->Problem, 1});
  C.objects = Memory.coverage();
  for (const profile::Gap &G : P.Gaps) {
    C.gaps.push_back({G.What, G.Reason, G.Count});
    if (G.What == "records")
      C.records_dropped = addSaturating(C.records_dropped, G.Count);
  }
  if (const uint64_t Count = objectsWithoutElements(P))
    C.gaps.push_back({"objects",
                      "which of their elements are used is not looked at: they are allocated by "
                      "graphs, or are memory pools or parts of these",
                      Count});
  const summary::LaunchCoverage &L = C.launches;
  C.whole = S.run.complete && C.kernels.not_instrumented.empty() &&
            L.profiled + L.nothing_to_profile == L.seen && L.without_counts == 0 &&
            C.blocks.counted == C.blocks.launched && C.accesses.lost == 0 &&
            C.accesses.unattributed == 0 && C.accesses.outside == 0 && C.accesses.skipped.empty() &&
            (!C.objects || C.objects->launches_inferred == 0) && C.gaps.empty();
}

/// Adds the chains by which the finding's line was inlined; lines in headers may have several.
void Builder::setInlined(summary::Finding &To, const analysis::Finding &F) const {
  if (F.Kernel == None || F.Source.Line == 0 || !P.Kernels[F.Kernel].Desc)
    return;
  To.inlined_at = inlinedAt(*P.Kernels[F.Kernel].Desc, F.Source);
  if (To.inlined_at.size() > MaxInlinedCalls) {
    To.inlined_omitted = To.inlined_at.size() - MaxInlinedCalls;
    To.inlined_at.resize(MaxInlinedCalls);
  }
}

void Builder::findings() {
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
  for (analysis::Finding &F : Findings) {
    summary::Finding &To = S.findings.emplace_back();
    To.id = S.findings.size();
    To.pattern = F.Pattern;
    To.kind = F.Kind;
    To.origin = F.Origin;
    To.severity = severityName(F.Level);
    auto Object = Objects.find({F.Kernel, F.Object, F.ObjectBytes});
    if (F.ObjectId != 0) {
      const uint32_t Index = GlobalObjects.indexOf(F.ObjectId);
      To.object = {Index, F.Object, S.objects[Index].kind};
    } else if (Object != Objects.end())
      To.object = {Object->second, F.Object, S.objects[Object->second].kind};
    if (F.Kernel != None)
      To.kernel = {F.Kernel, P.Kernels[F.Kernel].Demangled};
    if (S.sync && F.Site < S.sync->sites.size())
      To.site = F.Site;
    To.source = source(F.Source);
    setInlined(To, F);
    for (const profile::SourcePosition &Frame : F.CallPath)
      if (auto Position = source(Frame))
        To.call_path.push_back(*Position);
    To.evidence = std::move(F.Evidence);
    To.bytes_saved = F.BytesSaved;
    To.seconds_saved = F.SecondsSaved;
    To.message = std::move(F.Message);
    To.suggestion = std::move(F.Suggestion);
    To.fingerprint = std::move(F.Fingerprint);
  }
}

SummaryAndFiles Builder::build() {
  SummaryAndFiles Result;
  run();
  GlobalObjects.build();
  Memory.addTo(S, GlobalObjects);
  Sync.addTo(S, GlobalObjects);
  kernels();
  caches(Result);
  coverage();
  findings();
  if (!Counts.empty()) {
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
