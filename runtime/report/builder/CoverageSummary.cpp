//===- CoverageSummary.cpp - Coverage of a profile ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/CoverageSummary.h"
#include "profile/KernelDescriptor.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include "report/builder/CacheSummary.h"
#include "report/builder/GlobalSummary.h"
#include "report/builder/HeatSummary.h"
#include "report/builder/KernelSummary.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gmprof {

using analysis::KernelSharedUse;
using analysis::SharedArray;
using log::LaunchMode;
using profile::Measured;
using profile::None;
using profile::Profile;
using profile::ProfileTraits;

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

/// Returns true if the kernel has nothing that the profile measures.
static bool hasNothingFor(const std::string &Profile, const profile::Kernel &K,
                          uint32_t DynamicSharedBytes) {
  const ProfileTraits *Traits = profile::traitsOf(Profile);
  const bool UsesShared = usesSharedMemory(K) || DynamicSharedBytes != 0;
  switch (Traits ? Traits->Accesses : Measured::None) {
  case Measured::Memory:
    return !accessesMemory(K);
  case Measured::CachedMemory:
    return !accessesCaches(K);
  case Measured::GlobalMemory:
    return !usesGlobalMemory(K);
  case Measured::SharedMemory:
    return !UsesShared;
  case Measured::None:
    return !UsesShared && K.Desc->Modes == 0;
  }
  return false;
}

namespace {

class CoverageBuilder {
public:
  CoverageBuilder(const Profile &P, const analysis::Analyses &Found, const CacheProfile *Caches,
                  summary::Summary &S)
      : P(P), Uses(Found.Shared), GlobalUses(Found.Global), HeatUses(Found.Heat), Caches(Caches),
        S(S) {}

  void build(std::optional<summary::ObjectCoverage> Objects);

private:
  /// Returns true if the kernel has nothing that any of the run's profiles measures.
  bool hasNothing(const profile::Kernel &K, uint32_t DynamicSharedBytes) const;
  void launchCoverage(summary::LaunchCoverage &To) const;
  void profileCoverage(std::vector<summary::ProfileCoverage> &To) const;
  std::vector<uint64_t> launchesCounted(const std::string &Profile) const;
  std::string whyNotCounted(const std::string &Profile, uint32_t Kernel) const;
  void accessCoverage(summary::AccessCoverage &To) const;

  const Profile &P;
  const std::vector<KernelSharedUse> &Uses;
  const std::vector<analysis::KernelGlobalUse> &GlobalUses;
  const std::vector<analysis::LaunchHeat> &HeatUses;
  const CacheProfile *Caches; ///< may be null
  summary::Summary &S;
};

} // namespace

bool CoverageBuilder::hasNothing(const profile::Kernel &K, uint32_t DynamicSharedBytes) const {
  return std::ranges::all_of(P.TheRun.Profiles, [&](const std::string &Profile) {
    return hasNothingFor(Profile, K, DynamicSharedBytes);
  });
}

void CoverageBuilder::launchCoverage(summary::LaunchCoverage &To) const {
  const std::set<uint64_t> Counted = profile::countedContexts(P);
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
  // Objects and calls are known of graph nodes without clones.
  const std::vector<std::string> &Profiles = P.TheRun.Profiles;
  const bool NeedsClones = Profiles.empty() || !std::ranges::all_of(Profiles, [](const auto &Each) {
                             return profile::measures(Each, Measured::None);
                           });
  To.seen += P.PlainGraphNodes;
  (NeedsClones ? To.not_selected : To.nothing_to_profile) += P.PlainGraphNodes;
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
  if (P.PlainGraphNodes && NeedsClones)
    To.reasons.push_back({"graphs", "nodes of kernels that run no clone", P.PlainGraphNodes});
}

/// Returns true if launches in this mode count in the profile: its recorder makes them.
static bool isModeOf(const std::string &Profile, LaunchMode Mode) {
  const ProfileTraits *Counts = profile::traitsOf(Profile);
  return Counts && std::ranges::any_of(profile::LaunchModes, [&](const auto &Row) {
           const ProfileTraits *Launches = profile::traitsOf(Row.Profile);
           return Row.Mode == Mode && Launches && Launches->Recorder == Counts->Recorder;
         });
}

/// Returns how many launches of each kernel the profile counted.
std::vector<uint64_t> CoverageBuilder::launchesCounted(const std::string &Profile) const {
  const std::set<uint64_t> Counted = profile::countedContexts(P);
  std::set<uint64_t> Traced; // launches
  if (Caches)
    for (const cache::LaunchResult &L : Caches->Results.Launches)
      Traced.insert(L.Launch.Number);
  const bool InTrace = profile::measures(Profile, Measured::CachedMemory);
  std::vector<uint64_t> Launches(P.Kernels.size());
  profile::forEachLaunchMode(P, [&](const profile::Launch &L) {
    const bool Has = InTrace ? Traced.contains(L.Id) : Counted.contains(L.Context);
    if (isModeOf(Profile, L.Mode) && Has)
      Launches[L.Kernel] = addSaturating(Launches[L.Kernel], L.Times);
  });
  return Launches;
}

/// Returns why no launch of a kernel is counted.
std::string CoverageBuilder::whyNotCounted(const std::string &Profile, uint32_t Kernel) const {
  const profile::Kernel &K = P.Kernels[Kernel];
  if (!K.Reason.empty())
    return K.Reason;
  if (profile::measures(Profile, Measured::SharedMemory) && K.Desc && !K.Desc->SharedReason.empty())
    return K.Desc->SharedReason;
  for (const profile::Launch &L : P.Launches)
    if (L.Kernel == Kernel && !L.Reason.empty())
      return L.Reason.str();
  const bool WasSelected =
      std::any_of(P.Launches.begin(), P.Launches.end(), [&](const profile::Launch &L) {
        return L.Kernel == Kernel && isModeOf(Profile, L.Mode);
      });
  return WasSelected ? "no launch ended without an error" : "no launch was selected";
}

/// Profiles of calls are left out: they measure no launches.
void CoverageBuilder::profileCoverage(std::vector<summary::ProfileCoverage> &To) const {
  for (const std::string &Profile : P.TheRun.Profiles) {
    if (profile::recordsCalls(Profile))
      continue;
    std::vector<uint64_t> Of(P.Kernels.size());
    for (const profile::Launch &L : P.Launches)
      if (!hasNothingFor(Profile, P.Kernels[L.Kernel], L.DynamicSharedBytes))
        Of[L.Kernel] = addSaturating(Of[L.Kernel], L.Times);
    summary::ProfileCoverage &C = To.emplace_back();
    C.profile = Profile;
    for (uint64_t Launches : Of)
      C.of = addSaturating(C.of, Launches);
    if (profile::recordsAllocations(Profile)) {
      const std::optional<summary::ObjectCoverage> &Known = S.coverage.objects;
      C.launches = C.of - std::min(C.of, Known ? Known->launches_inferred : 0);
      continue;
    }
    const std::vector<uint64_t> Counted = launchesCounted(Profile);
    for (uint32_t I = 0; I < P.Kernels.size(); ++I) {
      C.launches = addSaturating(C.launches, std::min(Counted[I], Of[I]));
      if (Of[I] != 0 && Counted[I] == 0)
        C.never_counted.push_back({P.Kernels[I].Demangled, whyNotCounted(Profile, I), Of[I]});
    }
    if (profile::measures(Profile, Measured::GlobalMemory))
      C.launches -= std::min(C.launches, launchesWithoutGlobalCounts(P));
  }
}

/// Adds a kernel's instructions that could not be counted according to one of its sites' rules.
static void addSkipped(const profile::Kernel &K, GmprofRule profile::Site::*Rule,
                       std::string profile::Site::*Reason, summary::AccessCoverage &To) {
  for (const profile::Site &Site : K.Desc->Sites)
    if (Site.*Rule == GMPROF_RULE_SKIPPED && To.skipped.size() < MaxInline)
      To.skipped.push_back({K.Demangled, accessName(Site.Kind), source(Site.Source), Site.*Reason});
}

void CoverageBuilder::accessCoverage(summary::AccessCoverage &To) const {
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

void CoverageBuilder::build(std::optional<summary::ObjectCoverage> Objects) {
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
  C.objects = Objects;
  launchCoverage(C.launches);
  profileCoverage(C.profiles);
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
    addCacheCoverage(P, Caches->Results, C);
  else if (Caches)
    C.gaps.push_back({"traces", "the caches were not simulated: " + Caches->Problem, 1});
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
            (!C.objects || C.objects->launches_inferred == 0) && C.gaps.empty() &&
            (C.profiles.size() < 2 ||
             std::ranges::all_of(C.profiles, [](const summary::ProfileCoverage &Each) {
               return Each.launches == Each.of;
             }));
}

void addCoverage(const Profile &P, const analysis::Analyses &Found, const CacheProfile *Caches,
                 std::optional<summary::ObjectCoverage> Objects, summary::Summary &S) {
  CoverageBuilder(P, Found, Caches, S).build(Objects);
}

} // namespace gmprof
