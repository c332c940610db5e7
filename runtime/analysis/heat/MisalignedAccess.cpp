//===- MisalignedAccess.cpp - Finds misaligned accesses -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuThermo (2025), Section IV.C, Figures 6 (c) and 7. An access is misaligned if a quarter of its
// requests access consecutive bytes with at least 16 active lanes on average, begin within a
// sector, and so need one sector more than the minimum. (In rows of a matrix whose pitch is not a
// multiple of a sector, most requests do; in a partly diverged loop, fewer.)
//
// An object is reported if it has one misaligned access of loads or of stores, and at most one
// aligned access of the same size. With more, the kernel accesses neighbourhoods: of x[i-1], x[i]
// and x[i+1], two are misaligned wherever x begins (one in a border block where some threads are
// inactive), and caches hold the additional sector. A sliding window, whose requests access words
// repeatedly (more than 1.5 times per word and warp), is not reported either, nor are accesses of
// bytes with gaps between them. Kind: "neighbour" if
// another access of the same size is aligned, such as row_offsets[r] beside row_offsets[r + 1];
// else "offset".
//
// If a quarter of its requests are aligned, the access may be one of neighbours in a loop, in which
// the index of the neighbour varies. If as many requests for elements of this size to another
// object are all aligned, as in y[i] = x[i - 1], the index may be shifted. No layout aligns these,
// so that the severity is low.
//
// Needless traffic: the additional sector.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include "profile/RequestCost.h"
#include <algorithm>
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

/// Returns true if the requests appear to access consecutive bytes.
static bool isDense(const HeatAccess &A, const HeatPatternOptions &Options) {
  const GmprofHeatSite &R = A.Requests;
  return !A.isUniform() && R.strided == 0 && R.transactions <= R.ideal + R.requests &&
         A.lanesPerRequest() >= Options.MisalignedLanes;
}

/// Returns the accesses per word and warp.
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

/// Returns true if the lanes of an access access every third byte, for example, in consecutive
/// words.
static bool hasGaps(const ObjectHeat &O, const HeatAccess &A) {
  return A.Bytes != 0 && A.Bytes < GMPROF_HEAT_WORD_BYTES && hasGaps(O, A.Requests.bytes);
}

/// Returns true if an access of another object, of the same size and number, is always aligned.
static bool hasAlignedPartner(const LaunchHeat &L, const HeatAccess &A,
                              const HeatPatternOptions &Options) {
  return std::ranges::any_of(L.Accesses, [&](const HeatAccess &Other) {
    return !Other.Shared && Other.Object != A.Object && Other.Bytes == A.Bytes &&
           isDense(Other, Options) && Other.Requests.misaligned == 0 &&
           Other.Requests.requests >= A.Requests.requests;
  });
}

std::optional<HeatFinding> misalignedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                            const HeatPatternOptions &Options) {
  std::vector<uint32_t> Misaligned;
  bool Neighbour = false;
  for (bool Stores : {false, true}) {
    const std::vector<uint32_t> OfKind = accessesWhere(L, O, [&](const HeatAccess &A) {
      return A.isStore() == Stores && isMisaligned(A, Options);
    });
    if (OfKind.size() != 1 || reuse(O, L.Accesses[OfKind[0]]) > Options.MisalignedReuse ||
        hasGaps(O, L.Accesses[OfKind[0]]))
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
  const uint64_t Extra = Sum.transactions - Sum.ideal;
  const double PerRequest = static_cast<double>(Extra) / static_cast<double>(Sum.requests);

  HeatFinding F = heatFinding(L, O, "misaligned_access", Misaligned);
  F.Found.Kind = Neighbour ? "neighbour" : "offset";
  const bool IsMixed = static_cast<double>(Sum.requests - Sum.misaligned) >=
                       Options.AlignedShare * static_cast<double>(Sum.requests);
  const bool MayBeShifted = IsMixed || std::ranges::any_of(Misaligned, [&](uint32_t A) {
                              return hasAlignedPartner(L, L.Accesses[A], Options);
                            });
  // It is one sector per request.
  F.Found.Level = std::min(severityOf(L.shareOfSectors(Extra)),
                           MayBeShifted ? Severity::Low : Severity::Medium);
  F.Found.Evidence = {{"misaligned_requests", uint64_t(Sum.misaligned)},
                      {"extra_sectors_per_request", PerRequest},
                      {"extra_share", static_cast<double>(Extra) / static_cast<double>(Sum.ideal)}};
  addTraffic(F, L, Misaligned, static_cast<double>(Extra) * GMPROF_HEAT_SECTOR_BYTES);
  F.Found.Message = fmt::format(
      "{} of {} requests for consecutive words of {} begin inside a sector, {} "
      "sectors/request (ideal {}).",
      grouped(Sum.misaligned), grouped(Sum.requests), O.describe(),
      ratioText(static_cast<double>(Sum.transactions) / static_cast<double>(Sum.requests)),
      ratioText(static_cast<double>(Sum.ideal) / static_cast<double>(Sum.requests)));
  // Offsets of rows are integers. The elements of a grid are neighbours of others, too.
  const bool IsPair = std::ranges::none_of(Misaligned, [&](uint32_t A) {
    const HeatAccess &Access = L.Accesses[A];
    return Access.isJoined() || Access.ElementType.starts_with("float") ||
           Access.ElementType.starts_with("double");
  });
  if (Neighbour) {
    F.Found.Suggestion = IsPair
                             ? "Store the two elements that a thread reads side by side, so that "
                               "one vector load (int2, float2) reads both; or take"
                             : "Take";
    F.Found.Suggestion +=
        " the neighbour's element from the adjacent lane (__shfl_up_sync for x[i - 1], "
        "__shfl_down_sync for x[i + 1]), and load it where no active lane of the warp has it.";
    return F;
  }
  if (O.Pitched) {
    F.Found.Suggestion = "Compute the addresses of rows with the pitch of the allocation, in bytes";
  } else {
    F.Found.Suggestion = MayBeShifted
                             ? "Keep the accesses if the index of a neighbour (x - 1, x + 1) "
                               "shifts them: no layout aligns these. Otherwise align"
                             : "Align";
    F.Found.Suggestion += " rows to 32 bytes";
    F.Found.Suggestion += mayBeData(L, Misaligned)
                              ? ": by cudaMallocPitch or padding or, where data says where they "
                                "begin, by padding each row"
                              : " (cudaMallocPitch or padding)";
  }
  F.Found.Suggestion += ", and align the first lane of each warp to a multiple of 8 words.";
  return F;
}

} // namespace gmprof::analysis
