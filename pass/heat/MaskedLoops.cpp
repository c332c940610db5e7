//===- MaskedLoops.cpp - Loops with masks of their iterations -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask of iterations suffices to record a conditional access whose address moves on by a constant
// stride. A lane sets a bit in each iteration that makes the access, which costs one instruction,
// and appends a record for every 32 iterations and one for the rest where the loop ends. All lanes
// that are in the loop append together, as they exit together.
//
//===----------------------------------------------------------------------===//

#include "pass/heat/HeatNotes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace gmprof;

/// Maximum number of a loop's masks, which are in registers.
static constexpr unsigned MostMasks = 8;

static constexpr unsigned IterationsOfMask = 32;

/// Returns whether a note gets a mask. An access in each iteration is a sweep, or is recorded once
/// the loop is unrolled.
static bool mayBeMasked(const HeatNote &N) { return N.Partly && N.Partly->L->getNumBlocks() > 1; }

/// Computes a note's first address in front of the loop, as a distance from the first note's
/// address if that is constant.
static void expandStart(HeatNote &N, const HeatNote &First, ScalarEvolution &SE) {
  if (&N != &First && N.What.Pointer->getType() == First.What.Pointer->getType())
    if (const auto *Distance =
            dyn_cast<SCEVConstant>(SE.getMinusSCEV(N.Partly->Start, First.Partly->Start))) {
      N.What.Pointer = First.What.Pointer;
      N.What.Displacement += Distance->getAPInt().getSExtValue();
      return;
    }
  SCEVExpander Expander(SE, "gm");
  N.What.Pointer = Expander.expandCodeFor(N.Partly->Start, N.What.Pointer->getType(),
                                          N.Partly->L->getLoopPreheader()->getTerminator());
}

static size_t countBlocks(ArrayRef<HeatNote> Notes) {
  SmallPtrSet<const BasicBlock *, 8> Blocks;
  for (const HeatNote &N : Notes)
    Blocks.insert(N.What.Before->getParent());
  return Blocks.size();
}

void MaskedLoops::take(SmallVector<HeatNote, 0> &Notes, ScalarEvolution &SE) {
  MapVector<const Loop *, SmallVector<HeatNote, 2>> ByLoop;
  SmallVector<HeatNote, 0> Others;
  for (HeatNote &N : Notes)
    if (mayBeMasked(N))
      ByLoop[N.Partly->L].push_back(std::move(N));
    else
      Others.push_back(std::move(N));
  Notes = std::move(Others);
  for (auto &[L, OfLoop] : ByLoop) {
    if (countBlocks(OfLoop) > MostMasks) {
      append_range(Notes, OfLoop);
      continue;
    }
    for (HeatNote &N : OfLoop)
      expandStart(N, OfLoop.front(), SE);
    Loops.push_back({L->getHeader(), std::move(OfLoop)});
  }
}

namespace {

/// The variables of lanes in a loop; they are in memory, and promoted to registers later.
class Masks {
  Function &F;
  Loop &L;
  ArrayRef<HeatNote> Notes;
  AllocaInst *Bit;                                  ///< of the current iteration
  AllocaInst *First;                                ///< the first iteration of the masks
  SmallMapVector<BasicBlock *, AllocaInst *, 8> Of; ///< blocks that make accesses
  SmallVector<HeatNote, 0> Left;

public:
  Masks(Function &F, Loop &L, ArrayRef<HeatNote> Notes) : F(F), L(L), Notes(Notes) {
    IRBuilder<> B(L.getLoopPreheader()->getTerminator());
    Bit = variable(B, B.getInt32(1));
    First = variable(B, B.getInt64(0));
  }

  /// Inserts the masks and returns their notes.
  SmallVector<HeatNote, 0> insert() && {
    SmallVector<BasicBlock *, 4> Exits;
    L.getUniqueExitBlocks(Exits);
    for (const HeatNote &N : Notes)
      remember(N);
    for (BasicBlock *Exit : Exits)
      leave(&*Exit->getFirstInsertionPt());
    goOn();
    return std::move(Left);
  }

private:
  /// Returns a variable with this value when the loop is entered.
  AllocaInst *variable(IRBuilder<> &B, Value *AtFirst) {
    IRBuilder<> AtEntry(&*F.getEntryBlock().getFirstInsertionPt());
    AllocaInst *Variable = AtEntry.CreateAlloca(AtFirst->getType());
    B.CreateStore(AtFirst, Variable);
    return Variable;
  }

  void remember(const HeatNote &N) {
    AllocaInst *&Mask = Of[N.What.Before->getParent()];
    if (Mask)
      return;
    IRBuilder<> BeforeLoop(L.getLoopPreheader()->getTerminator()), B(N.What.Before);
    Mask = variable(BeforeLoop, B.getInt32(0));
    B.CreateStore(B.CreateOr(load(B, Mask), load(B, Bit)), Mask);
  }

  /// Appends the masks when they are full, and resets them, in a new loop around this one: its
  /// calls and registers are outside of this loop for ptxas.
  void goOn() {
    BasicBlock *Header = L.getHeader(), *Before = L.getLoopPreheader();
    BasicBlock *Around = SplitEdge(Before, Header), *Next = SplitEdge(L.getLoopLatch(), Header);
    BasicBlock *Full = BasicBlock::Create(F.getContext(), "", &F, Around);
    IRBuilder<> B(Next->getTerminator());
    Value *Old = load(B, Bit);
    Value *New = B.CreateIntrinsic(Intrinsic::fshl, {B.getInt32Ty()}, {Old, Old, B.getInt32(1)});
    B.CreateStore(New, Bit);
    B.CreateCondBr(B.CreateICmpEQ(New, B.getInt32(1)), Full, Header);
    Next->getTerminator()->eraseFromParent();
    for (PHINode &Phi : Header->phis())
      carry(Phi, Before, Around, Next, Full);

    B.SetInsertPoint(BranchInst::Create(Around, Full));
    leave(Full->getTerminator());
    for (const auto &[BB, Mask] : Of)
      B.CreateStore(B.getInt32(0), Mask);
    B.CreateStore(B.CreateAdd(load(B, First), B.getInt64(IterationsOfMask)), First);
  }

  /// Passes a value from one iteration to the next also where the masks are appended between them.
  static void carry(PHINode &Phi, BasicBlock *Before, BasicBlock *Around, BasicBlock *Next,
                    BasicBlock *Full) {
    PHINode *Carried = PHINode::Create(Phi.getType(), 2, "", Around->begin());
    Carried->addIncoming(Phi.getIncomingValueForBlock(Around), Before);
    Carried->addIncoming(Phi.getIncomingValueForBlock(Next), Full);
    Phi.setIncomingValueForBlock(Around, Carried);
  }

  /// Appends the records of the masks.
  void leave(Instruction *Before) {
    IRBuilder<> B(Before);
    Value *Iteration = load(B, First);
    for (const HeatNote &N : Notes) {
      HeatNote AtOnce = N;
      Value *Bytes = B.CreateMul(Iteration, B.getInt64(static_cast<uint64_t>(N.Partly->Stride)));
      AtOnce.What.Pointer = B.CreatePtrAdd(N.What.Pointer, Bytes);
      AtOnce.What.Times = B.getInt64(IterationsOfMask);
      AtOnce.What.Stride = N.Partly->Stride;
      Instruction *Made = load(B, Of[N.What.Before->getParent()]);
      AtOnce.Made = Made;
      AtOnce.What.Before = AtOnce.Last = Made;
      Left.push_back(std::move(AtOnce));
    }
  }

  static LoadInst *load(IRBuilder<> &B, AllocaInst *Variable) {
    return B.CreateLoad(Variable->getAllocatedType(), Variable);
  }
};

} // namespace

SmallVector<HeatNote, 0> MaskedLoops::insertMasks(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<HeatNote, 0> Left;
  for (const MaskedLoop &M : Loops) {
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &AC = FAM.getResult<AssumptionAnalysis>(F);
    Loop &L = *LI.getLoopFor(M.Header);
    simplifyLoop(&L, &DT, &LI, &SE, &AC, /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
    append_range(Left, Masks(F, L, M.Notes).insert());
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return Left;
}
