//===- AlikeBlocks.cpp - Do all blocks have equal counts? -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/shared/AlikeBlocks.h"

#include "pass/core/Exits.h"

#include "static-analysis/Accesses.h"
#include "static-analysis/AddressSpaces.h"
#include "static-analysis/UniformExecution.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gmprof;

/// Returns whether I's value may differ between blocks though its operands do not.
static bool isSource(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    GmprofSpace Space = pointsTo(const_cast<Value *>(Load->getPointerOperand())).Space;
    return Space != GMPROF_SPACE_PARAM && Space != GMPROF_SPACE_CONSTANT;
  }
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return I.mayReadOrWriteMemory() || isa<AllocaInst>(I);
  auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
  if (!Intrinsic)
    return true;
  StringRef Register = Intrinsic->getCalledFunction()->getName();
  if (Register.consume_front("llvm.nvvm.read.ptx.sreg."))
    return !Register.starts_with("tid.") && !Register.starts_with("ntid.") &&
           !Register.starts_with("nctaid.") && !Register.starts_with("lane") &&
           Register != "warpsize";
  return Intrinsic->isConvergent() || !Intrinsic->doesNotAccessMemory();
}

namespace {

class Differences {
public:
  explicit Differences(Function &F) : Flow(F) {
    for (Instruction &I : instructions(F))
      if (isSource(I))
        add(I);
    while (!Work.empty())
      propagate(*Work.pop_back_val());
  }

  bool contains(const Value *V) const { return V && Values.contains(V); }
  bool contains(const BasicBlock *BB) const { return Blocks.contains(BB); }

private:
  ControlFlow Flow;
  SmallPtrSet<const Value *, 32> Values;
  SmallPtrSet<const BasicBlock *, 16> Blocks; ///< executed differently
  SmallVector<const Instruction *, 32> Work;

  void add(const Instruction &I) {
    if (Values.insert(&I).second)
      Work.push_back(&I);
  }

  void propagate(const Instruction &I) {
    if (I.isTerminator())
      divergeAt(*I.getParent());
    for (const User *U : I.users())
      add(cast<Instruction>(*U));
  }

  void divergeAt(const BasicBlock &Branch) {
    const BasicBlock *Join = Flow.immediatePostDominator(Branch);
    SmallVector<const BasicBlock *, 16> Reached(successors(&Branch));
    SmallPtrSet<const BasicBlock *, 16> Seen;
    while (!Reached.empty()) {
      const BasicBlock *BB = Reached.pop_back_val();
      if (BB == Join || !Seen.insert(BB).second)
        continue;
      append_range(Reached, successors(BB));
      if (Blocks.insert(BB).second)
        for (const Instruction &I : *BB)
          add(I);
    }
    if (Join)
      for (const PHINode &Phi : Join->phis())
        add(Phi);
  }
};

} // namespace

bool gmprof::blocksCountAlike(Function &Kernel, FunctionAnalysisManager &FAM) {
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(Kernel);
  if (!Info.opaqueCalls().empty() || hasExitInstructions(Kernel))
    return false;
  Differences Different(Kernel);
  return none_of(Info.accesses(), [&](const Access &A) {
    if (areDisjoint(A.Space, GMPROF_SPACE_SHARED))
      return false;
    return Different.contains(A.Inst->getParent()) || Different.contains(A.Pointer) ||
           Different.contains(A.Length) || Different.contains(A.Predicate) ||
           (A.Tile && Different.contains(A.Tile->Stride));
  });
}
