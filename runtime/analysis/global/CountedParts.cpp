//===- CountedParts.cpp - Reads an object's counts by windows -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/CountedParts.h"
#include <map>
#include <span>
#include <tuple>

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

bool CountedRecords::add(const GlobalCounts &R, double Scale) {
  const unsigned Wider = R.ElementShift - Shift;
  const uint64_t OfRecord = ((Elements - 1) >> Wider) + 1;
  if (R.FirstElement > OfRecord || R.Elements > OfRecord - R.FirstElement)
    return false;
  const uint64_t End = std::min((R.FirstElement + R.Elements) << Wider, Elements);
  Records.push_back({&R, Scale, Wider, R.FirstElement << Wider, End});
  return true;
}

void CountedRecords::sort() {
  // Records of the same element are ordered as in the log.
  std::sort(Records.begin(), Records.end(), [](const CountedRecord &A, const CountedRecord &B) {
    return std::tie(A.First, A.Of) < std::tie(B.First, B.Of);
  });
  Ends.clear();
  for (const CountedRecord &R : Records)
    Ends.push_back(Ends.empty() ? R.End : std::max(Ends.back(), R.End));
}

size_t CountedRecords::endingBehind(uint64_t First) const {
  return static_cast<size_t>(std::upper_bound(Ends.begin(), Ends.end(), First) - Ends.begin());
}

bool CountedParts::open(uint64_t First, uint64_t End) {
  std::erase_if(Open, [&](const CountedPart &P) { return P.End <= First; });
  bool Whole = true;
  for (; NotOpened < Records.size() && Records[NotOpened].First < End; ++NotOpened) {
    const CountedRecord &R = Records[NotOpened];
    if (R.End <= First)
      continue;
    CountedPart &P = Open.emplace_back(CountedPart{R, {}});
    if (!decompressCounts(R.Of->Compressed, R.Of->Elements, R.Of->ThresholdReached, P.Counts)) {
      Open.pop_back();
      Whole = false;
    }
  }
  joinAlike(First, End);
  return Whole;
}

/// Returns true if the part counts single elements in few enough bytes that many sums fit 64 bits.
static bool canJoin(const CountedPart &P) {
  return P.Wider == 0 && P.Counts.Capped.empty() && P.Counts.Sums.width() <= 4;
}

static CountedPart join(std::span<const CountedPart *const> Parts, uint64_t First, uint64_t End) {
  uint64_t Most = 0;
  for (const CountedPart *P : Parts)
    Most += UINT64_MAX >> (64 - 8 * P->Counts.Sums.width());
  CountedPart All = {{Parts[0]->Of, Parts[0]->Scale, 0, First, End}, {}};
  All.Counts.Sums = NarrowSums(End - First);
  All.Counts.Sums.widen(Most);
  for (const CountedPart *P : Parts) {
    const uint64_t From = std::max(First, P->First), To = std::min(End, P->End);
    if (From < To)
      All.Counts.Sums.add(From - First, P->Counts.Sums, From - P->First, To - P->First);
  }
  return All;
}

/// Sums parts of equal scale and kind. Contexts whose counts are kept apart, as in the elements
/// profile, have parts of the same elements; adding these is faster than walking the runs of each.
void CountedParts::joinAlike(uint64_t First, uint64_t End) {
  constexpr size_t Many = 4;
  std::map<std::pair<GmprofCounterKind, double>, std::vector<const CountedPart *>> Alike;
  Seen.clear();
  Joined.clear();
  for (const CountedPart &P : Open)
    if (canJoin(P))
      Alike[{P.Of->Kind, P.Scale}].push_back(&P);
    else
      Seen.push_back(&P);
  for (const auto &[Key, Of] : Alike)
    if (Of.size() >= Many)
      Seen.push_back(&Joined.emplace_back(join(Of, First, End)));
    else
      Seen.insert(Seen.end(), Of.begin(), Of.end());
}

} // namespace gmprof::analysis
