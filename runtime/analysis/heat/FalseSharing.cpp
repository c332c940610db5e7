//===- FalseSharing.cpp - Finds false sharing -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuThermo (2025), Section IV.C, Figure 6 (b). A sector is falsely shared if at least 4 warps
// access it, but each of its words only few, mostly different ones: T(sector) >= 2 max T(word), and
// the sum of T(word) is at most 1.5 T(sector). A finding needs at least 4 such sectors, half of the
// object's sectors, and similar words (coefficient of variation at most 0.3): the words of a random
// gather vary, and no change of indices improves it.
//
// Atomics that data scatters are none: there is no index to swap.
//
// Accesses by a single lane of a warp are ignored: they store the warp's reduction, and the other
// lanes have nothing to store beside it. If a warp updates its word again and again (8 times on
// average), as a counter, the word belongs into a register: kind "counter", from one sector on.
//
// Needless traffic: the bytes that requests transfer and do not use.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace gmprof::analysis {

using profile::HeatRun;
using profile::Temperatures;

bool isFalselyShared(const Temperatures &T, const HeatPatternOptions &Options) {
  const unsigned Hottest = *std::max_element(T.Words.begin(), T.Words.end());
  const unsigned Sum = std::accumulate(T.Words.begin(), T.Words.end(), 0u);
  return T.Sector >= Options.SharedBy && T.Sector >= Options.SectorOverWord * Hottest &&
         Sum <= Options.WordSumOverSector * T.Sector;
}

namespace {

struct FalselyShared {
  uint64_t Sectors = 0;
  Weighted Words, OfSectors;
};

} // namespace

static FalselyShared count(const LaunchHeat &L, const ObjectHeat &O,
                           const HeatPatternOptions &Options) {
  FalselyShared S;
  const uint64_t Places = L.placesWhere(O, [](const HeatAccess &A) { return !A.isOfOneLane(); });
  for (const HeatRun &R : O.Map->Runs) {
    if ((R.Places & Places) == 0 || !isFalselyShared(R.All, Options))
      continue;
    S.Sectors += R.Sectors;
    S.OfSectors.add(R.All.Sector, static_cast<double>(R.Sectors));
    for (uint8_t T : R.All.Words)
      if (T != 0)
        S.Words.add(T, static_cast<double>(R.Sectors));
  }
  return S;
}

uint64_t falselySharedSectors(const LaunchHeat &L, const ObjectHeat &O,
                              const HeatPatternOptions &Options) {
  const FalselyShared S = count(L, O, Options);
  return S.Words.variation() <= Options.AlikeVariation ? S.Sectors : 0;
}

/// Finds words of warps, side by side, that a lane of each warp updates again and again.
static std::optional<HeatFinding> counters(const LaunchHeat &L, const ObjectHeat &O,
                                           const HeatPatternOptions &Options) {
  const uint64_t Warps = uint64_t(L.warps()) * L.Context->Blocks;
  uint64_t Updates = 0;
  for (uint32_t I : O.Accesses)
    if (const HeatAccess &A = L.Accesses[I];
        A.isOfOneLane() && (A.isStore() || A.Kind == GMPROF_ACCESS_ATOMIC))
      Updates += A.Requests.requests;
  uint64_t Sectors = 0, WordsOfWarps = 0;
  Weighted OfSectors;
  for (const HeatRun &R : O.Map->Runs)
    if (isFalselyShared(R.All, Options)) {
      Sectors += R.Sectors;
      OfSectors.add(R.All.Sector, static_cast<double>(R.Sectors));
      WordsOfWarps +=
          R.Sectors * std::accumulate(R.All.Words.begin(), R.All.Words.end(), uint64_t(0));
    }
  if (Sectors == 0 || Updates < Options.CounterUpdates * WordsOfWarps ||
      static_cast<double>(Sectors) < Options.SharedShare * static_cast<double>(O.Numbers.Sectors))
    return std::nullopt;
  const std::vector<uint32_t> Accesses =
      accessesWhere(L, O, [](const HeatAccess &A) { return A.isOfOneLane(); });
  GmprofHeatSite Sum = {};
  for (uint32_t A : Accesses)
    add(Sum, L.Accesses[A].Requests);
  const uint64_t Again = Sum.transactions - std::min<uint64_t>(Sum.transactions, Warps);
  HeatFinding F = heatFinding(L, O, "false_sharing", Accesses);
  F.Found.Kind = "counter";
  F.Found.Level = std::min(severityOf(L.shareOfSectors(Again)), Severity::Medium);
  F.Found.Evidence = {{"falsely_shared_sectors", Sectors},
                      {"mean_sector_temperature", OfSectors.mean()},
                      {"updates_per_warp", static_cast<double>(Sum.requests) /
                                               static_cast<double>(std::max<uint64_t>(Warps, 1))},
                      {"warps_per_block", uint64_t(L.warps())}};
  addTraffic(F, L, Accesses, static_cast<double>(Again) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message = fmt::format(
      "{} warps of a block share each sector of {}: one lane of each accesses the warp's own word "
      "{} times.",
      std::lround(OfSectors.mean()), O.describe(),
      grouped(Sum.requests / std::max<uint64_t>(Warps, 1)));
  F.Found.Suggestion = "Keep the word in a register and store it after the loop, provided that "
                       "nothing else reads it "
                       "before; or give the word of each warp a sector (32 bytes) of its own.";
  return F;
}

std::optional<HeatFinding> falseSharing(const LaunchHeat &L, const ObjectHeat &O,
                                        const HeatPatternOptions &Options) {
  if (std::optional<HeatFinding> F = counters(L, O, Options))
    return F;
  const FalselyShared S = count(L, O, Options);
  const double Share = static_cast<double>(S.Sectors) /
                       static_cast<double>(std::max<uint64_t>(O.Numbers.Sectors, 1));
  if (S.Sectors < Options.SharedSectors || Share < Options.SharedShare ||
      S.Words.variation() > Options.AlikeVariation)
    return std::nullopt;
  const std::vector<uint32_t> Accesses =
      accessesWhere(L, O, [](const HeatAccess &A) { return !A.isOfOneLane(); });
  if (!Accesses.empty() && std::ranges::all_of(Accesses, [&](uint32_t I) {
        const HeatAccess &A = L.Accesses[I];
        return A.Kind == GMPROF_ACCESS_ATOMIC && !A.Computed && !hasStride(A.Requests);
      }))
    return std::nullopt;
  uint64_t Unused = 0;
  for (uint32_t A : Accesses)
    Unused += L.Accesses[A].unusedBytes();
  HeatFinding F = heatFinding(L, O, "false_sharing", Accesses);
  F.Found.Level = severityOf(L.shareOfSectors(Unused / GMPROF_HEAT_SECTOR_BYTES));
  F.Found.Evidence = {{"falsely_shared_sectors", S.Sectors},
                      {"share_of_object", Share},
                      {"mean_word_temperature", S.Words.mean()},
                      {"mean_sector_temperature", S.OfSectors.mean()},
                      {"warps_per_block", uint64_t(L.warps())}};
  addTraffic(F, L, Accesses, static_cast<double>(Unused));
  F.Found.Message =
      fmt::format("{:.3g} warps of a block access each of {} sectors of {}, but "
                  "each word is accessed by {:.3g}. Every warp transfers the whole sector and uses "
                  "a part of it.",
                  S.OfSectors.mean(), grouped(S.Sectors), O.describe(), S.Words.mean());
  F.Found.Suggestion =
      "Swap the indices so that consecutive threads (threadIdx.x) access consecutive "
      "words and a warp uses whole sectors.";
  return F;
}

} // namespace gmprof::analysis
