//===- EachAccessRule.cpp - Every access counts itself ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1, lines 23 and 24.
//
// Consecutive accesses of a thread to adjacent bytes of global memory count like one access of all
// their bytes: one search finds the counters, which are in one or two words. Accesses to parts of
// words do not count together: they would become one access to a word.
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include <map>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(AccessesEach, "Accesses counted each time by each thread");

GmprofRule gmprof::countEach(const Access &A, RuleContext &Context) {
  Context.Planned.addAfter(A, Context.update(A));
  ++AccessesEach;
  return GMPROF_RULE_COUNTED;
}

static constexpr unsigned WordBytes = 4, MostBytes = 64;

GmprofRule gmprof::countEachBeside(const Access &A, RuleContext &Context) {
  Update U = Context.update(A);
  U.Before = Context.Planned.placeAfter(A);
  if (U.Bytes % WordBytes == 0 && U.Bytes != 0 && U.Lanes == 32 && !U.Predicate && !U.Tile &&
      !U.Length && !U.Displacement && Context.SE.isSCEVable(U.Pointer->getType()))
    Context.PlannedEach.push_back(U);
  else
    Context.Planned.add(U);
  ++AccessesEach;
  return GMPROF_RULE_COUNTED;
}

static bool mayCountTogether(const Update &A, const Update &B) {
  return A.Before == B.Before && A.Bytes == B.Bytes && A.Counter == B.Counter && A.Root == B.Root &&
         A.Space == B.Space && A.Pointer->getType() == B.Pointer->getType();
}

void gmprof::planEach(RuleContext &Context) {
  ScalarEvolution &SE = Context.SE;
  SmallPtrSet<const Update *, 8> Done;
  for (const Update &First : Context.PlannedEach) {
    if (Done.contains(&First))
      continue;
    std::map<int64_t, const Update *> ByDistance;
    for (const Update &Other : Context.PlannedEach)
      if (!Done.contains(&Other) && mayCountTogether(First, Other))
        if (const auto *Distance = dyn_cast<SCEVConstant>(
                SE.getMinusSCEV(SE.getSCEV(Other.Pointer), SE.getSCEV(First.Pointer))))
          ByDistance.emplace(Distance->getAPInt().getSExtValue(), &Other);
    const int64_t Bytes = First.Bytes;
    int64_t Begin = 0, End = Bytes;
    for (; End - Begin < MostBytes && ByDistance.contains(Begin - Bytes); Begin -= Bytes)
      ;
    for (; End - Begin < MostBytes && ByDistance.contains(End); End += Bytes)
      ;
    for (int64_t At = Begin; At != End; At += Bytes)
      Done.insert(ByDistance[At]);
    Update U = *ByDistance[Begin];
    U.Bytes = static_cast<unsigned>(End - Begin);
    Context.Planned.add(U);
  }
}
