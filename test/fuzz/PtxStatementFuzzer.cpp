//===- PtxStatementFuzzer.cpp - Fuzzes the reader of inline PTX -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/AccessStatements.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace llvm;
  LLVMContext Context;
  Module M("input", Context);
  IRBuilder<> B(Context);
  auto *Word = B.getInt32Ty();
  auto *Ty = FunctionType::get(
      B.getVoidTy(), {PointerType::get(Context, 1), B.getInt1Ty(), Word, B.getDoubleTy()}, false);
  auto *F = Function::Create(Ty, Function::ExternalLinkage, "f", M);
  B.SetInsertPoint(BasicBlock::Create(Context, "", F));
  auto *Statement = FunctionType::get(Word, Ty->params(), false);
  auto *Asm = InlineAsm::get(Statement, StringRef(reinterpret_cast<const char *>(Data), Size),
                             "=r,l,b,n,d", /*hasSideEffects=*/true);
  B.CreateCall(Asm, {F->getArg(0), F->getArg(1), B.getInt32(-4), F->getArg(3)});
  B.CreateRetVoid();
  consumeError(gmprof::ptx::liftAccesses(M));
  if (verifyModule(M, &errs()))
    __builtin_trap();
  return 0;
}
