//===- Sweeps.cpp - Accesses with constant stride -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sweeps.h"

#include "ExecutedAddress.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace gmprof;

const SCEV *Sweep::tripCount(ScalarEvolution &SE) const {
  Type *Int = Type::getInt64Ty(SE.getContext());
  const SCEV *Trips = SE.getTruncateOrZeroExtend(BackedgesTaken, Int);
  return ExecutesInLastIteration ? SE.getAddExpr(Trips, SE.getOne(Int)) : Trips;
}

Sweeps::Sweeps(Function &F, const LoopInfo &LI, const CycleInfo &CI, const DominatorTree &DT,
               ScalarEvolution &SE)
    : LI(LI), DT(DT), SE(SE), Flow(F), Loops(LI, CI, DT, Flow, SE) {}

/// Returns the access's address as an affine recurrence of L, or null.
static const SCEVAddRecExpr *evenAddress(const Access &A, const Loop &L, ScalarEvolution &SE) {
  for (const SCEV *Address : {executedAddress(A.Pointer, SE), SE.getSCEV(A.Pointer)})
    if (const auto *Even = dyn_cast<SCEVAddRecExpr>(Address);
        Even && Even->getLoop() == &L && Even->isAffine())
      return Even;
  return nullptr;
}

/// Adds the access's own displacement.
static const SCEV *displaced(const SCEV *Address, const Access &A, ScalarEvolution &SE) {
  Type *Int = SE.getEffectiveSCEVType(Address->getType());
  return SE.getAddExpr(Address, SE.getConstant(Int, A.Displacement, /*isSigned=*/true));
}

const Loop *Sweeps::loopOf(const Access &A, const char *&Why) const {
  const auto Refuse = [&](const char *Reason) {
    Why = Reason;
    return nullptr;
  };
  if (const char *Reason = whyNotPlain(A))
    return Refuse(Reason);
  const BasicBlock &BB = *A.Inst->getParent();
  const Loop *L = LI.getLoopFor(&BB);
  if (!L)
    return Refuse("not in a loop");
  if (Loops.isInIrreducibleCycle(BB))
    return Refuse("irreducible control flow");
  if (any_of(L->blocks(), [&](const BasicBlock *In) { return Flow.mayLeaveIn(*In); }))
    return Refuse("the loop has an opaque call");
  return L;
}

std::optional<Sweep> Sweeps::sweep(const Access &A, const char *&Why) const {
  const auto Refuse = [&](const char *Reason) {
    Why = Reason;
    return std::nullopt;
  };
  const Loop *L = loopOf(A, Why);
  if (!L)
    return std::nullopt;
  const BasicBlock &BB = *A.Inst->getParent();
  if (const char *Reason = Loops.whyNotOnceInEachIteration(BB, *L))
    return Refuse(Reason);
  const SCEVAddRecExpr *Address = evenAddress(A, *L, SE);
  if (!Address)
    return Refuse("the address does not change evenly in the loop");
  const auto *Stride = dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE));
  if (!Stride)
    return Refuse("the stride is not constant");
  const BasicBlock *Exiting = L->getExitingBlock();
  const SCEV *Taken = SE.getBackedgeTakenCount(L);
  if (!Exiting || isa<SCEVCouldNotCompute>(Taken))
    return Refuse("the trip count is not known before the loop");
  SCEVExpander Expander(SE, "gm");
  const Instruction *Before = L->getLoopPreheader()->getTerminator();
  const SCEV *Start = displaced(Address->getStart(), A, SE);
  if (!Expander.isSafeToExpandAt(Start, Before) || !Expander.isSafeToExpandAt(Taken, Before))
    return Refuse("start or trip count cannot be computed before the loop");
  return Sweep{L, Start, Stride->getAPInt().getSExtValue(), Taken,
               executesInLastIteration(&BB, Exiting, DT)};
}

bool Sweeps::isLeftTogether(const Loop &L, const ThreadInvariance &Invariance) const {
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Edges;
  L.getExitEdges(Edges);
  return all_of(Edges, [&](const auto &Edge) {
    return Flow.endsKernel(*Edge.second) || !Invariance.hasDivergentBranch(*Edge.first);
  });
}

std::optional<PartialSweep> Sweeps::partialSweep(const Access &A,
                                                 const ThreadInvariance &Invariance) const {
  const char *Why = nullptr;
  const Loop *L = loopOf(A, Why);
  if (!L || !L->getLoopPreheader() || !isLeftTogether(*L, Invariance))
    return std::nullopt;
  const SCEV *Start = executedAddress(A.Pointer, SE);
  int64_t Stride = 0;
  if (!SE.isLoopInvariant(Start, L)) {
    const SCEVAddRecExpr *Address = evenAddress(A, *L, SE);
    const auto *Step = Address ? dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE)) : nullptr;
    if (!Step)
      return std::nullopt;
    Start = Address->getStart();
    Stride = Step->getAPInt().getSExtValue();
  }
  Start = displaced(Start, A, SE);
  if (!SCEVExpander(SE, "gm").isSafeToExpandAt(Start, L->getLoopPreheader()->getTerminator()))
    return std::nullopt;
  return PartialSweep{L, Start, Stride};
}
