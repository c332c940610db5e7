//===- SweepRule.cpp - A loop's accesses counted before it ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beyond GMProf's Algorithm 1: where an access moves on by the same number of bytes
// in each iteration, and the number of iterations is known when the loop is entered
// (Sweeps.h), each thread has all of the loop's accesses counted at once,
// before the loop. There the lanes of a warp are together, and nothing has to be
// kept in registers through the loop.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace gmprof;

std::optional<GmprofRule> gmprof::countSweep(const Access &A, RuleContext &Context,
                                             const char *&Why) {
  std::optional<Sweep> S = Context.Swept.sweep(A, Why);
  if (!S)
    return std::nullopt;
  ScalarEvolution &SE = Context.SE;
  SCEVExpander Expander(SE, "gm");
  Instruction *Before = S->L->getLoopPreheader()->getTerminator();
  Update U = Context.update(A);
  U.Before = Before;
  U.Pointer = Expander.expandCodeFor(S->Start, A.Pointer->getType(), Before);
  U.Displacement = 0; // Start has it
  U.Stride = S->Stride;
  Type *Int = Type::getInt64Ty(Before->getContext());
  const SCEV *Trips = SE.getTruncateOrZeroExtend(S->BackedgesTaken, Int);
  if (S->ExecutesInLastIteration)
    Trips = SE.getAddExpr(Trips, SE.getOne(Int));
  U.Times = Expander.expandCodeFor(Trips, Int, Before);
  Context.Planned.add(U);
  return GMPROF_RULE_SWEEP;
}
