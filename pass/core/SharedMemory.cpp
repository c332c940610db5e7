//===- SharedMemory.cpp - Where the variables in shared memory are --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/SharedMemory.h"

#include "pass/core/CloneBuilder.h"

#include "gmprof/abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

SetVector<GlobalVariable *> gmprof::sharedVariables(ArrayRef<Function *> Functions) {
  SetVector<GlobalVariable *> Variables;
  SmallVector<const Value *, 16> Work;
  DenseSet<const Value *> Seen;
  for (Function *F : Functions)
    for (const Instruction &I : instructions(*F))
      for (const Value *Operand : I.operands())
        if (isa<Constant>(Operand))
          Work.push_back(Operand);
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    if (auto *Variable = dyn_cast<GlobalVariable>(V)) {
      if (Variable->getAddressSpace() == 3)
        Variables.insert(const_cast<GlobalVariable *>(Variable));
      else if (Variable->hasInitializer())
        Work.push_back(Variable->getInitializer());
    } else if (auto *C = dyn_cast<Constant>(V); C && !isa<GlobalValue>(C)) {
      append_range(Work, C->operand_values());
    }
  }
  return Variables;
}

bool gmprof::isDynamic(const GlobalVariable &Variable) {
  return Variable.isDeclaration() && Variable.getName() != GMPROF_SYMBOL_PREFIX "dynamic";
}

GlobalVariable *gmprof::dynamicSharedMemory(Module &M) {
  constexpr const char *Name = GMPROF_SYMBOL_PREFIX "dynamic";
  if (GlobalVariable *Variable = M.getNamedGlobal(Name))
    return Variable;
  Type *Bytes = ArrayType::get(Type::getInt8Ty(M.getContext()), 0);
  auto *Variable = new GlobalVariable(M, Bytes, false, GlobalValue::ExternalLinkage, nullptr, Name,
                                      nullptr, GlobalValue::NotThreadLocal, /*AddressSpace=*/3);
  Variable->setAlignment(Align(16));
  return Variable;
}

Value *gmprof::firstWord(IRBuilderBase &B, Module &M, ArrayRef<GlobalVariable *> Variables) {
  Value *First = B.CreatePtrToInt(dynamicSharedMemory(M), B.getInt32Ty());
  for (GlobalVariable *Variable : Variables)
    First =
        B.CreateBinaryIntrinsic(Intrinsic::umin, First, B.CreatePtrToInt(Variable, B.getInt32Ty()));
  return B.CreateAnd(First, B.getInt32(~15u), "gm.first");
}

void gmprof::writeSharedLayout(IRBuilderBase &B, Value *Writes, Value *Address,
                               const KernelState &K) {
  Module &M = *K.Kernel.getParent();
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Writes, B.GetInsertPoint(), /*Unreachable=*/false));
  Type *Int = B.getInt32Ty();
  auto Write = [&](size_t Offset, Value *V) {
    Value *At = B.CreateAdd(Address, B.getInt64(Offset));
    B.CreateStore(V, B.CreateIntToPtr(At, B.getPtrTy(/*AddrSpace=*/1)));
  };
  Write(offsetof(GmprofSharedLayout, firstAddress),
        firstWord(B, M, K.SharedVariables.getArrayRef()));
  Write(offsetof(GmprofSharedLayout, dynamicAddress),
        B.CreatePtrToInt(dynamicSharedMemory(M), Int));
  for (auto [Index, V] : enumerate(K.D.Variables)) {
    auto *Variable = dyn_cast_or_null<GlobalVariable>(const_cast<Value *>(V.Base));
    const bool IsShared = Variable && Variable->getAddressSpace() == 3;
    Write(offsetof(GmprofSharedLayout, variables) + 4 * Index,
          IsShared ? B.CreatePtrToInt(Variable, Int) : B.getInt32(GMPROF_NONE));
  }
}
