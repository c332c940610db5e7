//===- HotSpot.cpp - Finds hot spots --------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuThermo (2025), Section IV.C, Figure 6 (e) and (f). A sector is shared if at least 4 warps and
// half of the block's warps access it, unless all requests from these places are uniform: if all
// lanes access the same element, one request serves the warp, and shared memory would not help. At
// least 8 shared sectors, and a quarter of the object's sectors, make a hot spot:
//
//  * if their words are equally hot (coefficient of variation at most 0.15), most of each sector is
//    used, and the hottest word has at least two thirds of the sector's temperature; false sharing
//    has cold words in hot sectors;
//  * "random" if they are not equally hot, but words have at least two warps on average. Fewer
//    indicate a gather from everywhere, without reuse. A gather is also random if several recorded
//    blocks access the sectors, whose warp numbers overlap.
//
// Loads that L1 serves, of few coalesced requests per warp, are of low severity: a copy in shared
// memory costs loads, stores and a barrier.
//
// Objects of few sectors may have hot atomics (HotAtomics.cpp).
//
// Needless traffic: bytes of the object that a block loads more than once; of a gather no more than
// the sectors beyond the ideal, which an order of its indices saves.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/global/AtomicContention.h"
#include "analysis/heat/HeatPatterns.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gmprof::analysis {

using profile::HeatRun;
using profile::Temperatures;

static bool isShared(const Temperatures &T, unsigned Warps, const HeatPatternOptions &Options) {
  return T.Sector >= Options.SharedBy && T.Sector >= Options.SharedByShare * Warps;
}

static unsigned usedWords(const Temperatures &T) {
  return static_cast<unsigned>(T.Words.size()) -
         static_cast<unsigned>(std::count(T.Words.begin(), T.Words.end(), 0));
}

bool isHot(const Temperatures &T, unsigned Warps, const HeatPatternOptions &Options) {
  return isShared(T, Warps, Options) && usedWords(T) > Options.SparseWords &&
         *std::max_element(T.Words.begin(), T.Words.end()) >= Options.WordShare * T.Sector;
}

namespace {

struct HotSectors {
  uint64_t Equal = 0, Shared = 0;
  Weighted Sectors, Words; ///< temperatures of the shared sectors and of their words
};

} // namespace

static HotSectors count(const LaunchHeat &L, const ObjectHeat &O,
                        const HeatPatternOptions &Options) {
  HotSectors H;
  const uint64_t NotUniform = L.placesWhere(O, [](const HeatAccess &A) { return !A.isUniform(); });
  for (const HeatRun &R : O.Map->Runs) {
    if ((R.Places & NotUniform) == 0 || !isShared(R.All, L.warps(), Options))
      continue;
    H.Shared += R.Sectors;
    H.Equal += isHot(R.All, L.warps(), Options) ? R.Sectors : 0;
    H.Sectors.add(R.All.Sector, static_cast<double>(R.Sectors));
    for (uint8_t T : R.All.Words)
      if (T != 0)
        H.Words.add(T, static_cast<double>(R.Sectors));
  }
  return H;
}

/// Returns true if the lanes access scattered words without a common stride, where data decides.
static bool isGather(const HeatAccess &A) {
  const GmprofHeatSite &R = A.Requests;
  return !A.Computed && R.transactions >= 2 * R.ideal && !hasStride(R);
}

static bool isRandom(const LaunchHeat &L, const ObjectHeat &O, const HotSectors &H,
                     const HeatPatternOptions &Options) {
  return H.Words.variation() > Options.EqualVariation ||
         (O.SeveralBlocks && !accessesWhere(L, O, isGather).empty());
}

uint64_t hotSectors(const LaunchHeat &L, const ObjectHeat &O, const HeatPatternOptions &Options) {
  const HotSectors H = count(L, O, Options);
  if (isRandom(L, O, H, Options))
    return H.Words.mean() >= Options.RandomWord ? H.Shared : 0;
  return H.Equal;
}

/// Returns a mean number of warps, rounded for messages; the evidence has the mean.
static uint64_t onAverage(double Warps) {
  return static_cast<uint64_t>(std::llround(std::max(Warps, 1.0)));
}

/// Returns advice for atomics, depending on all accesses of the object, hot or not.
static std::string forAtomics(const LaunchHeat &L, const ObjectHeat &O) {
  bool Accumulates = true, Others = false;
  std::string Type;
  for (uint32_t I : O.Accesses) {
    const HeatAccess &A = L.Accesses[I];
    const bool IsAtomic = A.Kind == GMPROF_ACCESS_ATOMIC;
    Accumulates &= !IsAtomic || A.Reduction;
    Others |= !IsAtomic;
    Type = IsAtomic ? A.ElementType : Type;
  }
  if (!Accumulates)
    return AggregatePerWarp;
  return fmt::format("Let each block accumulate in shared memory, and apply the result to device "
                     "memory once, by the same atomic operation{}.{}",
                     Others ? ", provided that no thread of the kernel reads it before" : "",
                     orderOfAdditions(Type));
}

std::optional<HeatFinding> hotSpot(const LaunchHeat &L, const ObjectHeat &O,
                                   const HeatPatternOptions &Options) {
  const uint64_t Sectors = hotSectors(L, O, Options);
  const double Share =
      static_cast<double>(Sectors) / static_cast<double>(std::max<uint64_t>(O.Numbers.Sectors, 1));
  if (Sectors < Options.HotSectors || Share < Options.HotShare)
    return hotAtomics(L, O, Options);
  const std::vector<uint32_t> Accesses =
      accessesWhere(L, O, [](const HeatAccess &A) { return !A.isUniform(); });
  uint64_t Loaded = 0, Scattered = 0, Requests = 0;
  bool Atomic = false, Writes = false;
  for (uint32_t A : Accesses) {
    Requests += L.Accesses[A].Requests.requests;
    Loaded += L.Accesses[A].Requests.transactions;
    Scattered += L.Accesses[A].sectorsBeyondIdeal();
    Atomic |= L.Accesses[A].Kind == GMPROF_ACCESS_ATOMIC;
    Writes |= L.Accesses[A].isStore();
  }
  const uint64_t Once = O.Numbers.Sectors * (O.SeveralBlocks ? L.Context->Blocks : 1);
  const uint64_t Again = Loaded - std::min(Loaded, Once);

  const HotSectors H = count(L, O, Options);
  const bool Random = isRandom(L, O, H, Options);
  const bool Gather = !accessesWhere(L, O, isGather).empty();
  HeatFinding F = heatFinding(L, O, "hot_spot", Accesses);
  F.Found.Kind = Random ? "random" : "";
  // Caches serve repeated accesses; scattered sectors cost more.
  F.Found.Level = std::max(std::min(severityOf(L.shareOfSectors(Again)), Severity::Medium),
                           severityOf(L.shareOfSectors(Scattered)));
  const auto Warps = static_cast<double>(uint64_t(L.warps()) * L.Context->Blocks);
  const bool IsServed =
      !Atomic && !Writes && !Gather && static_cast<double>(Requests) < Options.FewRequests * Warps;
  if (IsServed)
    F.Found.Level = std::min(F.Found.Level, Severity::Low);
  F.Found.Evidence = {{"hot_sectors", Sectors},
                      {"share_of_object", Share},
                      {"mean_word_temperature", H.Words.mean()},
                      {"word_variation", H.Words.variation()},
                      {"mean_sector_temperature", O.Numbers.MeanSector},
                      {"warps_per_block", uint64_t(L.warps())}};
  const uint64_t Needless = Random && Gather ? std::min(Again, Scattered) : Again;
  addTraffic(F, L, Accesses, static_cast<double>(Needless) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message = fmt::format(
      "On average, {} of the {} warps of a block access each of {} sectors of {}, and {} each "
      "word.{}",
      onAverage(H.Sectors.mean()), L.warps(), grouped(Sectors), O.describe(),
      onAverage(H.Words.mean()), Gather ? " The lanes of a request have no common stride." : "");
  if (Atomic)
    F.Found.Suggestion = forAtomics(L, O);
  else if (Writes)
    F.Found.Suggestion = "Keep it in shared memory while the block updates it, and write it back "
                         "once, provided that no other block uses it in between.";
  else if (Random && !Gather)
    F.Found.Suggestion = "Load the part that a block reads into shared memory if it fits, and read "
                         "it there.";
  else if (Gather)
    F.Found.Suggestion =
        "Keep the part that a block reads in shared memory if it fits; otherwise, if the indices "
        "are data, sort or renumber them so that accesses of the same data come together.";
  else
    F.Found.Suggestion = "Load it tile by tile into shared memory, with consecutive threads at "
                         "consecutive words, and read it there.";
  if (IsServed)
    F.Found.Suggestion += " Compare the times of both versions: L1 may serve these loads as fast.";
  return F;
}

} // namespace gmprof::analysis
