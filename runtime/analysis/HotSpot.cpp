//===- HotSpot.cpp - Finds what all warps of a block load -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuThermo (2025), Section IV.C, Figure 6 (e) and (f). Sectors count that at least 4 warps and
// half of the block's access, unless all requests from there are uniform: where all lanes want the
// same element, one request serves the warp, and shared memory would not do better. At least 8
// such sectors, and a quarter of the object's, make a hot spot:
//
//  * if their words are equally hot (coefficient of variation at most 0.15) and most of each
//    sector is used, and the hottest word comes close to its sector (two thirds); false
//    sharing has cold words in hot sectors;
//  * "random" if they are not equally hot, and shared all the same: a word has two warps or more
//    on average. Less is a gather from everywhere, with nothing to keep. Where sectors are accessed
//    by several of the noted blocks, whose warps add up to equal numbers, a gather is random.
//
// Needless is what the block loads of it beyond once.
//
//===----------------------------------------------------------------------===//

#include "analysis/HeatPatterns.h"
#include "analysis/Wording.h"
#include <algorithm>
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
  Weighted Words; ///< of the shared ones
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
    for (uint8_t T : R.All.Words)
      if (T != 0)
        H.Words.add(T, static_cast<double>(R.Sectors));
  }
  return H;
}

/// Whether its lanes want words that lie apart, at no one distance.
static bool isGather(const HeatAccess &A) {
  const GmprofHeatSite &R = A.Requests;
  return R.sectors >= 2 * R.ideal && R.strided < R.requests - R.strided;
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

std::optional<HeatFinding> hotSpot(const LaunchHeat &L, const ObjectHeat &O,
                                   const HeatPatternOptions &Options) {
  const uint64_t Sectors = hotSectors(L, O, Options);
  const double Share =
      static_cast<double>(Sectors) / static_cast<double>(std::max<uint64_t>(O.Numbers.Sectors, 1));
  if (Sectors < Options.HotSectors || Share < Options.HotShare)
    return std::nullopt;
  const std::vector<uint32_t> Accesses =
      accessesWhere(L, O, [](const HeatAccess &A) { return !A.isUniform(); });
  uint64_t Loaded = 0, Scattered = 0;
  bool Atomic = false, Writes = false;
  for (uint32_t A : Accesses) {
    Loaded += L.Accesses[A].Requests.sectors;
    Scattered += L.Accesses[A].sectorsBeyondIdeal();
    Atomic |= L.Accesses[A].Kind == GMPROF_ACCESS_ATOMIC;
    Writes |= L.Accesses[A].isStore();
  }
  const uint64_t Once = O.Numbers.Sectors * (O.SeveralBlocks ? L.Context->Blocks : 1);
  const uint64_t Again = Loaded - std::min(Loaded, Once);

  const HotSectors H = count(L, O, Options);
  const bool Random = isRandom(L, O, H, Options);
  HeatFinding F = heatFinding(L, O, "hot_spot", Accesses);
  F.Found.Kind = Random ? "random" : "";
  // Caches serve what comes again; what lies scattered costs more than that.
  F.Found.Level = std::max(std::min(severityOf(L.shareOfSectors(Again)), Severity::Medium),
                           severityOf(L.shareOfSectors(Scattered)));
  F.Found.Evidence = {{"hot_sectors", Sectors},
                      {"share_of_object", Share},
                      {"mean_word_temperature", H.Words.mean()},
                      {"word_variation", H.Words.variation()},
                      {"mean_sector_temperature", O.Numbers.MeanSector},
                      {"warps_per_block", uint64_t(L.warps())}};
  addTraffic(F, L, Accesses, static_cast<double>(Again) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message = fmt::format(
      "Hot spot: {:.3g} of the {} warps of a block access the same {} sectors of {}{}, and {:.3g} "
      "warps each word.",
      O.Numbers.MeanSector, L.warps(), grouped(Sectors), O.describe(),
      Random ? " in no regular pattern" : "", H.Words.mean());
  if (Atomic)
    F.Found.Suggestion = "Let each block add up in shared memory, and add that to device memory "
                         "once.";
  else if (Writes)
    F.Found.Suggestion =
        "Keep it in shared memory while the block updates it, and write it back once.";
  else if (Random)
    F.Found.Suggestion =
        "Keep the part that a block reads in shared memory if it fits; otherwise sort "
        "or renumber the indices so that accesses of the same data come together.";
  else
    F.Found.Suggestion = "Load it tile by tile into shared memory, with consecutive threads at "
                         "consecutive words, and read it there.";
  return F;
}

} // namespace gmprof::analysis
