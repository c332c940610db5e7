//===- Merger.cpp - Adds up summaries -------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Merger.h"
#include "profile/Saturating.h"
#include "report/model/RunProfiles.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace gmprof {

using namespace summary;

/// Adds elements of From to those in To with the same key.
template <typename T, typename KeyOf, typename Add>
static void join(std::vector<T> &To, std::vector<T> &&From, KeyOf Key, Add AddTo) {
  std::map<decltype(Key(From.front())), size_t> Index;
  for (size_t I = 0; I < To.size(); ++I)
    Index.try_emplace(Key(To[I]), I);
  for (T &Each : From)
    if (const auto [It, New] = Index.try_emplace(Key(Each), To.size()); New)
      To.push_back(std::move(Each));
    else
      AddTo(To[It->second], Each);
}

static void addTo(uint64_t &To, uint64_t N) { To = addSaturating(To, N); }

static void addTo(std::vector<LaunchGroup> &To, std::vector<LaunchGroup> &&From) {
  join(
      To, std::move(From),
      [](const LaunchGroup &G) {
        return std::tuple(G.grid, G.block, G.dynamic_shared_bytes, G.mode, G.reason);
      },
      [](LaunchGroup &G, const LaunchGroup &Same) { addTo(G.count, Same.count); });
}

static void addTo(std::optional<KernelSeconds> &To, const std::optional<KernelSeconds> &From) {
  if (!To || !From) {
    To = To ? To : From;
    return;
  }
  const auto All = static_cast<double>(To->measured_launches + From->measured_launches);
  To->mean = (To->mean * static_cast<double>(To->measured_launches) +
              From->mean * static_cast<double>(From->measured_launches)) /
             std::max(All, 1.0);
  addTo(To->measured_launches, From->measured_launches);
  To->total += From->total;
  To->instrumented = To->instrumented && From->instrumented;
}

/// Merges groups across devices, which each process numbers differently.
static void withoutDevices(std::vector<LaunchGroup> &Groups) {
  std::vector<LaunchGroup> Joined;
  for (LaunchGroup &G : Groups)
    G.device.reset();
  addTo(Joined, std::move(Groups));
  Groups = std::move(Joined);
}

uint32_t Merger::device(const Device &D) {
  const auto [It, New] = DeviceIds.try_emplace({D.name, D.compute_capability},
                                               static_cast<uint32_t>(To.devices.size()));
  if (New) {
    To.devices.push_back(D);
    To.devices.back().id = It->second;
  }
  return It->second;
}

void Merger::addRun(const Summary &S) {
  Run &R = To.run;
  if (List.empty()) {
    To.schema = S.schema;
    To.tool = S.tool;
    To.config = S.config;
    R = S.run;
    R.rank.reset();
    R.pid = R.ppid = 0;
    return;
  }
  if (S.run.start < R.start)
    R.start = S.run.start;
  if (S.run.wall_seconds)
    R.wall_seconds = std::max(R.wall_seconds.value_or(0), *S.run.wall_seconds);
  // Keeps the exit status of the first process that failed.
  if (!R.exit_status || *R.exit_status == 0)
    R.exit_status = S.run.exit_status.value_or(0) != 0 || !S.run.exit_status ? S.run.exit_status
                                                                             : R.exit_status;
  R.complete = R.complete && S.run.complete;
}

void Merger::addCoverage(Coverage &&C, const std::map<uint32_t, std::string> &KernelNames) {
  Coverage &Sum = To.coverage;
  Sum.whole = Sum.whole && C.whole;
  for (NotInstrumented &N : C.kernels.not_instrumented)
    if (const auto It = KernelNames.find(N.kernel); It != KernelNames.end())
      N.kernel = KernelIds[It->second];
  join(
      Sum.kernels.not_instrumented, std::move(C.kernels.not_instrumented),
      [](const NotInstrumented &N) { return std::pair(N.name, N.reason); },
      [](NotInstrumented &, const NotInstrumented &) {});
  auto &L = Sum.launches;
  for (auto Each :
       {&LaunchCoverage::seen, &LaunchCoverage::profiled, &LaunchCoverage::nothing_to_profile,
        &LaunchCoverage::not_selected, &LaunchCoverage::refused, &LaunchCoverage::without_counts})
    addTo(L.*Each, C.launches.*Each);
  join(
      L.reasons, std::move(C.launches.reasons),
      [](const ReasonCount &R) { return std::pair(R.kernel, R.reason); },
      [](ReasonCount &R, const ReasonCount &Same) { addTo(R.count, Same.count); });
  join(
      Sum.profiles, std::move(C.profiles), [](const ProfileCoverage &P) { return P.profile; },
      [](ProfileCoverage &P, ProfileCoverage &Same) {
        addTo(P.launches, Same.launches);
        addTo(P.of, Same.of);
        join(
            P.never_counted, std::move(Same.never_counted),
            [](const ReasonCount &R) { return std::pair(R.kernel, R.reason); },
            [](ReasonCount &R, const ReasonCount &Also) { addTo(R.count, Also.count); });
      });
  for (auto Each : {&BlockCoverage::launched, &BlockCoverage::selected, &BlockCoverage::counted})
    addTo(Sum.blocks.*Each, C.blocks.*Each);
  for (auto Each : {&AccessCoverage::counted, &AccessCoverage::lost, &AccessCoverage::unattributed,
                    &AccessCoverage::outside})
    addTo(Sum.accesses.*Each, C.accesses.*Each);
  join(
      Sum.accesses.skipped, std::move(C.accesses.skipped),
      [](const SkippedSite &Site) {
        return std::tuple(Site.kernel, Site.access, Site.source ? Site.source->file : "",
                          Site.source ? Site.source->line : 0, Site.reason);
      },
      [](SkippedSite &, const SkippedSite &) {});
  if (C.objects) {
    ObjectCoverage &O = Sum.objects ? *Sum.objects : Sum.objects.emplace();
    for (auto Each : {&ObjectCoverage::launches_inferred, &ObjectCoverage::objects_uncertain,
                      &ObjectCoverage::objects_of_host})
      addTo(O.*Each, (*C.objects).*Each);
  }
  addTo(Sum.records_dropped, C.records_dropped);
  join(
      Sum.gaps, std::move(C.gaps), [](const Gap &G) { return std::pair(G.what, G.reason); },
      [](Gap &G, const Gap &Same) { addTo(G.count, Same.count); });
}

void Merger::addKernels(std::vector<Kernel> &&Kernels) {
  for (Kernel &K : Kernels) {
    const auto [It, New] = KernelIds.try_emplace(K.name, static_cast<uint32_t>(To.kernels.size()));
    K.devices.clear();
    withoutDevices(K.launches);
    if (New) {
      K.id = It->second;
      To.kernels.push_back(std::move(K));
      continue;
    }
    Kernel &Sum = To.kernels[It->second];
    for (auto Each : {&LaunchCounts::seen, &LaunchCounts::profiled, &LaunchCounts::not_selected,
                      &LaunchCounts::refused})
      addTo(Sum.launch_counts.*Each, K.launch_counts.*Each);
    addTo(Sum.seconds, K.seconds);
    addTo(Sum.launches, std::move(K.launches));
    addTo(Sum.launch_groups_omitted, K.launch_groups_omitted);
    if (Sum.launches.size() > MaxInline) {
      addTo(Sum.launch_groups_omitted, Sum.launches.size() - MaxInline);
      Sum.launches.resize(MaxInline);
    }
    addTo(Sum.accesses_lost, K.accesses_lost);
    addTo(Sum.accesses_unattributed, K.accesses_unattributed);
  }
}

/// Keeps the memory of the process with the highest peak.
void Merger::addMemory(MergedPart &P) {
  if (!P.Kept.memory)
    return;
  uint64_t Peak = 0;
  for (const DeviceMemory &D : P.Kept.memory->devices)
    Peak = std::max(Peak, D.peak_bytes);
  if (To.memory && Peak <= Fullest)
    return;
  Fullest = Peak;
  To.memory = std::move(P.Kept.memory);
  To.memory->pools.clear();
  Largest = std::move(P.Largest);
}

void Merger::addSync(Sync &&Of) {
  if (!To.sync)
    To.sync.emplace();
  Sync &Sum = *To.sync;
  if (Of.wall_seconds)
    Sum.wall_seconds = Sum.wall_seconds.value_or(0) + *Of.wall_seconds;
  Sum.gpu_times_known = (List.empty() || Sum.gpu_times_known) && Of.gpu_times_known;
  for (auto Each : {&Sync::calls, &Sync::uses_seen, &Sync::uses_page, &Sync::uses_instrumented,
                    &Sync::uses_assumed, &Sync::sites_omitted})
    addTo(Sum.*Each, Of.*Each);
  join(
      Sum.sites, std::move(Of.sites),
      [](const SyncSite &Site) {
        return std::tuple(Site.api, Site.source ? Site.source->file : "",
                          Site.source ? Site.source->line : 0);
      },
      [](SyncSite &Site, const SyncSite &Same) {
        for (auto Each :
             {&SyncSite::calls, &SyncSite::waits, &SyncSite::blocked, &SyncSite::migrated_bytes,
              &SyncSite::unnecessary, &SyncSite::misplaced, &SyncSite::needed,
              &SyncSite::assumed_needed, &SyncSite::orders_streams, &SyncSite::not_seen,
              &SyncSite::unnecessary_instrumented, &SyncSite::copies, &SyncSite::copied_bytes,
              &SyncSite::duplicates, &SyncSite::duplicate_bytes, &SyncSite::destination_unchanged})
          addTo(Site.*Each, Same.*Each);
        for (auto Each :
             {&SyncSite::call_seconds, &SyncSite::wait_seconds,
              &SyncSite::unnecessary_benefit_seconds, &SyncSite::misplaced_benefit_seconds,
              &SyncSite::duplicate_benefit_seconds})
          Site.*Each += Same.*Each;
        for (auto Each : {&SyncSite::replay_seconds, &SyncSite::duplicate_replay_seconds})
          if (Same.*Each)
            Site.*Each = (Site.*Each).value_or(0) + *(Same.*Each);
      });
}

/// Returns true if A saves more than B.
static bool savesMore(const Finding &A, const Finding &B) {
  return std::pair(A.seconds_saved.value_or(0), A.bytes_saved) >
         std::pair(B.seconds_saved.value_or(0), B.bytes_saved);
}

std::string Merger::add(MergedPart &&P, const std::string &Path) {
  const std::string ItsKind = RunProfiles(P.Kept).text();
  if (List.empty()) {
    Kind = ItsKind;
    FirstPath = Path;
    To.coverage.whole = true;
  } else if (Kind != ItsKind) {
    return fmt::format(
        "'{}' is of --profile {}, '{}' of --profile {}: merge what was profiled alike", FirstPath,
        Kind, Path, ItsKind);
  }
  const auto First = static_cast<uint32_t>(List.size());
  addRun(P.Kept);
  std::map<uint32_t, uint32_t> Devices;
  for (const Device &D : P.Kept.devices)
    Devices[D.id] = device(D);
  auto Renumber = [&](std::optional<uint32_t> &Device) {
    if (const auto It = Device ? Devices.find(*Device) : Devices.end(); It != Devices.end())
      Device = It->second;
  };
  for (Object &O : P.Largest)
    Renumber(O.device);
  for (KeptFinding &F : P.Findings)
    if (F.About)
      Renumber(F.About->device);
  if (P.Kept.memory)
    for (DeviceMemory &D : P.Kept.memory->devices)
      if (const auto It = Devices.find(D.device); It != Devices.end())
        D.device = It->second;
  std::map<uint32_t, std::string> KernelNames;
  for (const Kernel &K : P.Kept.kernels)
    KernelNames[K.id] = K.name;
  addKernels(std::move(P.Kept.kernels));
  addCoverage(std::move(P.Kept.coverage), KernelNames);
  addMemory(P);
  if (P.Kept.sync)
    addSync(std::move(*P.Kept.sync));
  for (const KeptMeasure &M : P.Measures) {
    const auto [It, New] = MeasureIndex.try_emplace({M.Is.Name, M.Is.Of}, Measures.size());
    if (New)
      Measures.push_back({M.Is, {M.Is.Unit, {}, {}}});
    Values &V = Measures[It->second].second;
    for (const auto &[Process, Value] : M.Values) {
      V.Processes.push_back(First + Process);
      V.Each.push_back(Value);
    }
  }
  for (KeptFinding &F : P.Findings) {
    auto [It, New] = ByFingerprint.try_emplace(F.Of.fingerprint);
    for (const uint32_t Process : F.Processes)
      if (It->second.Processes.empty() || It->second.Processes.back() < First + Process)
        It->second.Processes.push_back(First + Process);
    if (New || savesMore(F.Of, It->second.Best.Of))
      It->second.Best = std::move(F);
  }
  for (MergedProcess &Process : P.Processes) {
    Hosts.insert(Process.host);
    List.push_back(std::move(Process));
  }
  return "";
}

} // namespace gmprof
