//===- RangeRule.cpp - Where live ranges begin and end --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/rules/RangeRule.h"

#include "static-analysis/AddressSpaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(AccessesAtRanges, "Accesses counted at boundaries of live ranges");

static constexpr const char *BeginMark = "gm.range.begin", *EndMark = "gm.range.end";

static bool isMarked(const Instruction &I, const char *Mark) { return I.getMetadata(Mark); }

static void mark(Instruction &I, const char *Mark) {
  I.setMetadata(Mark, MDNode::get(I.getContext(), {}));
}

/// Marks the moves for which Here holds.
static void markMoves(const LiveRanges &Ranges, function_ref<bool(const Instruction &)> Here) {
  for (const Move &M : Ranges.Moves) {
    if (M.What == Move::Begin && Here(*M.Inst))
      mark(*M.Inst, BeginMark);
    for (Instruction *Read : M.Reads)
      if (Here(*Read))
        mark(*Read, EndMark);
  }
}

bool gmprof::markMovesInCallees(Function &Kernel, FunctionAnalysisManager &FAM) {
  const LiveRanges Ranges = findLiveRanges(Kernel);
  markMoves(Ranges, [&](const Instruction &I) { return I.getFunction() != &Kernel; });
  return mayHaveSeveralRanges(Ranges, Kernel, FAM);
}

void gmprof::unmarkMoves(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      for (const char *Mark : {BeginMark, EndMark})
        I.setMetadata(Mark, nullptr);
}

/// Returns the variable that represents Base: all `extern __shared__` variables share one.
static const Value *ownerOf(const Value *Base, ArrayRef<GlobalVariable *> Variables) {
  if (!Base || !isDynamicSharedMemory(Base))
    return Base;
  return *find_if(Variables, [](const GlobalVariable *V) { return isDynamicSharedMemory(V); });
}

void gmprof::planRanges(CountingClone &C, const LiveRanges &Ranges,
                        ArrayRef<GlobalVariable *> Variables) {
  C.CountsRanges = true;
  markMoves(Ranges, [&](const Instruction &I) { return I.getFunction() == C.F; });
  SmallPtrSet<const Value *, 8> Moved;
  bool AnyMayBe = false;
  for (const Move &M : Ranges.Moves) {
    const Value *Base = M.Shared < 0 ? nullptr : Ranges.Variables[M.Shared].Base;
    AnyMayBe |= !Base || !is_contained(Variables, Base);
    if (Base)
      Moved.insert(ownerOf(Base, Variables));
  }
  for (GlobalVariable *Variable : Variables)
    if (ownerOf(Variable, Variables) == Variable && (AnyMayBe || Moved.contains(Variable)))
      C.RangeVariables.push_back(Variable);
}

/// Returns the number of the access's variable among the variables whose ranges are counted;
/// GMPROF_NONE: any of them, or none. Returns nothing if it is none of them.
static std::optional<unsigned> rangeVariableOf(const Access &A, const RuleContext &X) {
  if (A.Space != GMPROF_SPACE_SHARED && A.Space != GMPROF_SPACE_GENERIC)
    return std::nullopt;
  const auto *Base = dyn_cast_or_null<GlobalVariable>(pointsTo(A.Pointer).Base);
  if (!Base || !X.C.IsKernel)
    return GMPROF_NONE;
  for (auto [Index, Variable] : enumerate(X.C.RangeVariables))
    if (Variable == Base || (isDynamicSharedMemory(Variable) && isDynamicSharedMemory(Base)))
      return static_cast<unsigned>(Index);
  return std::nullopt;
}

static void planAfter(const Access &A, RuleContext &X, Update::Range Range, unsigned Variable) {
  Update U = Updates::of(A);
  U.AtRange = Range;
  U.RangeVariable = Variable;
  U.Before = A.Inst->getNextNode();
  X.Planned.add(U);
}

std::optional<GmprofRule> gmprof::countAtRangeBoundary(const Access &A, RuleContext &Context) {
  if (!Context.C.CountsRanges || !A.Writes || A.Reads || A.Tile)
    return std::nullopt;
  const std::optional<unsigned> Variable = rangeVariableOf(A, Context);
  if (!Variable)
    return std::nullopt;
  planAfter(A, Context, isMarked(*A.Inst, BeginMark) ? Update::RangeBegin : Update::RangeStore,
            *Variable);
  ++AccessesAtRanges;
  return GMPROF_RULE_COUNTED;
}

void gmprof::endRangeAfter(const Access &A, RuleContext &Context) {
  if (!Context.C.CountsRanges || !A.Reads || A.Tile || !isMarked(*A.Inst, EndMark))
    return;
  if (const std::optional<unsigned> Variable = rangeVariableOf(A, Context))
    planAfter(A, Context, Update::RangeEnd, *Variable);
}

/// Returns whether ranges may end in the loop.
static bool boundsRanges(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      if (isMarked(I, BeginMark) || isMarked(I, EndMark))
        return true;
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && (Call->isConvergent() || Call->isInlineAsm() || !isa<IntrinsicInst>(Call));
    });
  });
}

Access gmprof::withoutDelay(const Access &A, const RuleContext &Context) {
  Access Prompt = A;
  if (!Context.C.CountsRanges || !rangeVariableOf(A, Context))
    return Prompt;
  Prompt.Static.reset();
  Prompt.StaticReason = "live ranges are counted";
  const auto *FirstBounding =
      find_if(Prompt.InvariantLoops, [](const Loop *L) { return boundsRanges(*L); });
  if (FirstBounding != Prompt.InvariantLoops.end())
    Prompt.LoopReason = "live ranges may end in the loop";
  Prompt.InvariantLoops.erase(FirstBounding, Prompt.InvariantLoops.end());
  return Prompt;
}
