//===- ReuseCandidates.cpp - Objects with reusable memory -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ReuseCandidates.h"
#include <algorithm>

namespace gmprof::analysis {

static size_t middle(size_t First, size_t Last) { return First + (Last - First) / 2; }

void ReuseCandidates::Ranges::add(const Ranges &R) {
  LeastBytes = std::min(LeastBytes, R.LeastBytes);
  MostBytes = std::max(MostBytes, R.MostBytes);
  LeastCall = std::min(LeastCall, R.LeastCall);
  LastRelease = std::max(LastRelease, R.LastRelease);
  End = std::max(End, R.End);
}

bool ReuseCandidates::Ranges::mayHave(const Wanted &W) const {
  return End != 0 && LeastBytes <= W.MostBytes && W.LeastBytes <= MostBytes &&
         LeastCall < W.FirstCall && W.Allocation < LastRelease;
}

ReuseCandidates::ReuseCandidates(std::vector<Candidate> Of) : Own(Of.size()), Below(Of.size()) {
  build(Of, 0, Of.size(), false);
  for (size_t I = 0; I < Of.size(); ++I)
    Index.emplace_back(Of[I].Position, I);
  std::sort(Index.begin(), Index.end());
}

void ReuseCandidates::build(std::vector<Candidate> &Of, size_t First, size_t Last, bool BySize) {
  if (First == Last)
    return;
  const size_t Root = middle(First, Last);
  auto At = [&](size_t I) { return Of.begin() + static_cast<ptrdiff_t>(I); };
  std::nth_element(At(First), At(Root), At(Last), [&](const Candidate &A, const Candidate &B) {
    return BySize ? A.Bytes < B.Bytes : A.Position < B.Position;
  });
  const Candidate &C = Of[Root];
  Own[Root] = {C.Bytes, C.Bytes, C.LastCall, C.Release, C.Position + 1};
  build(Of, First, Root, !BySize);
  build(Of, Root + 1, Last, !BySize);
  sumUp(First, Last);
}

ReuseCandidates::Ranges ReuseCandidates::below(size_t First, size_t Last) const {
  return First == Last ? Ranges() : Below[middle(First, Last)];
}

void ReuseCandidates::sumUp(size_t First, size_t Last) {
  const size_t Root = middle(First, Last);
  Ranges R = Own[Root];
  R.add(below(First, Root));
  R.add(below(Root + 1, Last));
  Below[Root] = R;
}

std::optional<uint32_t> ReuseCandidates::last(const Wanted &W) const {
  uint32_t End = 0;
  search(0, Own.size(), W, End);
  return End ? std::optional(End - 1) : std::nullopt;
}

/// Raises End to that of the last candidate that satisfies W, if that is greater.
void ReuseCandidates::search(size_t First, size_t Last, const Wanted &W, uint32_t &End) const {
  const Ranges R = below(First, Last);
  if (R.End <= End || !R.mayHave(W))
    return;
  const size_t Root = middle(First, Last);
  if (Own[Root].mayHave(W))
    End = std::max(End, Own[Root].End);
  // A result in the half with the larger End may prune the other half.
  if (below(First, Root).End < below(Root + 1, Last).End) {
    search(Root + 1, Last, W, End);
    search(First, Root, W, End);
  } else {
    search(First, Root, W, End);
    search(Root + 1, Last, W, End);
  }
}

void ReuseCandidates::erase(uint32_t Position) {
  const auto At = std::lower_bound(Index.begin(), Index.end(), std::pair(Position, size_t(0)));
  if (At != Index.end() && At->first == Position)
    erase(0, Own.size(), At->second);
}

void ReuseCandidates::erase(size_t First, size_t Last, size_t Which) {
  const size_t Root = middle(First, Last);
  if (Which == Root)
    Own[Root] = {};
  else if (Which < Root)
    erase(First, Root, Which);
  else
    erase(Root + 1, Last, Which);
  sumUp(First, Last);
}

} // namespace gmprof::analysis
