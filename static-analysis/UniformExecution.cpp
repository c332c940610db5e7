//===- UniformExecution.cpp - Uniformly executed code ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "UniformExecution.h"
#include "AddressSpaces.h"
#include "MemoryInstructions.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/GenericDomTreeConstruction.h"

using namespace llvm;
using namespace gmprof;

//===----------------------------------------------------------------------===//
// ControlFlow
//===----------------------------------------------------------------------===//

ControlFlow::ControlFlow(Function &F) {
  ThreadExits Exits;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Exits.mayLeave(*Call) == Leaves::Thread)
      FirstLeave.try_emplace(I.getParent(), &I);
  followLeaves();
  findDeadEnds(F);
  // Compute post-dominators in the graph without the edges to dead ends.
  SmallVector<PostDominatorTree::UpdateType, 8> Removed;
  for (BasicBlock *DeadEnd : DeadEnds)
    for (BasicBlock *Pred : SmallSetVector<BasicBlock *, 4>(pred_begin(DeadEnd), pred_end(DeadEnd)))
      if (!DeadEnds.contains(Pred))
        Removed.push_back({PostDominatorTree::Delete, Pred, DeadEnd});
  using Builder = DomTreeBuilder::SemiNCAInfo<PostDomTreeBase<BasicBlock>>;
  GraphDiff<BasicBlock *, /*InverseGraph=*/true> Live(Removed);
  Builder::BatchUpdateInfo Update(Live, &Live);
  PDT.recalculate(F);
  Builder::CalculateFromScratch(PDT, &Update);
}

void ControlFlow::followLeaves() {
  SmallVector<const BasicBlock *, 8> Worklist;
  for (auto [BB, I] : FirstLeave)
    Worklist.push_back(BB);
  while (!Worklist.empty())
    for (const BasicBlock *Succ : successors(Worklist.pop_back_val()))
      if (AfterLeave.insert(Succ).second)
        Worklist.push_back(Succ);
}

void ControlFlow::findDeadEnds(Function &F) {
  // In post-order, every successor except those of back edges is known. A block that ends in
  // `unreachable` ends the kernel or is never reached, unless a thread can leave in it.
  for (BasicBlock *BB : post_order(&F)) {
    bool IsDeadEnd = succ_empty(BB)
                         ? isa<UnreachableInst>(BB->getTerminator()) && !FirstLeave.contains(BB)
                         : all_of(successors(BB), [&](auto *S) { return DeadEnds.contains(S); });
    if (IsDeadEnd && BB != &F.getEntryBlock())
      DeadEnds.insert(BB);
  }
}

const BasicBlock *ControlFlow::immediatePostDominator(const BasicBlock &BB) const {
  const auto *Node = PDT.getNode(&BB);
  return Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
}

bool ControlFlow::postDominates(const BasicBlock &Later, const BasicBlock &Earlier) const {
  return PDT.getNode(&Later) && PDT.getNode(&Earlier) && PDT.dominates(&Later, &Earlier);
}

bool ControlFlow::mayHaveLeftBefore(const Instruction &I) const {
  const BasicBlock *BB = I.getParent();
  if (AfterLeave.contains(BB))
    return true;
  auto Leave = FirstLeave.find(BB);
  return Leave != FirstLeave.end() && Leave->second->comesBefore(&I);
}

//===----------------------------------------------------------------------===//
// UniformExecution
//===----------------------------------------------------------------------===//

UniformExecution::UniformExecution(Function &F, const ControlFlow &Flow,
                                   const ThreadInvariance &Invariance)
    : Flow(Flow), InKernel(isKernel(F)) {
  for (const BasicBlock &Branch : F) {
    if (!Invariance.hasDivergentBranch(Branch))
      continue;
    SmallSetVector<const BasicBlock *, 4> Starts;
    for (const BasicBlock *Succ : successors(&Branch))
      if (!Flow.endsKernel(*Succ))
        Starts.insert(Succ);
    if (Starts.size() < 2)
      continue; // the other paths end the kernel
    SmallVector<const BasicBlock *, 8> Worklist;
    const BasicBlock *Join = Flow.immediatePostDominator(Branch);
    // Number of branch successors that reach a block without passing the join.
    DenseMap<const BasicBlock *, unsigned> Ways;
    for (const BasicBlock *Succ : Starts) {
      SmallPtrSet<const BasicBlock *, 16> Region;
      Worklist.push_back(Succ);
      while (!Worklist.empty()) {
        const BasicBlock *BB = Worklist.pop_back_val();
        if (BB == Join || !Region.insert(BB).second)
          continue;
        ++Ways[BB];
        append_range(Worklist, successors(BB));
      }
    }
    bool IsLoopExit = Ways.contains(&Branch);
    bool IsEarlyReturn = Join && isa<ReturnInst>(Join->front()) && Starts.contains(Join);
    for (auto [BB, Count] : Ways) {
      const char *Why = "under a condition that differs between threads";
      if (IsLoopExit)
        Why = "in a loop that threads leave at different iterations";
      else if (IsEarlyReturn || (!Join && Count == Starts.size()))
        Why = "some threads may have returned before";
      Divergent.try_emplace(BB, Why);
    }
  }
}

Fact UniformExecution::isUniform(const Instruction &I) const {
  if (!InKernel)
    return {false, "in a device function, whose callers may be anywhere"};
  if (auto Found = Divergent.find(I.getParent()); Found != Divergent.end())
    return {false, Found->second};
  if (Flow.mayHaveLeftBefore(I))
    return {false, "some threads may have left in a call before"};
  return {true, ""};
}
