//===- ObjectHistory.cpp - Uses of objects over time ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectHistory.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace gmprof::analysis {

ObjectHistory::ObjectHistory(const profile::ApiTrace &Trace,
                             const std::vector<uint32_t> &Timestamps, bool Complete)
    : Trace(Trace), Timestamps(Timestamps), Complete(Complete), FirstUse(Trace.Objects.size() + 1),
      IsSlab(Trace.Objects.size()) {
  for (const profile::ApiObject &O : Trace.Objects)
    if (O.Parent)
      IsSlab[*O.Parent] = true;
  // Counting sort of the uses by object.
  forEachUse([&](uint32_t Object, uint32_t) { ++FirstUse[Object + 1]; });
  std::partial_sum(FirstUse.begin(), FirstUse.end(), FirstUse.begin());
  Uses.resize(FirstUse.back());
  std::vector<uint32_t> Next(FirstUse.begin(), FirstUse.end() - 1);
  forEachUse([&](uint32_t Object, uint32_t Api) { Uses[Next[Object]++] = Api; });
  auto Order = [&](uint32_t Api) { return std::pair(Timestamps[Api], Api); };
  for (uint32_t Object = 0; Object < Trace.Objects.size(); ++Object)
    std::sort(Uses.begin() + FirstUse[Object], Uses.begin() + FirstUse[Object + 1],
              [&](uint32_t A, uint32_t B) { return Order(A) < Order(B); });
  uint32_t I = 0;
  for (const profile::Api &A : Trace.Apis) {
    Kinds.push_back(A.Kind);
    WithHost.push_back(A.WithHost);
    if (A.Inferred) {
      InferredCalls.push_back(I);
      InferredTimes.push_back(Timestamps[I]);
    }
    if (A.FromParameters)
      ParameterCalls.push_back(I);
    ++I;
  }
  std::sort(InferredTimes.begin(), InferredTimes.end());
  for (const profile::SkippedAccess &S : Trace.Skipped)
    Skipped.emplace_back(S.Object, S.Api);
  std::sort(Skipped.begin(), Skipped.end());
  findHostNeighbours();
}

/// Walks over the copies in the order of calls, and keeps for all bytes of the host which copy
/// had them last.
void ObjectHistory::findHostNeighbours() {
  struct Piece {
    uint64_t End;
    size_t Last; ///< in Neighbours
  };
  std::map<std::pair<uint64_t, uint64_t>, Piece> Pieces; ///< by object and first byte
  uint32_t I = 0;
  for (const profile::Api &A : Trace.Apis) {
    const uint32_t Api = I++;
    const profile::HostRange &R = A.Host;
    if (!A.WithHost || R.Bytes == 0)
      continue;
    HostNeighbours &New =
        Neighbours.emplace_back(HostNeighbours{Api, profile::None, profile::None});
    auto At = Pieces.lower_bound({R.Object, R.Begin});
    if (At != Pieces.begin() && std::prev(At)->first.first == R.Object &&
        std::prev(At)->second.End > R.Begin)
      --At;
    while (At != Pieces.end() && At->first.first == R.Object && At->first.second < R.end()) {
      const auto [Begin, Old] = *At;
      HostNeighbours &Last = Neighbours[Old.Last];
      New.Before = New.Before == profile::None ? Last.Api : std::max(New.Before, Last.Api);
      if (Last.After == profile::None)
        Last.After = Api;
      At = Pieces.erase(At);
      // Keeps the parts of a piece that the copy does not overlap.
      if (Begin.second < R.Begin)
        Pieces.insert_or_assign(Begin, Piece{R.Begin, Old.Last});
      if (Old.End > R.end())
        Pieces.insert_or_assign({R.Object, R.end()}, Piece{Old.End, Old.Last});
    }
    Pieces.insert_or_assign({R.Object, R.Begin}, Piece{R.end(), Neighbours.size() - 1});
  }
}

/// Returns whether the host has the data of a copy, or room for them, at another API's position as
/// well.
bool ObjectHistory::canMove(uint32_t Api, uint32_t To) const {
  const profile::Api A = Trace.Apis[Api];
  if (A.Name.str().ends_with("Async") && A.Stream != profile::Api(Trace.Apis[To]).Stream)
    return false;
  const auto At = std::lower_bound(Neighbours.begin(), Neighbours.end(), Api,
                                   [](const HostNeighbours &N, uint32_t Of) { return N.Api < Of; });
  if (At == Neighbours.end() || At->Api != Api)
    return true;
  return Api < To ? At->After == profile::None || At->After > To
                  : At->Before == profile::None || At->Before < To;
}

/// Calls Use once for each object and each API that accesses it, in call order.
template <typename F> void ObjectHistory::forEachUse(F Use) const {
  uint32_t I = 0;
  std::vector<uint32_t> Objects;
  for (const profile::Api &A : Trace.Apis) {
    Objects.clear();
    for (const profile::ApiAccess &Access : A.Accesses)
      Objects.push_back(Access.Object);
    std::sort(Objects.begin(), Objects.end());
    Objects.erase(std::unique(Objects.begin(), Objects.end()), Objects.end());
    for (uint32_t Object : Objects)
      Use(Object, I);
    ++I;
  }
}

std::vector<uint32_t> ObjectHistory::calls(uint32_t Object) const {
  const std::span<const uint32_t> Of = uses(Object);
  std::vector<uint32_t> Calls(Of.begin(), Of.end());
  std::sort(Calls.begin(), Calls.end());
  return Calls;
}

std::vector<uint32_t> ObjectHistory::before(uint32_t Object, uint32_t Api) const {
  std::vector<uint32_t> Some = calls(Object);
  Some.erase(std::lower_bound(Some.begin(), Some.end(), Api), Some.end());
  return Some;
}

std::vector<uint32_t> ObjectHistory::after(uint32_t Object, uint32_t Api) const {
  std::vector<uint32_t> Some = calls(Object);
  Some.erase(Some.begin(), std::upper_bound(Some.begin(), Some.end(), Api));
  return Some;
}

/// Returns In if the API only writes the object, Out if it only reads it, provided that everything
/// else it accesses is host memory; else None.
ObjectHistory::Move ObjectHistory::moveOf(uint32_t Object, uint32_t Api) const {
  const bool Sets = Kinds[Api] == profile::ApiKind::Set;
  if (!WithHost[Api] && !Sets)
    return Move::None;
  bool Reads = false, Writes = false;
  for (const profile::ApiAccess &Access : Trace.Apis[Api].Accesses) {
    if (Access.Object == Object) {
      Reads |= Access.Reads || !Access.Writes;
      Writes |= Access.Writes || !Access.Reads;
    } else if (Trace.Objects[Access.Object].Kind != log::ObjectKind::Pinned) {
      return Move::None;
    }
  }
  if (Reads == Writes)
    return Move::None;
  return Writes ? Move::In : WithHost[Api] ? Move::Out : Move::None;
}

ObjectHistory::Need ObjectHistory::need(uint32_t Object, std::span<const uint32_t> Calls) const {
  std::vector<Move> Moves;
  for (uint32_t Api : Calls)
    Moves.push_back(moveOf(Object, Api));
  Need All = {Calls.front(), Calls.back()};
  if (std::ranges::find(Moves, Move::None) == Moves.end())
    return All;
  const auto IsNot = [](Move Which) { return [Which](Move M) { return M != Which; }; };
  auto First =
      Calls.begin() + (std::find_if(Moves.begin(), Moves.end(), IsNot(Move::In)) - Moves.begin());
  auto Last = Calls.end() - 1 -
              (std::find_if(Moves.rbegin(), Moves.rend(), IsNot(Move::Out)) - Moves.rbegin());
  // An API that must stay also keeps the APIs between it and the span.
  for (auto Each = First; Each != Calls.begin();)
    if (!canMove(*--Each, *First))
      First = Each;
  for (auto Each = Last; Each + 1 != Calls.end();)
    if (!canMove(*++Each, *Last))
      Last = Each;
  const bool MovesIn = !mayBeUsed(Object, All.First, *First);
  const bool MovesOut = !mayBeUsed(Object, *Last, All.Last);
  // APIs directly adjacent to the span stay part of it.
  while (First != Calls.begin() && *(First - 1) + 1 == *First)
    --First;
  while (Last + 1 != Calls.end() && *Last + 1 == *(Last + 1))
    ++Last;
  return {MovesIn ? *First : All.First, MovesOut ? *Last : All.Last};
}

bool ObjectHistory::isAllocated(uint32_t Object) const {
  log::ObjectKind Kind = Trace.Objects[Object].Kind;
  return Kind != log::ObjectKind::GlobalVariable && Kind != log::ObjectKind::Constant;
}

/// Returns true if a sorted vector has a value in [First, Last].
static bool hasBetween(const std::vector<uint32_t> &Sorted, uint32_t First, uint32_t Last) {
  auto At = std::lower_bound(Sorted.begin(), Sorted.end(), First);
  return At != Sorted.end() && *At <= Last;
}

/// Returns true if the host can access the object, or if it is a slab, or part of a slab that is
/// accessed as a whole.
bool ObjectHistory::usedUnseen(uint32_t Object) const {
  const profile::ApiObject &O = Trace.Objects[Object];
  return O.Kind == log::ObjectKind::Managed || O.Kind == log::ObjectKind::Pinned ||
         IsSlab[Object] || O.UsedAfterRelease || (O.Parent && !uses(*O.Parent).empty());
}

bool ObjectHistory::inferredBetween(uint32_t After, std::optional<uint32_t> Before) const {
  const auto IsInferred = [&](uint32_t Api) {
    return std::binary_search(InferredCalls.begin(), InferredCalls.end(), Api);
  };
  // A launch that accesses the object anyway does not lie in between.
  const uint32_t Later = IsInferred(After) ? 1 : 0;
  const uint32_t Earlier = Before && IsInferred(*Before) ? 1 : 0;
  return hasBetween(InferredCalls, After + Later, Before.value_or(UINT32_MAX) - Earlier) ||
         hasBetween(InferredTimes, Timestamps[After] + Later,
                    (Before ? Timestamps[*Before] : UINT32_MAX) - Earlier);
}

bool ObjectHistory::mayBeUsed(uint32_t Object, uint32_t After, uint32_t Before) const {
  return usedUnseen(Object) || inferredBetween(After, Before);
}

bool ObjectHistory::mayBeUsedAfter(uint32_t Object, uint32_t After) const {
  const profile::ApiObject &O = Trace.Objects[Object];
  return usedUnseen(Object) || (!O.Release && !Complete) || inferredBetween(After, O.Release);
}

bool ObjectHistory::mayBeUsed(uint32_t Object) const {
  return mayBeUsedAfter(Object, Trace.Objects[Object].Allocation);
}

bool ObjectHistory::isNeverRead(uint32_t Object) const {
  const auto OnlyWrites = [&](uint32_t Use) {
    if (kind(Use) != profile::ApiKind::Copy && kind(Use) != profile::ApiKind::Set)
      return false;
    const profile::Api A = Trace.Apis[Use];
    return std::none_of(
        A.Accesses.begin(), A.Accesses.end(),
        [&](const profile::ApiAccess &Access) { return Access.Object == Object && Access.Reads; });
  };
  const std::span<const uint32_t> All = uses(Object);
  return !mayBeUsed(Object) && std::all_of(All.begin(), All.end(), OnlyWrites);
}

uint32_t ObjectHistory::skippedBetween(uint32_t Object, uint32_t After, uint32_t Before) const {
  const auto At = std::upper_bound(Skipped.begin(), Skipped.end(), std::pair(Object, After));
  return At != Skipped.end() && At->first == Object && At->second < Before ? At->second
                                                                           : profile::None;
}

uint64_t ObjectHistory::launchesFromParameters(uint32_t Object) const {
  const profile::ApiObject &O = Trace.Objects[Object];
  const auto Begin = isAllocated(Object) ? std::lower_bound(ParameterCalls.begin(),
                                                            ParameterCalls.end(), O.Allocation)
                                         : ParameterCalls.begin();
  const auto End =
      O.Release ? std::lower_bound(Begin, ParameterCalls.end(), *O.Release) : ParameterCalls.end();
  return static_cast<uint64_t>(End - Begin);
}

bool ObjectHistory::mayBeUsedByLaunch(uint32_t Object) const {
  const profile::ApiObject &O = Trace.Objects[Object];
  return inferredBetween(O.Allocation, O.Release);
}

} // namespace gmprof::analysis
