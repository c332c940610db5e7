//===- ScatteredAccess.cpp - Finds gathers and scatters -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory". Kinds "gather" and "scatter"
// of uncoalesced accesses: no closed form describes the addresses, lanes have no common stride, and
// requests of 16 lanes or more need at least four times the ideal sectors. Half of the lanes that
// access the object make such requests, and the sampled blocks use at most half of the words of its
// sectors: rows of threads are used completely, by later requests. The object exceeds 32 KiB: L1
// holds smaller tables.
//
// Indices of data may allow no other order, so that the severity is low at most. Atomics are
// excluded: they have another remedy.
//
// Needless traffic: the sectors beyond the ideal.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

static bool isScattered(const HeatAccess &A) {
  constexpr double HalfAWarp = 16;
  return A.Kind != GMPROF_ACCESS_ATOMIC && !A.Computed && !A.isUniform() &&
         isSpread(A, HalfAWarp) && !hasStride(A.Requests) &&
         A.Requests.transactions >= 4 * A.Requests.ideal;
}

std::optional<HeatFinding> scatteredAccess(const LaunchHeat &L, const ObjectHeat &O,
                                           const HeatPatternOptions &Options) {
  constexpr uint64_t SmallTable = uint64_t(32) << 10;
  const std::vector<uint32_t> Scattered = accessesWhere(L, O, isScattered);
  if (Scattered.empty() || O.Bytes <= SmallTable ||
      O.Numbers.Words > O.Numbers.Sectors * (profile::WordsPerSector / 2) ||
      hotSpot(L, O, Options) || falseSharing(L, O, Options) || stridedAccess(L, O, Options))
    return std::nullopt;
  GmprofHeatSite Sum = {}, All = {};
  for (uint32_t A : Scattered)
    add(Sum, L.Accesses[A].Requests);
  for (uint32_t A : O.Accesses)
    add(All, L.Accesses[A].Requests);
  if (static_cast<double>(Sum.lanes) < Options.StridedShare * static_cast<double>(All.lanes))
    return std::nullopt;
  const auto Stores =
      std::ranges::count_if(Scattered, [&](uint32_t A) { return L.Accesses[A].isStore(); });
  const bool IsGather = Stores == 0;
  const uint64_t Extra = Sum.transactions - Sum.ideal;
  const auto PerRequest = [&](uint64_t Sectors) {
    return ratioText(static_cast<double>(Sectors) / static_cast<double>(Sum.requests));
  };
  HeatFinding F = heatFinding(L, O, "uncoalesced_access", Scattered);
  F.Found.Kind = IsGather ? "gather" : "scatter";
  F.Found.Level = std::min(severityOf(L.shareOfSectors(Extra)), Severity::Low);
  F.Found.Evidence.emplace_back(
      "wasted_share", 1 - static_cast<double>(Sum.bytes) /
                              static_cast<double>(Sum.transactions * GMPROF_HEAT_SECTOR_BYTES));
  addTraffic(F, L, Scattered, static_cast<double>(Extra) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message = fmt::format("{} sectors/request (ideal {}): lanes of a warp {} {} at addresses "
                                "without a pattern.",
                                PerRequest(Sum.transactions), PerRequest(Sum.ideal),
                                IsGather ? "read" : "write", O.describe());
  F.Found.Suggestion =
      "If the indices are data whose order the program may choose, sort or renumber them so that "
      "consecutive lanes access neighbouring elements; if they are computed from the thread's "
      "number, exchange the elements of a tile through shared memory first.";
  return F;
}

} // namespace gmprof::analysis
