//===- ObjectAccesses.cpp - Counted accesses to an object -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ObjectAccesses.h"
#include "profile/CounterKind.h"
#include "profile/ElementSize.h"
#include "profile/Parallel.h"
#include "profile/Saturating.h"
#include <algorithm>

namespace gmprof::analysis {

using namespace profile;

static const ApiObject &describe(const CountedLaunches &All, uint32_t Object) {
  return All.history().trace().Objects[Object];
}

ObjectAccesses::ObjectAccesses(const CountedLaunches &All, uint32_t Object, size_t Threads)
    : All(All), Object(Object), Id(describe(All, Object).Id), Threads(Threads),
      Shift(smallestShift()), Elements(((describe(All, Object).Bytes - 1) >> Shift) + 1) {
  for (const GlobalCounts *R : All.recordsOf(Id))
    Records.emplace_back().Of = R;
}

bool ObjectAccesses::isAccessedBy(const CountedContext &C, uint32_t Variable) const {
  return C.Of->Objects[Variable] == Id && All.kernel(C).IsAccessed[Variable];
}

unsigned ObjectAccesses::smallestShift() const {
  constexpr unsigned WordShift = 2; // if nothing accesses the object
  std::optional<unsigned> Smallest;
  const auto Consider = [&](unsigned Each) {
    Smallest = std::min(Smallest.value_or(MaxElementShift), Each);
  };
  for (uint32_t I : All.contextsOf(Id)) {
    const CountedContext &C = All.context(I);
    for (uint32_t V = 0; V < C.Of->Objects.size(); ++V)
      if (isAccessedBy(C, V))
        Consider(elementShift(All.descriptor(C), V));
  }
  for (const GlobalCounts *R : All.recordsOf(Id))
    Consider(R->ElementShift);
  return Smallest.value_or(WordShift);
}

std::vector<uint32_t> ObjectAccesses::contexts() const {
  std::set<uint32_t> Reaching;
  for (uint32_t I : All.contextsOf(Id))
    if (mayAccess(All.context(I)))
      Reaching.insert(I);
  for (const GlobalCounts *R : All.recordsOf(Id))
    if (const std::optional<uint32_t> Context = All.indexOf(R->Context))
      Reaching.insert(*Context);
  return {Reaching.begin(), Reaching.end()};
}

bool ObjectAccesses::mayAccess(const CountedContext &C) const {
  for (uint32_t V = 0; V < C.Of->Objects.size(); ++V)
    if (isAccessedBy(C, V))
      return true;
  return false;
}

bool ObjectAccesses::isCounted(const Site &S, const CountedContext &C) const {
  return S.Variable != None && C.Of->Objects[S.Variable] == Id &&
         S.GlobalRule != GMPROF_RULE_NOT_COUNTED &&
         (S.GlobalRule != GMPROF_RULE_CLOSED_FORM || !C.Of->ClosedForms);
}

bool ObjectAccesses::counts(const CountedContext &C) const {
  return std::ranges::any_of(All.descriptor(C).Sites,
                             [&](const Site &S) { return isCounted(S, C); });
}

bool ObjectAccesses::isWhole(const CountedContext &C, const RecordUses &Records) const {
  const bool Anywhere = All.kernel(C).CountsAnywhere;
  if (!counts(C) && Records.empty() && !Anywhere)
    return true;
  if (Anywhere && !records(C.Of->Kernel, 0).empty())
    return false;
  if (C.Of->BlockSample > 1 || C.Of->LaunchesCounted != C.Launches)
    return false;
  std::array<uint64_t, GMPROF_COUNTER_KINDS> Launches = {};
  for (const RecordUse *R : Records)
    Launches[R->Of->Kind] = addSaturating(Launches[R->Of->Kind], R->Of->Launches);
  const auto HasAllLaunches = [&](const Site &S) {
    for (unsigned Kind = 0; Kind < GMPROF_COUNTER_KINDS; ++Kind)
      if (counterKind(S.Kind).value_or(static_cast<GmprofCounterKind>(Kind)) == Kind &&
          Launches[Kind] != C.Launches)
        return false;
    return true;
  };
  return std::ranges::all_of(All.descriptor(C).Sites,
                             [&](const Site &S) { return !isCounted(S, C) || HasAllLaunches(S); });
}

RecordUses ObjectAccesses::records(uint32_t Kernel, uint64_t Context) const {
  RecordUses Found;
  for (const RecordUse &R : Records)
    if (R.Of->Kernel == Kernel && R.Of->Context == Context)
      Found.push_back(&R);
  return Found;
}

std::optional<CountedRun> ObjectAccesses::read(const GlobalCounts &R) const {
  CountedRun Run;
  Run.Wider = R.ElementShift - Shift;
  Run.First = R.FirstElement << Run.Wider;
  const uint64_t Wide = ((Elements - 1) >> Run.Wider) + 1;
  if (R.FirstElement > Wide || R.Elements > Wide - R.FirstElement ||
      !decompressCounts(R.Compressed, R.Elements, R.ThresholdReached, Run.Counts))
    return std::nullopt;
  return Run;
}

void ObjectAccesses::readRecords(ElementSet &Set) {
  constexpr size_t Together = 8; // records per task, enough work for a thread
  constexpr uint64_t Few = 16;   // take hardly any memory
  const uint64_t Kept =
      std::max<uint64_t>(Few, MostProgressions / std::max<uint64_t>(Records.size(), 1));
  const auto Read = [&](RecordUse &R, ElementSet &To) {
    const std::optional<CountedRun> Counted = read(*R.Of);
    R.Damaged = !Counted;
    if (!Counted)
      return;
    Counted->forEachRun([&](ElementRun Run) {
      if (++R.Runs <= Kept)
        R.Few.push_back(Run);
      if (!Set.full())
        To.add(Run);
    });
    if (R.Runs > Kept)
      R.Few = {};
  };
  inParallelInOrder<std::optional<ElementSet>>(
      (Records.size() + Together - 1) / Together,
      [&](size_t I, std::optional<ElementSet> &To) {
        To.emplace(Elements);
        for (size_t R = I * Together; R < std::min(Records.size(), (I + 1) * Together); ++R)
          Read(Records[R], *To);
      },
      [&](const std::optional<ElementSet> &Found) { Set.add(*Found); }, Threads);
}

ElementRun ObjectAccesses::runOf(const ApiAccess &A) const {
  if (A.Bytes == 0)
    return {0, Elements};
  const uint64_t First = A.Offset >> Shift;
  return {First, ((A.Offset + A.Bytes - 1) >> Shift) - First + 1};
}

} // namespace gmprof::analysis
