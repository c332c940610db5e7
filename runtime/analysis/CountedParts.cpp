//===- CountedParts.cpp - Counts of an object, window by window -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/CountedParts.h"

namespace gmprof::analysis {

using namespace profile;

CountedAlike CountedPart::from(uint64_t E) const {
  if (E < First)
    return {0, false, First};
  if (E >= End)
    return {0, false, UINT64_MAX};
  const uint64_t I = (E - First) >> Wider;
  const uint64_t Past = First + (uint64_t(Counts.endOfRun(I)) << Wider);
  return {Counts.Sums[I], Counts.isCapped(I), std::min(Past, End)};
}

bool CountedParts::add(const GlobalCounts &R, double Scale) {
  const unsigned Wider = R.ElementShift - Shift;
  const uint64_t OfRecord = ((Elements - 1) >> Wider) + 1;
  if (R.FirstElement > OfRecord || R.Elements > OfRecord - R.FirstElement)
    return false;
  const uint64_t End = std::min((R.FirstElement + R.Elements) << Wider, Elements);
  Parts.push_back({&R, Scale, Wider, R.FirstElement << Wider, End, {}});
  return true;
}

bool CountedParts::open(uint64_t First, uint64_t End) {
  if (!Sorted)
    std::sort(Parts.begin(), Parts.end(),
              [](const CountedPart &A, const CountedPart &B) { return A.First < B.First; });
  Sorted = true;
  std::erase_if(Open, [&](CountedPart *P) {
    if (P->End <= First)
      P->Counts = {};
    return P->End <= First;
  });
  bool Whole = true;
  for (; NotOpened < Parts.size() && Parts[NotOpened].First < End; ++NotOpened) {
    CountedPart &P = Parts[NotOpened];
    const GlobalCounts &R = *P.Of;
    if (decompressCounts(R.Compressed, R.Elements, R.ThresholdReached, P.Counts))
      Open.push_back(&P);
    else
      Whole = false;
  }
  return Whole;
}

std::optional<uint64_t> CountedParts::next(uint64_t First) const {
  if (std::any_of(Open.begin(), Open.end(), [&](const CountedPart *P) { return P->End > First; }))
    return First;
  if (NotOpened < Parts.size())
    return Parts[NotOpened].First;
  return std::nullopt;
}

} // namespace gmprof::analysis
