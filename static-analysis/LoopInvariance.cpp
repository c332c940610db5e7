//===- LoopInvariance.cpp - Loop-invariant accesses -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "LoopInvariance.h"
#include "UniformExecution.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace gmprof;

bool gmprof::executesInLastIteration(const BasicBlock *BB, const BasicBlock *Exiting,
                                     const DominatorTree &DT) {
  return DT.dominates(BB, Exiting);
}

bool LoopInvariance::isInIrreducibleCycle(const BasicBlock &BB) const {
  for (const Cycle *C = CI.getCycle(&BB); C; C = C->getParentCycle())
    if (!C->isReducible())
      return true;
  return false;
}

const char *LoopInvariance::whyNotOnceInEachIteration(const BasicBlock &BB, const Loop &L) const {
  if (!L.getLoopPreheader() || !L.getLoopLatch())
    return "the loop has several entries or back edges";
  if (!DT.dominates(&BB, L.getLoopLatch()))
    return "not executed in every iteration";
  return nullptr;
}

bool LoopInvariance::isInvariant(Value *V, const Loop &L) const {
  if (!V || L.isLoopInvariant(V))
    return true;
  if (!SE.isSCEVable(V->getType()))
    return false;
  const SCEV *S = SE.getSCEV(V);
  if (!SE.isLoopInvariant(S, &L))
    return false;
  SCEVExpander Expander(SE, "gm");
  return Expander.isSafeToExpandAt(S, L.getLoopPreheader()->getTerminator());
}

/// Inner is the access's block, or the header of the last loop in the list.
const char *LoopInvariance::whyNotInvariant(const Access &A, const BasicBlock &Inner,
                                            const Loop &L) const {
  for (const BasicBlock *BB : L.blocks())
    if (Flow.mayLeaveIn(*BB))
      return "the loop has an opaque call";
  if (const char *Why = whyNotOnceInEachIteration(Inner, L))
    return Why;
  if (!isInvariant(A.Pointer, L))
    return "the address changes in the loop";
  if (!isInvariant(A.Length, L) || !isInvariant(A.Predicate, L) ||
      (A.Tile && !isInvariant(A.Tile->Stride, L)))
    return "the length or predicate changes in the loop";
  return nullptr;
}

void LoopInvariance::analyse(Access &A) const {
  const BasicBlock *Inner = A.Inst->getParent();
  const Loop *L = LI.getLoopFor(Inner);
  if (L && isInIrreducibleCycle(*Inner)) {
    A.LoopReason = "irreducible control flow";
    return;
  }
  for (; L; L = L->getParentLoop()) {
    if (const char *Why = whyNotInvariant(A, *Inner, *L)) {
      A.LoopReason = Why;
      return;
    }
    A.InvariantLoops.push_back(L);
    Inner = L->getHeader();
  }
}
