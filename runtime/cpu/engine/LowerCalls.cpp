//===- LowerCalls.cpp - Calls of device system functions ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gmprof::cpu {

/// Function that the CUDA toolchain does not define, and its helper.
struct SystemCall {
  const char *Name;
  const char *Helper;
};
static constexpr SystemCall SystemCalls[] = {
    {"vprintf", "gm_vprintf"},
    {"malloc", "gm_malloc"},
    {"free", "gm_free"},
    {"__assertfail", "gm_assertfail"},
    {"cudaGraphSetConditional", "gm_set_condition"},
};

void lowerSystemCalls(llvm::Module &M, LoweringContext &Context) {
  for (const SystemCall &S : SystemCalls) {
    Function *F = M.getFunction(S.Name);
    if (!F || !F->isDeclaration())
      continue;
    for (User *U : make_early_inc_range(F->users())) {
      auto *Call = dyn_cast<CallInst>(U);
      if (!Call || Call->getCalledFunction() != F)
        continue; // its address is taken: reported as undefined
      IRBuilder<> B(Call);
      SmallVector<Value *, 8> Args{Context.threadState(B)};
      append_range(Args, Call->args());
      Value *Result = Context.callHelper(B, S.Helper, Call->getType(), Args);
      Call->replaceAllUsesWith(Result);
      Call->eraseFromParent();
    }
  }
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Trap = dyn_cast<IntrinsicInst>(&I);
          Trap && (Trap->getIntrinsicID() == Intrinsic::trap ||
                   Trap->getIntrinsicID() == Intrinsic::ubsantrap ||
                   Trap->getIntrinsicID() == Intrinsic::debugtrap)) {
        IRBuilder<> B(Trap);
        Context.callHelper(B, "gm_trap", B.getVoidTy(), {Context.threadState(B)});
        Trap->eraseFromParent();
      }
}

} // namespace gmprof::cpu
