//===- MisalignedAccess.cpp - Finds requests that begin within a sector ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuThermo (2025), Section IV.C, Figures 6 (c) and 7. An access is misaligned if a quarter of its
// requests are for consecutive bytes, by 16 threads or more on average, that begin within a sector
// and need one more than as many bytes have to. (In rows of a matrix whose pitch is no multiple of
// a sector, most are; in a partly diverged loop, fewer.)
//
// Reported is an object with one misaligned access, of loads or of stores, and at most one aligned
// one of as many bytes beside it. With more, the kernel looks at the elements around each: of
// x[i-1], x[i] and x[i+1] two are misaligned wherever x begins (in a block at the border, where
// some threads have nothing to do, one), and caches have the sector that comes in addition. Nor is
// a window reported that slides over the object, whose requests come back to the same words (more
// than 1.5 times per word and warp). Kind: "neighbour" if another access of the same size is
// aligned, as row_offsets[r] is beside row_offsets[r + 1]; else "offset".
//
// Needless is the additional sector.
//
//===----------------------------------------------------------------------===//

#include "analysis/HeatPatterns.h"
#include "analysis/Wording.h"
#include "profile/RequestCost.h"
#include <fmt/format.h>

namespace gmprof::analysis {

using profile::HeatRun;

static bool isMisaligned(const HeatAccess &A, const HeatPatternOptions &Options) {
  const GmprofHeatSite &R = A.Requests;
  return R.misaligned != 0 &&
         static_cast<double>(R.misaligned) >=
             Options.MisalignedShare * static_cast<double>(R.requests) &&
         A.lanesPerRequest() >= Options.MisalignedLanes;
}

/// Whether its requests are for consecutive bytes, as far as can be told.
static bool isDense(const HeatAccess &A, const HeatPatternOptions &Options) {
  const GmprofHeatSite &R = A.Requests;
  return !A.isUniform() && R.strided == 0 && R.sectors <= R.ideal + R.requests &&
         A.lanesPerRequest() >= Options.MisalignedLanes;
}

/// How often the access comes back to a word, per warp.
static double reuse(const ObjectHeat &O, const HeatAccess &A) {
  const int Kind = A.isStore()                      ? GMPROF_COUNTER_WRITES
                   : A.Kind == GMPROF_ACCESS_ATOMIC ? GMPROF_COUNTER_ATOMICS
                                                    : GMPROF_COUNTER_READS;
  double Temperatures = 0;
  for (const HeatRun &R : O.Map->Runs)
    for (uint8_t T : R.Of[Kind].Words)
      Temperatures += T * static_cast<double>(R.Sectors);
  const double Words = static_cast<double>(A.Requests.lanes) * A.Bytes / GMPROF_HEAT_WORD_BYTES;
  return Temperatures == 0 ? 0 : Words / Temperatures;
}

std::optional<HeatFinding> misalignedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                            const HeatPatternOptions &Options) {
  std::vector<uint32_t> Misaligned;
  bool Neighbour = false;
  for (bool Stores : {false, true}) {
    const std::vector<uint32_t> OfKind = accessesWhere(L, O, [&](const HeatAccess &A) {
      return A.isStore() == Stores && isMisaligned(A, Options);
    });
    if (OfKind.size() != 1 || reuse(O, L.Accesses[OfKind[0]]) > Options.MisalignedReuse)
      continue;
    const size_t Aligned = accessesWhere(L, O, [&](const HeatAccess &A) {
                             return A.isStore() == Stores && isDense(A, Options) &&
                                    A.Bytes == L.Accesses[OfKind[0]].Bytes &&
                                    !isMisaligned(A, Options);
                           }).size();
    if (Aligned > 1)
      continue;
    Misaligned.push_back(OfKind[0]);
    Neighbour |= Aligned == 1;
  }
  if (Misaligned.empty())
    return std::nullopt;
  GmprofHeatSite Sum = {};
  for (uint32_t A : Misaligned)
    add(Sum, L.Accesses[A].Requests);
  const uint64_t Extra = Sum.sectors - Sum.ideal;
  const double PerRequest = static_cast<double>(Extra) / static_cast<double>(Sum.requests);

  HeatFinding F = heatFinding(L, O, "misaligned_access", Misaligned);
  F.Found.Kind = Neighbour ? "neighbour" : "offset";
  F.Found.Level = severityOf(L.shareOfSectors(Extra));
  F.Found.Evidence = {{"misaligned_requests", uint64_t(Sum.misaligned)},
                      {"extra_sectors_per_request", PerRequest},
                      {"extra_share", static_cast<double>(Extra) / static_cast<double>(Sum.ideal)}};
  addTraffic(F, L, Misaligned, static_cast<double>(Extra) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message = fmt::format(
      "Misaligned access: {} of {} requests for consecutive words of {} begin inside a sector, {} "
      "sectors/request (ideal {}).",
      grouped(Sum.misaligned), grouped(Sum.requests), O.describe(),
      ratioText(static_cast<double>(Sum.sectors) / static_cast<double>(Sum.requests)),
      ratioText(static_cast<double>(Sum.ideal) / static_cast<double>(Sum.requests)));
  F.Found.Suggestion =
      Neighbour
          ? "Store the two elements that a thread reads side by side, so that one vector load "
            "(int2, float2) reads both; or take the neighbour's element from the next lane "
            "(__shfl_down_sync)."
          : "Align rows to 32 bytes (cudaMallocPitch or padding), and the first lane of each "
            "warp to a multiple of 8 words.";
  return F;
}

} // namespace gmprof::analysis
