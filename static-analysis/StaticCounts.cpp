//===- StaticCounts.cpp - Counts known at compile time --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "StaticCounts.h"
#include "LoopInvariance.h"
#include "UniformExecution.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;
using namespace gmprof;

const char *StaticCounts::findOffset(const Access &A, ArrayRef<Variable> Variables,
                                     uint64_t &Offset) const {
  if (A.Space != GMPROF_SPACE_SHARED || A.Variable < 0 ||
      Variables[A.Variable].Kind != GMPROF_VARIABLE_SHARED)
    return "not a shared variable of known size";
  const Variable &V = Variables[A.Variable];
  const DataLayout &DL = A.Inst->getDataLayout();
  if (!A.Pointer->getType()->isPointerTy())
    return "the address is not constant";
  APInt Sum(DL.getIndexTypeSizeInBits(A.Pointer->getType()), 0);
  const Value *Base =
      A.Pointer->stripAndAccumulateConstantOffsets(DL, Sum, /*AllowNonInbounds=*/true);
  if (Base != V.Base)
    return "the address is not constant";
  int64_t Start = Sum.getSExtValue() + A.Displacement;
  if (A.Bytes == 0)
    return "the length is not constant";
  if (Start < 0 || uint64_t(Start) + A.Bytes > V.Bytes)
    return "outside the variable";
  Offset = Start;
  return nullptr;
}

std::optional<uint64_t> StaticCounts::executionsIn(const BasicBlock &BB, const Loop &L) const {
  // The exit with the smallest count is taken, the first of equal ones. Counted exits dominate the
  // latch, so they are ordered.
  SmallVector<BasicBlock *, 4> ExitingBlocks;
  L.getExitingBlocks(ExitingBlocks);
  const BasicBlock *Taken = nullptr;
  uint64_t BackedgesTaken = 0;
  for (const BasicBlock *Exiting : ExitingBlocks) {
    bool EndsKernel = all_of(successors(Exiting), [&](const BasicBlock *To) {
      return L.contains(To) || Flow.endsKernel(*To);
    });
    if (EndsKernel)
      continue;
    auto *Count = dyn_cast<SCEVConstant>(SE.getExitCount(&L, Exiting));
    if (!Count || Count->getAPInt().getActiveBits() > 32)
      return std::nullopt;
    uint64_t Value = Count->getAPInt().getZExtValue();
    if (!Taken || Value < BackedgesTaken ||
        (Value == BackedgesTaken && DT.dominates(Exiting, Taken))) {
      Taken = Exiting;
      BackedgesTaken = Value;
    }
  }
  if (!Taken)
    return std::nullopt;
  return BackedgesTaken + executesInLastIteration(&BB, Taken, DT);
}

const char *StaticCounts::findCount(const BasicBlock &BB, uint64_t &Count) const {
  if (Loops.isInIrreducibleCycle(BB))
    return "irreducible control flow";
  Count = 1;
  const BasicBlock *Inner = &BB;
  for (const Loop *L = LI.getLoopFor(&BB); L; L = L->getParentLoop()) {
    if (const char *Why = Loops.whyNotOnceInEachIteration(*Inner, *L))
      return Why;
    std::optional<uint64_t> Executions = executionsIn(*Inner, *L);
    if (!Executions)
      return "in a loop whose trip count is not constant";
    Count *= *Executions;
    if (Count > UINT32_MAX)
      return "the count is too large";
    Inner = L->getHeader();
  }
  if (!Flow.postDominates(*Inner, BB.getParent()->getEntryBlock()))
    return "not executed whenever the kernel is";
  return nullptr;
}

void StaticCounts::analyse(Access &A, ArrayRef<Variable> Variables) const {
  StaticCount Result;
  uint64_t Count = 0;
  if (const char *Why = findOffset(A, Variables, Result.Offset)) {
    A.StaticReason = Why;
  } else if (!A.UniformExecution) {
    A.StaticReason = A.UniformExecution.Why;
  } else if (A.Predicate) {
    A.StaticReason = "has a predicate";
  } else if (const char *Why = findCount(*A.Inst->getParent(), Count)) {
    A.StaticReason = Why;
  } else {
    Result.Count = Count;
    A.Static = Result;
  }
}
