//===- LowerSignatures.cpp - Hidden parameter of device functions ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gmprof::cpu {

/// Returns attributes with those of the parameters shifted by one.
static AttributeList shiftParameters(LLVMContext &C, const AttributeList &Old, unsigned Count) {
  SmallVector<AttributeSet, 8> Params{AttributeSet()};
  for (unsigned I = 0; I < Count; ++I)
    Params.push_back(Old.getParamAttrs(I));
  return AttributeList::get(C, Old.getFnAttrs(), Old.getRetAttrs(), Params);
}

static Function *withThreadParameter(Function &Old) {
  LLVMContext &C = Old.getContext();
  SmallVector<Type *, 8> Types{PointerType::get(C, 0)};
  append_range(Types, Old.getFunctionType()->params());
  Function *New = Function::Create(FunctionType::get(Old.getReturnType(), Types, Old.isVarArg()),
                                   Old.getLinkage(), Old.getAddressSpace(), "", Old.getParent());
  AttributeList Attributes = shiftParameters(C, Old.getAttributes(), Old.arg_size());
  // Functions now also access their thread's state.
  Attributes = Attributes.removeFnAttribute(C, Attribute::Memory);
  New->setAttributes(Attributes);
  New->copyMetadata(&Old, 0);
  New->takeName(&Old);
  New->splice(New->begin(), &Old);
  for (Argument &A : Old.args()) {
    A.replaceAllUsesWith(New->getArg(A.getArgNo() + 1));
    New->getArg(A.getArgNo() + 1)->takeName(&A);
  }
  return New;
}

/// Replaces a call by one with the caller's thread as first argument.
static void passThread(CallInst &Call) {
  SmallVector<Value *, 8> Args{Call.getFunction()->getArg(0)};
  append_range(Args, Call.args());
  SmallVector<Type *, 8> Types{Args[0]->getType()};
  append_range(Types, Call.getFunctionType()->params());
  auto *Type = FunctionType::get(Call.getType(), Types, Call.getFunctionType()->isVarArg());
  auto *New = CallInst::Create(Type, Call.getCalledOperand(), Args, "", Call.getIterator());
  New->setAttributes(shiftParameters(Call.getContext(), Call.getAttributes(), Call.arg_size())
                         .removeFnAttribute(Call.getContext(), Attribute::Memory));
  New->copyMetadata(Call);
  New->takeName(&Call);
  if (isa<FPMathOperator>(New))
    New->copyFastMathFlags(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

void addThreadParameter(llvm::Module &M) {
  SmallVector<Function *, 16> Defined;
  for (Function &F : M)
    if (!F.isDeclaration())
      Defined.push_back(&F);
  for (Function *Old : Defined) {
    Function *New = withThreadParameter(*Old);
    Old->replaceAllUsesWith(New);
    Old->eraseFromParent();
  }
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && !Call->isInlineAsm())
        if (!Call->getCalledFunction() || !Call->getCalledFunction()->isDeclaration())
          passThread(*Call);
}

/// Returns whether a parameter in memory is only read.
static bool isOnlyRead(const Argument &A) {
  if (A.onlyReadsMemory())
    return true;
  SmallVector<const Value *, 8> Work{&A};
  while (!Work.empty()) {
    const Value *Current = Work.pop_back_val();
    for (const User *U : Current->users()) {
      if (isa<LoadInst>(U))
        continue;
      if (const auto *Copy = dyn_cast<MemTransferInst>(U); Copy && Copy->getRawDest() != Current)
        continue;
      if (!isa<GetElementPtrInst, AddrSpaceCastInst>(U))
        return false;
      Work.push_back(U);
    }
  }
  return true;
}

void makeEntry(Function &Kernel, const KernelInfo &Info, LoweringContext &Context) {
  LLVMContext &C = Kernel.getContext();
  const DataLayout &DL = Kernel.getDataLayout();
  Function *Entry =
      Function::Create(FunctionType::get(Type::getVoidTy(C), {PointerType::get(C, 0)}, false),
                       GlobalValue::ExternalLinkage, EntryName, Kernel.getParent());
  Entry->addFnAttrs(AttrBuilder(C, Kernel.getAttributes().getFnAttrs()));
  Entry->setSubprogram(Kernel.getSubprogram());
  Entry->splice(Entry->begin(), &Kernel);
  Kernel.getArg(0)->replaceAllUsesWith(Entry->getArg(0));

  IRBuilder<> B(C);
  B.SetInsertPoint(Entry->getEntryBlock().getFirstInsertionPt());
  Value *Params = Context.loadBlock(B, offsetof(BlockState, Params), B.getPtrTy());
  for (size_t I = 0; I < Info.Params.size(); ++I) {
    Argument &A = *Kernel.getArg(I + 1);
    Value *Place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Params, Info.Params[I].Offset);
    Value *Loaded = Place;
    if (!A.hasByValAttr()) {
      // A bool occupies a whole byte in memory.
      Type *Stored = A.getType();
      if (Stored->isIntegerTy() && !Stored->isIntegerTy(DL.getTypeStoreSizeInBits(Stored)))
        Stored = B.getIntNTy(DL.getTypeStoreSizeInBits(Stored));
      Loaded = B.CreateLoad(Stored, Place);
      if (Stored != A.getType())
        Loaded = B.CreateTrunc(Loaded, A.getType());
    } else if (!isOnlyRead(A)) {
      Align Alignment =
          std::max(A.getParamAlign().valueOrOne(), DL.getABITypeAlign(A.getParamByValType()));
      auto *Copy = B.CreateAlloca(A.getParamByValType());
      Copy->setAlignment(Alignment);
      B.CreateMemCpy(Copy, Alignment, Place, Alignment, Info.Params[I].Bytes);
      Loaded = Copy;
    }
    if (Loaded->getType() != A.getType())
      Loaded = B.CreateAddrSpaceCast(Loaded, A.getType());
    A.replaceAllUsesWith(Loaded);
  }
  Kernel.eraseFromParent();
}

} // namespace gmprof::cpu
