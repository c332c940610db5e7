//===- DeviceFunctions.cpp - Which functions a profile has to follow ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/DeviceFunctions.h"

#include "pass/core/CloneBuilder.h"

#include "static-analysis/Accesses.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gmprof;

bool gmprof::isProgramsExternal(const Function &F) {
  if (!F.isDeclaration() || F.isIntrinsic() || isKernel(F) || F.doesNotAccessMemory())
    return false;
  StringRef Name = F.getName();
  static constexpr StringLiteral Cuda[] = {"vprintf", "malloc", "free", "__assertfail"};
  return !is_contained(Cuda, Name) && !Name.starts_with("__nv_") && !Name.starts_with("__cuda") &&
         !Name.starts_with("cuda") && !Name.starts_with("llvm.") &&
         !Name.starts_with(GMPROF_SYMBOL_PREFIX);
}

static Function *calledFunction(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call ? Call->getCalledFunction() : nullptr;
}

/// Returns whether F has accesses or fences that the profile records.
static bool hasAccesses(Function &F, FunctionAnalysisManager &FAM, const CloneBuilder &Profile) {
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  return !Profile.fences(Info).empty() ||
         any_of(Info.accesses(), [&](const Access &A) { return Profile.counts(A.Space); });
}

DeviceFunctions::DeviceFunctions(Module &M, FunctionAnalysisManager &FAM,
                                 const CloneBuilder &Profile) {
  SmallVector<const Function *, 16> Work;
  auto Need = [&](const Function &F) {
    if (Needed.insert(&F).second)
      Work.push_back(&F);
  };
  for (Function &F : M) {
    if (isProgramsExternal(F))
      Need(F);
    if (F.isDeclaration() || isKernel(F))
      continue;
    if (hasAccesses(F, FAM, Profile) || Profile.needsClone(F))
      Need(F);
    if (F.hasExternalLinkage() || F.hasWeakLinkage())
      Visible.push_back(&F);
  }
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      if (auto *Call = dyn_cast<CallBase>(U))
        if (const Function *Caller = Call->getFunction(); !isKernel(*Caller))
          Need(*Caller);
}

SetVector<Function *> gmprof::reachableFrom(Function &F) {
  SetVector<Function *> Reachable;
  Reachable.insert(&F);
  for (unsigned I = 0; I != Reachable.size(); ++I)
    for (const Instruction &Inst : instructions(*Reachable[I]))
      if (Function *Callee = calledFunction(Inst);
          Callee && !Callee->isIntrinsic() &&
          (!Callee->isDeclaration() || isProgramsExternal(*Callee)))
        Reachable.insert(Callee);
  return Reachable;
}

/// Returns a function of a clone's type that only calls F.
static Function *forwardTo(Function &F, const CloneBuilder &Builder, const CloneKind &Kind,
                           GlobalValue::LinkageTypes Linkage,
                           function_ref<void(IRBuilder<> &, Function &Clone)> First) {
  auto *Clone = Function::Create(deviceCloneType(F.getFunctionType(), Builder, Kind), Linkage,
                                 F.getName() + Builder.functionSuffix(Kind), F.getParent());
  Clone->addFnAttr(Attribute::Convergent);
  for (StringRef Name : {"target-cpu", "target-features"})
    if (Attribute A = F.getFnAttribute(Name); A.isValid())
      Clone->addFnAttr(A);
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "", Clone));
  First(B, *Clone);
  SmallVector<Value *, 8> Arguments;
  for (unsigned I = 0; I != F.arg_size(); ++I) {
    for (Attribute A : F.getAttributes().getParamAttrs(I))
      Clone->addParamAttr(I, A);
    Arguments.push_back(Clone->getArg(I));
  }
  CallInst *Call = B.CreateCall(&F, Arguments);
  Call->setAttributes(F.getAttributes());
  if (F.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return Clone;
}

Function *gmprof::fallbackClone(Function &External, const CloneBuilder &Builder,
                                const CloneKind &Kind) {
  const std::string Name = (External.getName() + Builder.functionSuffix(Kind)).str();
  if (Function *Known = External.getParent()->getFunction(Name))
    return Known;
  return forwardTo(External, Builder, Kind, GlobalValue::WeakAnyLinkage,
                   [&](IRBuilder<> &B, Function &Clone) {
                     Builder.emitNotFollowed(B, Clone.getArg(External.arg_size()));
                   });
}

Function *gmprof::forwardingClone(Function &F, const CloneBuilder &Builder, const CloneKind &Kind) {
  return forwardTo(F, Builder, Kind, F.getLinkage(), [](IRBuilder<> &, Function &) {});
}

void gmprof::emitIncrement(IRBuilderBase &B, Value *Pointer) {
  B.CreateAtomicRMW(AtomicRMWInst::Add, Pointer, B.getInt64(1), Align(8),
                    AtomicOrdering::Monotonic);
}

void gmprof::redirectCall(CallBase &Call, Function &Callee, const Clone &Caller) {
  SmallVector<Value *, 8> Arguments(Call.args());
  append_range(Arguments, Caller.Builder->functionArguments(Caller));
  auto *New =
      CallInst::Create(Callee.getFunctionType(), &Callee, Arguments, "", Call.getIterator());
  New->takeName(&Call);
  New->setCallingConv(Call.getCallingConv());
  New->setDebugLoc(Call.getDebugLoc());
  New->copyMetadata(Call);
  AttributeList Attributes = Call.getAttributes();
  for (Attribute::AttrKind Kind : {Attribute::Memory, Attribute::NoSync, Attribute::Speculatable,
                                   Attribute::WillReturn, Attribute::NoFree})
    Attributes = Attributes.removeFnAttribute(Call.getContext(), Kind);
  New->setAttributes(Attributes);
  New->setConvergent();
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}
