//===- DeviceFunctions.cpp - Which functions a profile has to follow ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/DeviceFunctions.h"

#include "pass/core/Exits.h"
#include "pass/core/LaunchParameter.h"

#include "static-analysis/Accesses.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <cstddef>

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

/// Or fences.
static bool hasAccesses(Function &F, FunctionAnalysisManager &FAM, const Mode &Profile) {
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  return !Profile.fences(Info).empty() ||
         any_of(Info.accesses(), [&](const Access &A) { return Profile.counts(A.Space); });
}

DeviceFunctions::DeviceFunctions(Module &M, FunctionAnalysisManager &FAM, const Mode &Profile) {
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
    if (hasAccesses(F, FAM, Profile) || (Profile.isShared() && hasExitInstructions(F)))
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

SetVector<Function *> DeviceFunctions::reachableFrom(Function &F) const {
  SetVector<Function *> Reachable;
  Reachable.insert(&F);
  for (unsigned I = 0; I != Reachable.size(); ++I)
    for (const Instruction &Inst : instructions(*Reachable[I]))
      if (Function *Callee = calledFunction(Inst);
          Callee && !Callee->isIntrinsic() && (!Callee->isDeclaration() || needsClone(*Callee)))
        Reachable.insert(Callee);
  return Reachable;
}

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

/// A function of a clone's type that does nothing but call F.
static Function *forwardTo(Function &F, const Mode &M, GlobalValue::LinkageTypes Linkage,
                           function_ref<void(IRBuilder<> &, Function &Clone)> First) {
  auto *Clone = Function::Create(deviceCloneType(F.getFunctionType(), M), Linkage,
                                 F.getName() + M.functionSuffix(), F.getParent());
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

Function *gmprof::fallbackClone(Function &External, const Mode &M) {
  if (Function *Known =
          External.getParent()->getFunction((External.getName() + M.functionSuffix()).str()))
    return Known;
  return forwardTo(External, M, GlobalValue::WeakAnyLinkage, [&](IRBuilder<> &B, Function &Clone) {
    Value *Lost;
    if (M.isObjects()) {
      Value *Hits = launchField(B, Clone.getArg(External.arg_size()), ObjectsLaunchField::hits);
      Hits = B.CreateIntToPtr(Hits, B.getPtrTy(1));
      B.CreateStore(B.getInt8(1),
                    B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Hits, GMPROF_HIT_NOT_FOLLOWED));
      return;
    }
    if (M.isHeat()) {
      Value *Totals = B.CreateLoad(
          B.getInt64Ty(),
          B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Clone.getArg(External.arg_size()),
                                       offsetof(GmprofHeatContext, totals)));
      Totals = B.CreateAdd(Totals, B.getInt64(offsetof(GmprofHeatTotals, outside)));
      Lost = B.CreateIntToPtr(Totals, B.getPtrTy(1));
    } else if (M.isCache()) {
      Lost = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Clone.getArg(External.arg_size()),
                                          offsetof(GmprofTraceContext, totals) +
                                              offsetof(GmprofTraceTotals, outside));
      Lost = B.CreateAddrSpaceCast(Lost, B.getPtrTy(1));
    } else if (M.isGlobal()) {
      Value *Totals = std::prev(Clone.arg_end());
      Lost = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Totals,
                                          offsetof(GmprofGlobalTotals, outside));
      Lost = B.CreateAddrSpaceCast(Lost, B.getPtrTy(1));
    } else {
      Value *Address = launchField(B, Clone.getArg(External.arg_size()), LaunchField::layout);
      Address = B.CreateAdd(Address, B.getInt64(offsetof(GmprofSharedLayout, lost)));
      Lost = B.CreateIntToPtr(Address, B.getPtrTy(1));
    }
    B.CreateAtomicRMW(AtomicRMWInst::Add, Lost, B.getInt64(1), Align(8), AtomicOrdering::Monotonic);
  });
}

Function *gmprof::forwardingClone(Function &F, const Mode &M) {
  return forwardTo(F, M, F.getLinkage(), [](IRBuilder<> &, Function &) {});
}

void gmprof::redirectCall(CallBase &Call, Function &Callee, const Clone &Caller) {
  SmallVector<Value *, 8> Arguments(Call.args());
  append_range(Arguments, counterArguments(Caller));
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
