//===- UncoalescedAccess.cpp - Finds loads and stores that lanes spread ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"; the requests are those of
// cuThermo's hot spots (2025, Section IV.C, Figure 6 (e)). An access is uncoalesced if at least
// half of its requests are strided, need at least twice the ideal sectors, and use at most half of
// the sectors' bytes. Requests without a common stride, as those of two rows of a block of 16 x 16
// threads, count if closed forms describe them and they need at least 12 sectors: rows of 16 or
// more consecutive elements do not reach twice the ideal, and shorter rows not 12 sectors. Data may
// decide on other requests. At least half of the lanes that access the object must belong to
// uncoalesced loads and stores. Atomics are excluded: they have another remedy.
//
// Several warps access such sectors, which makes them hot or falsely shared as well (`also`).
// Shared memory is only the second remedy: lanes that access consecutive elements need the ideal
// sectors. If one warp accesses each sector, requests with a stride are strided accesses, as are
// others if that warp uses the whole sector: the lanes have pieces of their own.
//
// If clang splits a copy whose other parts use the rest of the sectors, the copy is the cause, and
// caches serve the other parts.
//
// Needless traffic: the sectors beyond the ideal.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include "analysis/heat/SplitCopies.h"
#include "profile/RequestCost.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace gmprof::analysis {

/// Two lanes always have one common distance: with few lanes, it says nothing of the layout, and
/// their divergence costs more.
static constexpr double FewLanes = 8;

/// Lanes with at most this stride in bytes may access a structure each.
static constexpr uint64_t LargestStructure = 128;

bool isSpread(const HeatAccess &A, double LeastLanes) {
  const GmprofHeatSite &R = A.Requests;
  return A.lanesPerRequest() >= LeastLanes && R.transactions >= 2 * R.ideal &&
         R.bytes <= R.transactions * (GMPROF_HEAT_SECTOR_BYTES / 2);
}

bool hasStride(const GmprofHeatSite &R) {
  return R.strided != 0 && R.strided >= R.requests - R.strided;
}

uint64_t meanStride(const GmprofHeatSite &R) {
  return hasStride(R) ? static_cast<uint64_t>(std::llabs(static_cast<long long>(R.stride) /
                                                         static_cast<long long>(R.strided)))
                      : 0;
}

bool mayBeData(const LaunchHeat &L, const std::vector<uint32_t> &Accesses) {
  return std::ranges::none_of(Accesses, [&](uint32_t A) { return L.Accesses[A].Computed; });
}

bool isUncoalesced(const HeatAccess &A) { return isSpread(A, FewLanes) && hasStride(A.Requests); }

/// Returns true if the indices spread the lanes of several rows of a block.
static bool isUncoalescedInRows(const HeatAccess &A) {
  constexpr uint64_t ManySectors = 12;
  return isSpread(A, FewLanes) && A.Computed &&
         A.Requests.transactions >= ManySectors * A.Requests.requests;
}

static GmprofHeatSite sumOf(const LaunchHeat &L, const std::vector<uint32_t> &Accesses) {
  GmprofHeatSite Sum = {};
  for (uint32_t A : Accesses)
    add(Sum, L.Accesses[A].Requests);
  return Sum;
}

std::optional<HeatFinding> uncoalescedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                             const HeatPatternOptions &Options) {
  const std::vector<uint32_t> All =
      accessesWhere(L, O, [](const HeatAccess &A) { return !A.isUniform(); });
  const std::vector<uint32_t> Spread = accessesWhere(L, O, [](const HeatAccess &A) {
    return A.Kind != GMPROF_ACCESS_ATOMIC && (isUncoalesced(A) || isUncoalescedInRows(A));
  });
  const GmprofHeatSite Sum = sumOf(L, Spread);
  if (Sum.requests == 0 || static_cast<double>(Sum.lanes) <
                               Options.StridedShare * static_cast<double>(sumOf(L, All).lanes))
    return std::nullopt;
  const bool Hot = hotSpot(L, O, Options).has_value(),
             FalselyShared = falseSharing(L, O, Options).has_value();
  const std::optional<SplitCopy> Copy = splitCopy(L, Spread);
  if (!Hot && !FalselyShared && (hasStride(Sum) || (usesWholeSectors(O) && !Copy)))
    return std::nullopt;
  const auto Stores = static_cast<size_t>(
      std::ranges::count_if(Spread, [&](uint32_t A) { return L.Accesses[A].isStore(); }));
  const bool AllStore = Stores == Spread.size(), AllLoad = Stores == 0;
  const uint64_t Stride = meanStride(Sum);
  const uint64_t Extra = Sum.transactions - Sum.ideal;
  const auto PerRequest = [&](uint64_t Sectors) {
    return ratioText(static_cast<double>(Sectors) / static_cast<double>(Sum.requests));
  };
  const char *Verb = AllLoad ? "read" : AllStore ? "write" : "access";

  HeatFinding F = heatFinding(L, O, "uncoalesced_access", Spread);
  F.Found.Kind = AllLoad ? "load" : AllStore ? "store" : "load_and_store";
  if (Hot)
    F.Found.Also.emplace_back("hot_spot");
  if (FalselyShared)
    F.Found.Also.emplace_back("false_sharing");
  F.Found.Level = severityOf(L.shareOfSectors(Extra));
  if (Stride != 0)
    F.Found.Evidence.emplace_back("stride_bytes", Stride);
  F.Found.Evidence.emplace_back(
      "wasted_share", 1 - static_cast<double>(Sum.bytes) /
                              static_cast<double>(Sum.transactions * GMPROF_HEAT_SECTOR_BYTES));
  addTraffic(F, L, Spread, static_cast<double>(Extra) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message =
      fmt::format("{} sectors/request (ideal {}): lanes of a warp {} {} {}.",
                  PerRequest(Sum.transactions), PerRequest(Sum.ideal), Verb, O.describe(),
                  Stride != 0 ? fmt::format("with a stride of {}", plural(Stride, "byte"))
                              : "at addresses that are far apart");
  if (Copy) {
    F.Found.Message += Copy->sentence();
    if (Sum.transactions * GMPROF_HEAT_SECTOR_BYTES <= Sum.lanes * Copy->Bytes) {
      F.Found.Level = std::min(F.Found.Level, Severity::Low);
      F.Found.Suggestion = Copy->suggestion();
      return F;
    }
  }
  const char *OfData =
      mayBeData(L, Spread) ? "; renumber the elements if the indices are data" : "";
  F.Found.Suggestion =
      Stride != 0 && Stride <= LargestStructure
          ? fmt::format("Turn an array of structures into a structure of arrays; of a matrix, swap "
                        "the indices so that consecutive lanes (threadIdx.x) {} consecutive "
                        "elements{}.",
                        Verb, OfData)
          : fmt::format("Swap the indices so that consecutive lanes (threadIdx.x) {} consecutive "
                        "elements, or transpose the data{}.",
                        Verb, OfData);
  return F;
}

} // namespace gmprof::analysis
