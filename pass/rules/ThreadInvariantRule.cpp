//===- ThreadInvariantRule.cpp - One thread counts for others -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1, lines 21 and 22. If all threads of the block provably execute the access equally
// often, the block's first thread counts for all of them. Otherwise the first of the lanes that
// execute it together counts for them; the hook compares their addresses, because lanes may be at
// different iterations of a loop. Several warps then update the same counter, so the update is
// atomic.
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

#include "llvm/ADT/Statistic.h"

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(AccessesByOneThread, "Accesses counted by one thread for others");

std::optional<GmprofRule> gmprof::countByOneThread(const Access &A, RuleContext &Context) {
  if (!A.ThreadInvariantAddress || A.Predicate || A.Length || A.Lanes != 32 || A.Tile)
    return std::nullopt;
  Update U = Context.update(A);
  U.By = A.UniformExecution && Context.C.IsKernel ? Update::FirstThread : Update::ActiveLanes;
  Context.Planned.addAfter(A, U);
  ++AccessesByOneThread;
  return GMPROF_RULE_THREAD_INVARIANT;
}
