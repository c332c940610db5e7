//===- LoopCopies.cpp - Loops that instrumentation can leave --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/objects/LoopCopies.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace gmprof;

/// ptxas does not unroll larger loops.
static constexpr size_t MaxInstructions = 256;

bool gmprof::canCopyLoop(const Loop &L) {
  if (!L.isInnermost() || !L.isLoopSimplifyForm() || !L.isSafeToClone())
    return false;
  size_t Instructions = 0;
  for (const BasicBlock *BB : L.blocks()) {
    Instructions += BB->size();
    for (const Instruction &I : *BB)
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (!isa<IntrinsicInst>(Call) || Call->isConvergent())
          return false;
  }
  return Instructions <= MaxInstructions;
}

static BranchInst *branchTo(BasicBlock &From, BasicBlock &Copy, BasicBlock &Header) {
  Instruction *Old = From.getTerminator();
  auto *Branch = BranchInst::Create(&Copy, &Header, ConstantInt::getFalse(From.getContext()),
                                    Old->getIterator());
  Branch->setDebugLoc(Old->getDebugLoc());
  Old->eraseFromParent();
  return Branch;
}

static LoopCopy copyLoop(Loop &L) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Preheader = L.getLoopPreheader();
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 8> Copies;
  for (BasicBlock *BB : L.blocks()) {
    BasicBlock *Copy = CloneBasicBlock(BB, Map, ".own", BB->getParent());
    Map[BB] = Copy;
    Copies.push_back(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);
  for (BasicBlock *Exit : Exits)
    for (PHINode &Phi : Exit->phis())
      for (unsigned I = 0, Count = Phi.getNumIncomingValues(); I != Count; ++I)
        if (L.contains(Phi.getIncomingBlock(I))) {
          Value *Of = Phi.getIncomingValue(I), *Mapped = Map.lookup(Of);
          Phi.addIncoming(Mapped ? Mapped : Of,
                          cast<BasicBlock>(Map.lookup(Phi.getIncomingBlock(I))));
        }
  // The copy is entered with the values of the next iteration.
  BasicBlock *Again = SplitEdge(Latch, Header);
  auto *Copy = cast<BasicBlock>(Map.lookup(Header));
  for (PHINode &Phi : Header->phis()) {
    auto *Own = cast<PHINode>(Map.lookup(&Phi));
    Own->addIncoming(Phi.getIncomingValueForBlock(Again), Again);
    if (!L.getParentLoop())
      Own->removeIncomingValue(Preheader);
  }
  return {branchTo(*Again, *Copy, *Header),
          L.getParentLoop() ? branchTo(*Preheader, *Copy, *Header) : nullptr};
}

SmallVector<LoopCopy, 2> gmprof::copyLoops(ArrayRef<Loop *> Loops, const DominatorTree &DT,
                                           const LoopInfo &LI) {
  // Brings the loops into LCSSA form before the first copy, which the analyses do not know.
  for (Loop *L : Loops)
    formLCSSA(*L, DT, &LI, nullptr);
  SmallVector<LoopCopy, 2> Result;
  for (Loop *L : Loops)
    Result.push_back(copyLoop(*L));
  return Result;
}
