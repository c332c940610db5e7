//===- SweepRule.cpp - A loop's accesses counted before it ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beyond GMProf's Algorithm 1: where an access moves on by the same number of bytes in each
// iteration, and the number of iterations is known when the loop is entered (Sweeps.h), each thread
// has all of the loop's accesses counted at once, before the loop. The lanes of a warp are
// converged there, and the loop needs no registers for counting.
//
// Unrolling splits a sweep into several, each of which skips the bytes of the others: the rule
// joins them again.
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <map>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(AccessesSwept, "Accesses counted before loops");

std::optional<GmprofRule> gmprof::countSweep(const Access &A, RuleContext &Context,
                                             const char *&Why) {
  std::optional<Sweep> S = Context.Swept.sweep(A, Why);
  if (!S)
    return std::nullopt;
  Update U = Context.update(A);
  U.Before = S->L->getLoopPreheader()->getTerminator();
  U.Displacement = 0; // Start has it
  Context.PlannedSweeps.push_back({*S, U});
  ++AccessesSwept;
  return GMPROF_RULE_SWEEP;
}

/// Returns whether B makes the same steps as A at another place of the same object.
static bool makesSameSteps(const PlannedSweep &A, const PlannedSweep &B) {
  return A.S.L == B.S.L && A.S.Stride == B.S.Stride && A.S.BackedgesTaken == B.S.BackedgesTaken &&
         A.S.ExecutesInLastIteration == B.S.ExecutesInLastIteration && A.U.Bytes == B.U.Bytes &&
         A.U.Counter == B.U.Counter && A.U.Root == B.U.Root && A.U.Space == B.U.Space &&
         A.U.Pointer->getType() == B.U.Pointer->getType();
}

/// Returns the sweeps, including First, that together cover all bytes, by their distance from
/// First; or First alone.
static std::map<int64_t, const PlannedSweep *>
partsOf(ArrayRef<PlannedSweep> Sweeps, const PlannedSweep &First, ScalarEvolution &SE) {
  std::map<int64_t, const PlannedSweep *> Parts;
  for (const PlannedSweep &Other : Sweeps) {
    if (!makesSameSteps(First, Other))
      continue;
    const auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Other.S.Start, First.S.Start));
    if (Distance && !Parts.emplace(Distance->getAPInt().getSExtValue(), &Other).second)
      return {{0, &First}}; // an access that is made twice
  }
  const int64_t Bytes = First.U.Bytes, Span = Parts.rbegin()->first - Parts.begin()->first + Bytes;
  const auto Number = static_cast<int64_t>(Parts.size());
  if (Span == Number * Bytes && Span == std::abs(First.S.Stride) &&
      all_of(Parts, [&](const auto &P) { return (P.first - Parts.begin()->first) % Bytes == 0; }))
    return Parts;
  return {{0, &First}};
}

void gmprof::planSweeps(RuleContext &Context) {
  ScalarEvolution &SE = Context.SE;
  SmallPtrSet<const PlannedSweep *, 8> Done;
  for (const PlannedSweep &First : Context.PlannedSweeps) {
    if (Done.contains(&First))
      continue;
    const auto Parts = partsOf(Context.PlannedSweeps, First, SE);
    const auto &[_, Begin] = First.S.Stride > 0 ? *Parts.begin() : *Parts.rbegin();
    for (const auto &[_, Part] : Parts)
      Done.insert(Part);
    SCEVExpander Expander(SE, "gm");
    Update U = First.U;
    U.Pointer = Expander.expandCodeFor(Begin->S.Start, U.Pointer->getType(), U.Before);
    U.Stride = First.S.Stride / static_cast<int64_t>(Parts.size());
    const SCEV *Trips = First.S.tripCount(SE);
    Trips = SE.getMulExpr(Trips, SE.getConstant(Trips->getType(), Parts.size()));
    U.Times = Expander.expandCodeFor(Trips, nullptr, U.Before);
    Context.Planned.add(U);
  }
}
