//===- HeatPatterns.cpp - Inefficiency patterns in heat maps --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/heat/HeatPatterns.h"
#include "analysis/Wording.h"
#include "profile/LaunchModes.h"
#include "profile/RequestCost.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace gmprof::analysis {

using profile::None;

double Weighted::variation() const {
  if (Weight == 0 || Sum == 0)
    return 0;
  const double Mean = Sum / Weight;
  return std::sqrt(std::max(0.0, Squares / Weight - Mean * Mean)) / Mean;
}

bool hasGaps(const ObjectHeat &O, uint64_t AccessedBytes) {
  return static_cast<double>(O.Numbers.Words) * GMPROF_HEAT_WORD_BYTES >
         1.5 * static_cast<double>(AccessedBytes);
}

Severity severityOf(double Share) {
  return Share >= 0.25   ? Severity::High
         : Share >= 0.05 ? Severity::Medium
         : Share >= 0.01 ? Severity::Low
                         : Severity::Info;
}

std::vector<uint32_t> accessesWhere(const LaunchHeat &L, const ObjectHeat &O,
                                    const std::function<bool(const HeatAccess &)> &Is) {
  std::vector<uint32_t> Some;
  std::copy_if(O.Accesses.begin(), O.Accesses.end(), std::back_inserter(Some),
               [&](uint32_t A) { return Is(L.Accesses[A]); });
  return Some;
}

profile::SourcePosition busiestLine(const LaunchHeat &L, const std::vector<uint32_t> &Accesses) {
  const HeatAccess *Busiest = nullptr;
  for (uint32_t I : Accesses) {
    const HeatAccess &A = L.Accesses[I];
    if (A.Source.Line != 0 &&
        (!Busiest || A.Requests.transactions > Busiest->Requests.transactions))
      Busiest = &A;
  }
  return Busiest ? Busiest->Source : L.Source;
}

HeatFinding heatFinding(const LaunchHeat &L, const ObjectHeat &O, const char *Pattern,
                        const std::vector<uint32_t> &Accesses) {
  HeatFinding F;
  F.CallPath = O.CallPath;
  F.Found.Pattern = Pattern;
  F.Found.Origin = "cuThermo";
  F.Found.Kernel = L.Kernel;
  F.Found.Object = O.Name;
  F.Found.ObjectBytes = O.Bytes;
  F.Found.ObjectId = O.Map->Object;
  // Instructions that the optimiser moved may have lost their line.
  const bool HasLine = std::any_of(Accesses.begin(), Accesses.end(),
                                   [&](uint32_t A) { return L.Accesses[A].Source.Line != 0; });
  F.Found.Source = busiestLine(L, HasLine ? Accesses : O.Accesses);
  return F;
}

void addTraffic(HeatFinding &F, const LaunchHeat &L, const std::vector<uint32_t> &Accesses,
                double NeedlessBytes) {
  GmprofHeatSite Sum = {};
  for (uint32_t A : Accesses)
    add(Sum, L.Accesses[A].Requests);
  F.NeedlessBytes = NeedlessBytes * L.toWholeLaunch();
  auto &Evidence = F.Found.Evidence;
  if (Sum.requests != 0) {
    const auto Requests = static_cast<double>(Sum.requests);
    Evidence.emplace_back("requests", uint64_t(Sum.requests));
    Evidence.emplace_back("sectors_per_request", static_cast<double>(Sum.transactions) / Requests);
    Evidence.emplace_back("ideal_sectors_per_request", static_cast<double>(Sum.ideal) / Requests);
    Evidence.emplace_back("share_of_sectors", L.shareOfSectors(Sum.transactions));
  }
  Evidence.emplace_back("needless_bytes", static_cast<uint64_t>(std::min(F.NeedlessBytes, 9e18)));
  Evidence.emplace_back("blocks_sampled", L.Context->Blocks);
  Evidence.emplace_back("blocks_launched", L.Blocks);
}

namespace {

/// Findings of several launches with equal keys are merged. A name and a position are those of the
/// code, whichever allocation a launch passes to it: buffers that a program swaps are one finding.
struct Key {
  uint32_t Kernel;
  std::string Pattern, Kind, Object, File;
  unsigned Line, Column;
  uint32_t CallPath; ///< None if name and position are known
  uint64_t ObjectId; ///< set if the allocating call is unknown, too

  explicit Key(const HeatFinding &F)
      : Kernel(F.Found.Kernel), Pattern(F.Found.Pattern), Kind(F.Found.Kind),
        Object(F.Found.Object), File(F.Found.Source.File), Line(F.Found.Source.Line),
        Column(F.Found.Source.Column) {
    const bool IsOfCode = !Object.empty() && Line != 0;
    CallPath = IsOfCode ? None : F.CallPath;
    ObjectId = IsOfCode || F.CallPath != None ? 0 : F.Found.ObjectId;
  }
  auto operator<=>(const Key &) const = default;
};

struct Group {
  HeatFinding Worst;
  uint64_t Launches = 0;
  const LaunchHeat *Last = nullptr; ///< of them
  std::set<uint64_t> Objects;
  std::set<uint32_t> CallPaths; ///< that allocate the objects
};

/// Merges the findings of all launches.
class Launches {
public:
  Launches(const profile::Profile &P, const HeatPatternOptions &Options) : P(P), Options(Options) {}

  void add(const LaunchHeat &L);
  std::vector<Finding> finish();

private:
  void add(const LaunchHeat &L, HeatFinding F);
  void removeLesserCauses();

  const profile::Profile &P;
  const HeatPatternOptions &Options;
  std::map<Key, Group> Groups;
  std::map<uint32_t, uint64_t> Sampled; ///< number of launches, by kernel
  /// Number of launches that access objects, by kernel and by the objects' name.
  std::map<std::pair<uint32_t, std::string>, uint64_t> Accessing;
};

} // namespace

void Launches::add(const LaunchHeat &L, HeatFinding F) {
  Group &G = Groups[Key(F)];
  if (G.Last != &L)
    G.Launches = addSaturating(G.Launches, L.Launches);
  G.Last = &L;
  if (F.Found.ObjectId != 0)
    G.Objects.insert(F.Found.ObjectId);
  G.CallPaths.insert(F.CallPath);
  if (G.Worst.Found.Pattern.empty() || F.NeedlessBytes > G.Worst.NeedlessBytes)
    G.Worst = std::move(F);
}

void Launches::add(const LaunchHeat &L) {
  Sampled[L.Kernel] = addSaturating(Sampled[L.Kernel], L.Launches);
  std::set<std::string> Names;
  for (const ObjectHeat &O : L.Objects)
    Names.insert(O.Name);
  for (const std::string &Name : Names) {
    uint64_t &Launches = Accessing[{L.Kernel, Name}];
    Launches = addSaturating(Launches, L.Launches);
  }
  for (const ObjectHeat &O : L.Objects) {
    const auto AddFound = [&](ObjectHeatPattern Find) {
      std::optional<HeatFinding> F = Find(L, O, Options);
      if (F)
        add(L, std::move(*F));
      return F.has_value();
    };
    for (const ObjectHeatPattern Find : ObjectHeatPatterns)
      AddFound(Find);
    if (!AddFound(uncoalescedAccess))
      for (const ObjectHeatPattern Find : CoalescedHeatPatterns)
        AddFound(Find);
  }
  for (const ArrayHeat &A : L.Arrays)
    for (const ArrayHeatPattern Find : ArrayHeatPatterns)
      for (HeatFinding &F : Find(P, L, A, Options))
        add(L, std::move(F));
}

/// A launch has uncoalesced accesses to an object or other patterns that they cause, depending on
/// its size. Of launches that have one and launches that have the other at a line, keeps what
/// wastes more.
void Launches::removeLesserCauses() {
  using Line = std::tuple<uint32_t, uint32_t, std::string, uint64_t, std::string, unsigned>;
  std::map<Line, std::map<bool, double>> Needless; ///< of uncoalesced accesses, and of others
  const auto LineOf = [](const Key &K) {
    return Line(K.Kernel, K.CallPath, K.Object, K.ObjectId, K.File, K.Line);
  };
  const auto IsUncoalesced = [](const Key &K) { return K.Pattern == "uncoalesced_access"; };
  const auto IsCausedByIt = [](const Key &K) {
    return K.Pattern == "hot_spot" || K.Pattern == "false_sharing" || K.Pattern == "strided_access";
  };
  for (const auto &[K, G] : Groups)
    if (IsUncoalesced(K) || IsCausedByIt(K)) {
      double &Most = Needless[LineOf(K)][IsUncoalesced(K)];
      Most = std::max(Most, G.Worst.NeedlessBytes);
    }
  std::erase_if(Groups, [&](const auto &Each) {
    const Key &K = Each.first;
    if (!IsUncoalesced(K) && !IsCausedByIt(K))
      return false;
    const std::map<bool, double> &Both = Needless[LineOf(K)];
    return Both.size() == 2 && (Both.at(true) >= Both.at(false)) != IsUncoalesced(K);
  });
}

std::vector<Finding> Launches::finish() {
  removeLesserCauses();
  const std::set<uint32_t> OtherSizes = profile::kernelsOfOtherBlockSizes(
      P, [](log::LaunchMode Mode) { return Mode == log::LaunchMode::Heat; });
  std::vector<Finding> Found;
  for (auto &[K, G] : Groups) {
    // An array can be removed only if no launch, of whatever block size, shares its words.
    if (K.Pattern == "shared_memory_abuse" &&
        (G.Launches != Sampled[K.Kernel] || OtherSizes.contains(K.Kernel)))
      continue;
    Finding &F = Found.emplace_back(std::move(G.Worst.Found));
    if (const uint64_t All = Accessing[{K.Kernel, K.Object}];
        G.Launches < All && !G.Worst.FixForSome.empty()) {
      F.Message += fmt::format(" {} of the {} sampled launches that access it {} so.",
                               grouped(G.Launches), grouped(All), G.Launches == 1 ? "does" : "do");
      F.Suggestion = std::move(G.Worst.FixForSome);
    }
    F.Evidence.emplace_back("launches", G.Launches);
    F.Evidence.emplace_back("launches_sampled", Sampled[K.Kernel]);
    if (G.Objects.size() > 1) {
      F.Evidence.emplace_back("objects", uint64_t(G.Objects.size()));
      F.Message +=
          fmt::format(" {}{} {} the same problem.", plural(G.Objects.size() - 1, "more allocation"),
                      G.CallPaths.size() == 1 ? " of this call site" : "",
                      G.Objects.size() == 2 ? "has" : "have");
    }
  }
  setFingerprints(Found, P);
  return Found;
}

std::vector<Finding> heatFindings(const profile::Profile &P, const std::vector<LaunchHeat> &Uses,
                                  const HeatPatternOptions &Options) {
  Launches All(P, Options);
  for (const LaunchHeat &L : Uses)
    All.add(L);
  return All.finish();
}

} // namespace gmprof::analysis
