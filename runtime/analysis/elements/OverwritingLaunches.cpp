//===- OverwritingLaunches.cpp - Launches that overwrite an object --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/OverwritingLaunches.h"
#include "analysis/elements/FormElements.h"
#include "profile/CounterKind.h"
#include <algorithm>

namespace gmprof::analysis {

using namespace profile;

/// Returns true if launches of the context have no access to the object but stores of whole
/// elements.
static bool onlyWrites(const ObjectAccesses &Of, const CountedContext &C,
                       const RecordUses &Records) {
  const auto IsWrite = [&](const Site &S) {
    return S.Variable == None || C.Of->Objects[S.Variable] != Of.id() ||
           S.GlobalRule == GMPROF_RULE_NOT_COUNTED ||
           (counterKind(S.Kind) == GMPROF_COUNTER_WRITES && S.Bytes >> Of.shift() != 0);
  };
  return std::ranges::all_of(Of.launches().descriptor(C).Sites, IsWrite) &&
         std::ranges::all_of(Records, [](const RecordUse *R) {
           return R->Runs == 0 || R->Of->Kind == GMPROF_COUNTER_WRITES;
         });
}

/// Returns true if each launch of the context writes all elements and reads none. Counters do not
/// tell several launches apart.
static bool overwrites(ObjectAccesses &Of, const CountedContext &C) {
  const CountedKernel &K = Of.launches().kernel(C);
  const RecordUses Records = Of.records(C.Of->Kernel, C.Of->Context);
  if (!K.Problem.empty() || !K.Uncounted.empty() || K.CountsAnywhere || !Of.isWhole(C, Records) ||
      !onlyWrites(Of, C, Records) || (C.Launches != 1 && (Of.counts(C) || !Records.empty())))
    return false;
  ElementSet Written(Of.elements());
  FormElements ByForms(Of, Written);
  Of.progressions(C, [&](const Progression &Each, unsigned Bytes) { ByForms.add(Each, Bytes); });
  ByForms.finish();
  for (const RecordUse *R : Records) {
    const std::optional<CountedRun> Counted = Of.read(*R->Of);
    if (!Counted || Counted->Wider != 0)
      return false;
    Counted->forEachRun([&](ElementRun Run) { Written.add(Run); });
  }
  return Written.full();
}

std::vector<uint32_t> overwritingLaunches(ObjectAccesses &Accesses) {
  const ApiTrace &T = Accesses.history().trace();
  const auto IsSet = [&](uint32_t I) { return T.Apis[I].Kind == ApiKind::Set; };
  std::vector<uint32_t> Apis;
  if (Accesses.elements() << Accesses.shift() != T.Objects[Accesses.object()].Bytes ||
      std::ranges::none_of(Accesses.history().uses(Accesses.object()), IsSet))
    return Apis;
  for (const uint32_t I : Accesses.contexts())
    if (const CountedContext &C = Accesses.launches().context(I);
        C.Launches == C.Apis.size() && overwrites(Accesses, C))
      Apis.insert(Apis.end(), C.Apis.begin(), C.Apis.end());
  std::ranges::sort(Apis);
  return Apis;
}

} // namespace gmprof::analysis
