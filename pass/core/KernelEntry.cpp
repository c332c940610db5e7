//===- KernelEntry.cpp - Code of a clone before its body ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/KernelEntry.h"

#include "pass/core/CloneBuilder.h"
#include "pass/core/Hooks.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gmprof;

static void emitPlainBody(IRBuilder<> &B, const Clone &C) {
  Function *Plain = clonePlainBody(*const_cast<Function *>(C.Original));
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : drop_end(C.F->args()))
    Arguments.push_back(&A);
  CallInst *Call = B.CreateCall(Plain, Arguments);
  B.CreateRetVoid();
  InlineFunctionInfo Info;
  if (InlineResult Result = InlineFunction(*Call, Info); !Result.isSuccess())
    reportFatalInternalError(Twine("GMProf: cannot inline the body of ") + C.Original->getName() +
                             " into its clone for " + C.Kind->Title + ": " +
                             Result.getFailureReason());
  Plain->eraseFromParent();
}

void gmprof::emitKernelEntry(const Clone &C, const KernelState &K, Hooks &H) {
  IRBuilder<> B(C.F->getContext());
  if (DISubprogram *Subprogram = C.F->getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(C.F->getContext(), 0, 0, Subprogram));
  BasicBlock *Body = &C.F->getEntryBlock();
  auto *Begin = BasicBlock::Create(C.F->getContext(), "gm.begin", C.F, Body);
  auto *Entry = BasicBlock::Create(C.F->getContext(), "gm.entry", C.F, Begin);
  auto *Plain = BasicBlock::Create(C.F->getContext(), "gm.plain", C.F);
  // Allocas are static in the entry block only.
  for (Instruction &I : make_early_inc_range(*Body))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && isa<Constant>(Alloca->getArraySize()))
      Alloca->moveBefore(*Entry, Entry->end());

  B.SetInsertPoint(Entry);
  B.CreateCondBr(C.Builder->emitBlockCondition(B, C), Begin, Plain);

  B.SetInsertPoint(Begin);
  BranchInst *End = B.CreateBr(Body);
  B.SetInsertPoint(End);
  C.Builder->emitEntry(B, C, K);
  H.inlineInto(*C.F);

  B.SetInsertPoint(Plain);
  emitPlainBody(B, C);
}
