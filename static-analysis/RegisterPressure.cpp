//===- RegisterPressure.cpp - Estimates register use ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterPressure.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gmprof;

using Values = SmallPtrSet<const Instruction *, 8>;
using ValuesAtEnds = DenseMap<const BasicBlock *, Values>;

static unsigned registersOf(const Instruction &I) {
  Type *T = I.getType();
  if (!T->isSized() || T->getScalarType()->isIntegerTy(1))
    return 0;
  return divideCeil(I.getModule()->getDataLayout().getTypeSizeInBits(T).getFixedValue(), 32u);
}

/// Adds I to the values live at the ends of the blocks through which this use keeps it. A phi uses
/// it at the end of the incoming block.
static void keepFor(const Instruction &I, const Use &U, ValuesAtEnds &AtEnds) {
  const auto *User = cast<Instruction>(U.getUser());
  SmallVector<const BasicBlock *, 8> Ends;
  const auto Enter = [&](const BasicBlock *BB) {
    if (BB != I.getParent())
      append_range(Ends, predecessors(BB));
  };
  if (auto *Phi = dyn_cast<PHINode>(User))
    Ends.push_back(Phi->getIncomingBlock(U));
  else
    Enter(User->getParent());
  while (!Ends.empty()) {
    const BasicBlock *BB = Ends.pop_back_val();
    if (AtEnds[BB].insert(&I).second)
      Enter(BB);
  }
}

static unsigned mostLiveIn(const BasicBlock &BB, const Values &AtEnd) {
  Values Live = AtEnd;
  unsigned Now = 0, Most = 0;
  for (const Instruction *I : Live)
    Now += registersOf(*I);
  for (const Instruction &I : reverse(BB)) {
    Most = std::max(Most, Now);
    if (Live.erase(&I))
      Now -= registersOf(I);
    if (isa<PHINode>(I))
      continue;
    for (const Value *V : I.operands())
      if (auto *Operand = dyn_cast<Instruction>(V); Operand && Live.insert(Operand).second)
        Now += registersOf(*Operand);
  }
  return std::max(Most, Now);
}

unsigned gmprof::mostLiveRegisters(const Function &F) {
  ValuesAtEnds AtEnds;
  for (const BasicBlock &BB : F)
    for (const Instruction &I : BB)
      if (registersOf(I) != 0)
        for (const Use &U : I.uses())
          keepFor(I, U, AtEnds);
  unsigned Most = 0;
  for (const BasicBlock &BB : F)
    Most = std::max(Most, mostLiveIn(BB, AtEnds[&BB]));
  return Most;
}

/// Returns true for exact divisions and square roots, whose slow path ptxas implements as a
/// subroutine.
static bool isSubroutine(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return (I.getOpcode() == Instruction::FDiv && !I.hasApproxFunc()) ||
         (I.isIntDivRem() && I.getType()->getScalarSizeInBits() > 32) ||
         (Call && Call->getIntrinsicID() == Intrinsic::sqrt && !I.hasApproxFunc()) ||
         (Call && (Call->getIntrinsicID() == Intrinsic::nvvm_sqrt_rn_f ||
                   Call->getIntrinsicID() == Intrinsic::nvvm_div_rn_f));
}

bool gmprof::likelyHasFullOccupancy(const Function &F) {
  return mostLiveRegisters(F) <= RegistersOfFullOccupancy && none_of(instructions(F), isSubroutine);
}

PreservedAnalyses RegisterPressurePrinterPass::run(Function &F, FunctionAnalysisManager &) {
  OS << "registers of " << F.getName() << ": " << mostLiveRegisters(F)
     << (likelyHasFullOccupancy(F) ? ", full occupancy\n" : "\n");
  return PreservedAnalyses::all();
}
