//===- LoopInvariantRule.cpp - Counted once, when the loop is left ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1, lines 9 to 20. The access has the same address in every iteration and executes in
// every iteration, so one addition of the number of executions suffices, at each exit of the
// outermost loop for which both hold.
//
// The number of executions is an expression of the loops' trip counts if these are known when the
// loop is entered and cheap to compute. Otherwise a counter is kept in a register: one for all
// accesses of a basic block.
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(AccessesAfterLoops, "Accesses counted after loops");

/// The cost up to which a trip count is recomputed rather than counted.
static constexpr unsigned TripCountBudget = 4;

namespace {

class LoopRule {
public:
  LoopRule(const Access &A, RuleContext &Context)
      : A(A), X(Context), Outermost(A.InvariantLoops.back()),
        Preheader(Outermost->getLoopPreheader()), Expander(X.SE, "gm") {}

  bool apply() {
    SmallVector<BasicBlock *, 4> Exits;
    Outermost->getUniqueExitBlocks(Exits);
    if (!Preheader || !Outermost->hasDedicatedExits() || Exits.empty())
      return false;
    Update U = X.update(A);
    if (!hoist(U.Pointer) || !hoist(U.Length) || !hoist(U.Predicate))
      return false;
    if (A.ThreadInvariantAddress)
      U.By = isCountedByFirstThread() ? Update::FirstThread : Update::EachThreadAtomically;

    const SCEV *Number = executions();
    for (BasicBlock *Exit : Exits) {
      // Paths to a trap end the kernel, and with it the launch's counts.
      if (isa<UnreachableInst>(Exit->getTerminator()))
        continue;
      U.Before = &*Exit->getFirstInsertionPt();
      U.Times = Number ? expandedAt(Number, U.Before) : countedAt(U.Before);
      X.Planned.add(U);
    }
    return true;
  }

  bool isCountedByFirstThread() const {
    return X.C.IsKernel && A.ThreadInvariantAddress && A.UniformExecution;
  }

private:
  const Access &A;
  RuleContext &X;
  const Loop *Outermost;
  BasicBlock *Preheader;
  SCEVExpander Expander;

  /// Makes a value of the access available outside of the loops.
  bool hoist(Value *&V) {
    if (!V || Outermost->isLoopInvariant(V))
      return true;
    if (!X.SE.isSCEVable(V->getType()))
      return false;
    const SCEV *S = X.SE.getSCEV(V);
    Instruction *At = Preheader->getTerminator();
    if (!X.SE.isLoopInvariant(S, Outermost) || !Expander.isSafeToExpandAt(S, At))
      return false;
    V = Expander.expandCodeFor(S, V->getType(), At);
    return true;
  }

  /// Executions in one run of the outermost loop, or null. The runs of an inner
  /// loop multiply only if they are all equally long.
  const SCEV *executions() {
    Type *Int = Type::getInt64Ty(Preheader->getContext());
    const SCEV *Product = X.SE.getOne(Int);
    const BasicBlock *Body = A.Inst->getParent();
    for (const Loop *L : A.InvariantLoops) {
      const BasicBlock *Exiting = L->getExitingBlock();
      if (!Exiting)
        return nullptr;
      const SCEV *Taken = X.SE.getBackedgeTakenCount(L);
      if (isa<SCEVCouldNotCompute>(Taken) || !X.SE.isLoopInvariant(Taken, Outermost))
        return nullptr;
      const SCEV *Executions = X.SE.getTruncateOrZeroExtend(Taken, Int);
      if (executesInLastIteration(Body, Exiting, X.DT))
        Executions = X.SE.getAddExpr(Executions, X.SE.getOne(Int));
      Product = X.SE.getMulExpr(Product, Executions);
      Body = L->getHeader();
    }
    Instruction *At = Preheader->getTerminator();
    if (!Expander.isSafeToExpandAt(Product, At) ||
        Expander.isHighCostExpansion(Product, const_cast<Loop *>(Outermost), TripCountBudget,
                                     &X.TTI, At))
      return nullptr;
    return Product;
  }

  Value *expandedAt(const SCEV *Number, Instruction *At) {
    Value *&V = X.Available[{At, Number}];
    if (!V)
      V = Expander.expandCodeFor(Number, Number->getType(), At);
    return V;
  }

  /// Returns a counter of the executions of the access's block, 0 when the outermost loop
  /// is entered. It is in memory for now: PromoteMemToReg makes it phis.
  Value *countedAt(Instruction *At) {
    BasicBlock *Body = A.Inst->getParent();
    AllocaInst *&Counter = X.Executions[{Body, Outermost}];
    Type *Int = Type::getInt32Ty(Body->getContext());
    if (!Counter) {
      BasicBlock &Entry = Body->getParent()->getEntryBlock();
      Counter = new AllocaInst(Int, Body->getDataLayout().getAllocaAddrSpace(), "gm.executions",
                               Entry.begin());
      IRBuilder<> B(Preheader->getTerminator());
      B.CreateStore(B.getInt32(0), Counter);
      B.SetInsertPoint(Body->getTerminator());
      B.CreateStore(B.CreateAdd(B.CreateLoad(Int, Counter), B.getInt32(1)), Counter);
    }
    Value *&V = X.Available[{At, Counter}];
    if (!V)
      V = new LoadInst(Int, Counter, "gm.executed", At->getIterator());
    return V;
  }
};

} // namespace

std::optional<GmprofRule> gmprof::countAfterLoops(const Access &A, RuleContext &Context) {
  if (A.InvariantLoops.empty() || A.Tile)
    return std::nullopt;
  LoopRule Rule(A, Context);
  if (!Rule.apply())
    return std::nullopt;
  ++AccessesAfterLoops;
  return Rule.isCountedByFirstThread() ? GMPROF_RULE_LOOP_AND_THREAD : GMPROF_RULE_LOOP_INVARIANT;
}
