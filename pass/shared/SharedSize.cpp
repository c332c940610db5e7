//===- SharedSize.cpp - Hides the counters from the program ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/shared/SharedSize.h"

#include "pass/shared/SharedLaunch.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/Regex.h"

#include <cstddef>

using namespace llvm;
using namespace gmprof;

enum class Reads { Nothing, DynamicSize, WholeSize, Unclear };

static Reads readsOf(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return Reads::Nothing;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size:
    return Reads::DynamicSize;
  case Intrinsic::nvvm_read_ptx_sreg_total_smem_size:
  case Intrinsic::nvvm_read_ptx_sreg_aggr_smem_size:
    return Reads::WholeSize;
  default:
    break;
  }
  auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
  if (!Asm || !StringRef(Asm->getAsmString()).contains("_smem_size"))
    return Reads::Nothing;
  // Matches the call that clang emits for asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(Size)).
  SmallVector<StringRef, 2> Match;
  if (!Call->getType()->isIntegerTy(32) ||
      !Regex("^[[:space:]]*mov\\.[us]32[[:space:]]+\\$0,[[:space:]]*%(dynamic|total|aggr)_smem_"
             "size[[:space:]]*;[[:space:]]*$")
           .match(Asm->getAsmString(), &Match))
    return Reads::Unclear;
  return Match[1] == "dynamic" ? Reads::DynamicSize : Reads::WholeSize;
}

std::string gmprof::obstacleToSharedSize(const Function &F) {
  for (const Instruction &I : instructions(F)) {
    Reads What = readsOf(I);
    if (What == Reads::Unclear)
      return "inline assembly reads the size of shared memory among other instructions";
    if (What != Reads::Nothing && !isKernel(F))
      return "a device function that is not inlined reads the size of shared memory";
  }
  return "";
}

void gmprof::correctSharedSize(const Clone &C) {
  SmallVector<Instruction *, 4> Readers;
  for (Instruction &I : instructions(*C.F))
    if (readsOf(I) != Reads::Nothing)
      Readers.push_back(&I);
  for (Instruction *I : Readers) {
    Reads What = readsOf(*I);
    IRBuilder<> B(I->getNextNode());
    Value *Own = sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, dynamicBytes));
    if (What == Reads::DynamicSize) {
      I->replaceAllUsesWith(Own);
      I->eraseFromParent();
      continue;
    }
    Value *Added = B.CreateSub(
        B.CreateAdd(sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, counterOffset)),
                    sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, counterBytes))),
        Own);
    auto *Corrected = cast<Instruction>(B.CreateSub(I, Added));
    I->replaceUsesWithIf(Corrected, [&](Use &U) { return U.getUser() != Corrected; });
  }
}
