//===- ObjectHistory.cpp - When objects are used --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectHistory.h"
#include <algorithm>
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
  // The uses of an object are counted, then put in their place.
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
    if (A.Inferred) {
      InferredCalls.push_back(I);
      InferredTimes.push_back(Timestamps[I]);
    }
    if (A.FromParameters)
      ParameterCalls.push_back(I);
    ++I;
  }
  std::sort(InferredTimes.begin(), InferredTimes.end());
}

/// Calls Use with each object and API that accesses it, once, in the order of calls.
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

/// Whether the API writes (or reads) the object, and all else that it needs is the host's.
bool ObjectHistory::moves(uint32_t Object, uint32_t Api, bool Writes) const {
  const profile::Api &A = Trace.Apis[Api];
  if (!A.WithHost && !(A.Kind == profile::ApiKind::Set && Writes))
    return false;
  return std::all_of(A.Accesses.begin(), A.Accesses.end(), [&](const profile::ApiAccess &Access) {
    return Access.Object == Object ? Access.Writes == Writes && Access.Reads != Writes
                                   : Trace.Objects[Access.Object].Kind == log::ObjectKind::Pinned;
  });
}

ObjectHistory::Need ObjectHistory::need(uint32_t Object, std::span<const uint32_t> Calls) const {
  auto Later = [&](uint32_t Api) { return moves(Object, Api, true); };
  auto Sooner = [&](uint32_t Api) { return moves(Object, Api, false); };
  Need All = {Calls.front(), Calls.back()};
  if (std::all_of(Calls.begin(), Calls.end(), [&](uint32_t I) { return Later(I) || Sooner(I); }))
    return All;
  auto First = std::find_if_not(Calls.begin(), Calls.end(), Later);
  auto Last = std::find_if_not(Calls.rbegin(), Calls.rend(), Sooner).base() - 1;
  const bool Moves = !mayBeUsed(Object, All.First, *First);
  const bool MovesBack = !mayBeUsed(Object, *Last, All.Last);
  // What is called right before or after stays where it is.
  while (First != Calls.begin() && *(First - 1) + 1 == *First)
    --First;
  while (Last + 1 != Calls.end() && *Last + 1 == *(Last + 1))
    ++Last;
  return {Moves ? *First : All.First, MovesBack ? *Last : All.Last};
}

bool ObjectHistory::isAllocated(uint32_t Object) const {
  log::ObjectKind Kind = Trace.Objects[Object].Kind;
  return Kind != log::ObjectKind::GlobalVariable && Kind != log::ObjectKind::Constant;
}

/// Whether a sorted vector has a value from First to Last.
static bool hasBetween(const std::vector<uint32_t> &Sorted, uint32_t First, uint32_t Last) {
  auto At = std::lower_bound(Sorted.begin(), Sorted.end(), First);
  return At != Sorted.end() && *At <= Last;
}

/// The host can access it, or it is a slab, or part of one that is accessed as a whole.
bool ObjectHistory::usedUnseen(uint32_t Object) const {
  const profile::ApiObject &O = Trace.Objects[Object];
  return O.Kind == log::ObjectKind::Managed || O.Kind == log::ObjectKind::Pinned ||
         IsSlab[Object] || (O.Parent && !uses(*O.Parent).empty());
}

bool ObjectHistory::inferredBetween(uint32_t After, std::optional<uint32_t> Before) const {
  // What accesses the object anyway does not lie between.
  const uint32_t Later = Trace.Apis[After].Inferred ? 1 : 0;
  const uint32_t Earlier = Before && Trace.Apis[*Before].Inferred ? 1 : 0;
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
