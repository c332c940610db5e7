//===- Exits.cpp - Where threads leave a kernel ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each path gets a return of its own: threads that exit early must really exit. If they continued
// to a common return, which now has code to execute, the hardware could hold them there until the
// rest of their warp arrives, while the rest waits at a barrier for threads that have not exited.
//
//===----------------------------------------------------------------------===//

#include "pass/core/Exits.h"

#include "pass/core/Hooks.h"

#include "static-analysis/ThreadInvariance.h"
#include "static-analysis/UniformExecution.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/Regex.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gmprof;

enum class Exit { None, Plain, Unclear };

static Exit exitOf(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return Exit::None;
  if (Call->getIntrinsicID() == Intrinsic::nvvm_exit)
    return Exit::Plain;
  auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
  if (!Asm)
    return Exit::None;
  StringRef Text = Asm->getAsmString();
  if (!Regex("(^|[^a-zA-Z0-9_.%$])exit[[:space:]]*;").match(Text))
    return Exit::None;
  return Regex("^[[:space:]]*exit[[:space:]]*;[[:space:]]*$").match(Text) ? Exit::Plain
                                                                          : Exit::Unclear;
}

std::string gmprof::obstacleToExits(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (exitOf(I) == Exit::Unclear)
      return "inline assembly may end the thread among other instructions";
  return "";
}

bool gmprof::hasExitInstructions(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) { return exitOf(I) != Exit::None; });
}

/// Returns whether threads may wait for other threads in I, or end.
static bool mayWait(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || isa<DbgInfoIntrinsic>(Call))
    return false;
  if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return Asm->hasSideEffects() || Call->isConvergent();
  if (Call->isConvergent() || Call->doesNotReturn())
    return true;
  auto *Callee = Call->getCalledFunction();
  return !Callee || (!Callee->isIntrinsic() && !Call->hasFnAttr(Attribute::NoSync));
}

bool gmprof::allThreadsLeaveTogether(Function &Kernel, FunctionAnalysisManager &FAM) {
  AccessInfo &Info = FAM.getResult<AccessAnalysis>(Kernel);
  ControlFlow Flow(Kernel);
  ThreadInvariance Invariance(Kernel, FAM.getResult<DominatorTreeAnalysis>(Kernel),
                              FAM.getResult<CycleAnalysis>(Kernel),
                              FAM.getResult<AAManager>(Kernel), Info, Flow);
  UniformExecution Execution(Kernel, Flow, Invariance);
  unsigned Returns = 0;
  for (Instruction &I : instructions(Kernel)) {
    if (isa<ReturnInst>(I) && ++Returns > 1)
      return false;
    if (exitOf(I) != Exit::None || (mayWait(I) && !Execution.isUniform(I)))
      return false;
  }
  return Returns == 1;
}

void gmprof::separateReturns(Function &F) {
  SmallVector<BasicBlock *, 4> Blocks;
  for (BasicBlock &BB : F)
    if (isa<ReturnInst>(*BB.getFirstNonPHIOrDbg()) && !BB.hasNPredecessors(1) && !pred_empty(&BB))
      Blocks.push_back(&BB);
  for (BasicBlock *BB : Blocks) {
    SmallPtrSet<BasicBlock *, 8> Predecessors(pred_begin(BB), pred_end(BB));
    for (BasicBlock *Predecessor : drop_begin(Predecessors)) {
      auto *Own = BasicBlock::Create(F.getContext(), "", &F, BB);
      Instruction *Return = BB->getTerminator()->clone();
      Return->insertInto(Own, Own->end());
      Predecessor->getTerminator()->replaceSuccessorWith(BB, Own);
      BB->removePredecessor(Predecessor);
    }
  }
}

void gmprof::emitExits(const Clone &C, bool Together, Hooks &H,
                       function_ref<void(IRBuilderBase &)> Leave) {
  if (C.IsKernel && !Together)
    separateReturns(*C.F);
  SmallVector<Instruction *, 4> Exits;
  for (Instruction &I : instructions(*C.F))
    if ((C.IsKernel && isa<ReturnInst>(I)) || exitOf(I) == Exit::Plain)
      Exits.push_back(&I);
  for (Instruction *I : Exits) {
    IRBuilder<> B(I);
    if (DISubprogram *Subprogram = C.F->getSubprogram(); Subprogram && !I->getDebugLoc())
      B.SetCurrentDebugLocation(DILocation::get(C.F->getContext(), 0, 0, Subprogram));
    Leave(B);
  }
  H.inlineInto(*C.F);
}
