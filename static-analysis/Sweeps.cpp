//===- Sweeps.cpp - Accesses that a loop moves on evenly ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "Sweeps.h"
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

/// The address, where ScalarEvolution does not see that an index cannot overflow: a sum that is
/// marked so is the sum of the extended numbers.
static const SCEV *addressWithoutOverflow(Value *Pointer, ScalarEvolution &SE) {
  auto *GEP = dyn_cast<GEPOperator>(Pointer);
  if (!GEP)
    return SE.getSCEV(Pointer);
  SmallVector<const SCEV *, 4> Indices;
  for (Value *Index : GEP->indices()) {
    const SCEV *Found = SE.getSCEV(Index);
    if (auto *Extended = dyn_cast<SExtInst>(Index))
      if (auto *Sum = dyn_cast<BinaryOperator>(Extended->getOperand(0));
          Sum && Sum->getOpcode() == Instruction::Add && Sum->hasNoSignedWrap()) {
        auto Extend = [&](Value *V) {
          return SE.getSignExtendExpr(SE.getSCEV(V), Index->getType());
        };
        Found = SE.getAddExpr(Extend(Sum->getOperand(0)), Extend(Sum->getOperand(1)));
      }
    Indices.push_back(Found);
  }
  return SE.getGEPExpr(GEP, Indices);
}

std::optional<Sweep> Sweeps::sweep(const Access &A, const char *&Why) const {
  const auto Refuse = [&](const char *Reason) {
    Why = Reason;
    return std::nullopt;
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
  if (const char *Reason = Loops.whyNotOnceInEachIteration(BB, *L))
    return Refuse(Reason);
  const auto *Address = dyn_cast<SCEVAddRecExpr>(addressWithoutOverflow(A.Pointer, SE));
  if (!Address)
    Address = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(A.Pointer));
  if (!Address || Address->getLoop() != L || !Address->isAffine())
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
  const SCEV *Start = SE.getAddExpr(
      Address->getStart(), SE.getConstant(Stride->getType(), A.Displacement, /*isSigned=*/true));
  if (!Expander.isSafeToExpandAt(Start, Before) || !Expander.isSafeToExpandAt(Taken, Before))
    return Refuse("start or trip count cannot be computed before the loop");
  return Sweep{L, Start, Stride->getAPInt().getSExtValue(), Taken,
               executesInLastIteration(&BB, Exiting, DT)};
}
