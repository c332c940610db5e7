//===- Clone.cpp - The instrumented copy of a function --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Clone.h"

#include "pass/core/CloneBuilder.h"
#include "static-analysis/RegisterPressure.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace gmprof;

/// Removes attributes that do not hold for clones: these read and write memory and synchronise.
static void dropAttributesThatCountingBreaks(Function &F) {
  for (Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::Speculatable, Attribute::WillReturn,
        Attribute::NoFree, Attribute::NoRecurse, Attribute::NoCallback})
    F.removeFnAttr(Kind);
  F.addFnAttr(Attribute::Convergent);
}

/// Copies Original into a function with another name and further parameters.
static Function *copy(const Function &Original, const Twine &Name, ArrayRef<Type *> Parameters,
                      GlobalValue::LinkageTypes Linkage) {
  SmallVector<Type *, 8> Types(Original.getFunctionType()->params());
  Types.append(Parameters.begin(), Parameters.end());
  auto *Type = FunctionType::get(Original.getReturnType(), Types, Original.isVarArg());
  Module *M = const_cast<Module *>(Original.getParent());
  auto *F = Function::Create(Type, Linkage, Original.getAddressSpace(), Name, M);
  ValueToValueMapTy Map;
  for (auto [From, To] : zip(Original.args(), F->args())) {
    To.setName(From.getName());
    Map[&From] = &To;
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(F, &Original, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  F->setLinkage(Linkage);
  F->setVisibility(Original.getVisibility());
  F->setDSOLocal(Original.isDSOLocal());
  F->setComdat(nullptr);
  if (const Comdat *C = Original.getComdat(); C && !F->hasLocalLinkage()) {
    Comdat *Own = M->getOrInsertComdat(F->getName());
    Own->setSelectionKind(C->getSelectionKind());
    F->setComdat(Own);
  }
  dropAttributesThatCountingBreaks(*F);
  return F;
}

Clone gmprof::cloneKernel(Function &Kernel, CloneBuilder &Builder, const CloneKind &Kind) {
  LLVMContext &Context = Kernel.getContext();
  Clone C;
  C.Original = &Kernel;
  C.Builder = &Builder;
  C.Kind = &Kind;
  C.IsKernel = true;
  C.F = copy(Kernel, Kernel.getName() + Kind.Suffix, PointerType::getUnqual(Context),
             Kernel.getLinkage());
  Argument *Launch = std::prev(C.F->arg_end());
  Launch->setName("gm.launch");
  // Passes the structure by value, as clang does, and as a grid constant: its address may be passed
  // on without a copy in local memory.
  Launch->addAttr(Attribute::getWithByValType(Context, Builder.launchType(Context)));
  Launch->addAttr(Attribute::getWithAlignment(Context, Align(8)));
  Launch->addAttr(Attribute::get(Context, "nvvm.grid_constant"));
  Launch->addAttr(Attribute::NoUndef);
  C.Launch = Launch;
  return C;
}

static constexpr StringLiteral LaunchBounds[] = {"nvvm.maxntid", "nvvm.reqntid", "nvvm.minctasm",
                                                 "nvvm.maxnreg"};

/// Returns the calls that are neither inline assembly nor intrinsics.
static SmallVector<const CallBase *, 8> callsOf(const Function &F) {
  SmallVector<const CallBase *, 8> Calls;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(I))
      Calls.push_back(Call);
  return Calls;
}

/// Returns whether some call, in the kernel or in a function that it calls, is indirect.
static bool mayCallAnything(const Function &Kernel) {
  SmallVector<const Function *, 8> Worklist = {&Kernel};
  SmallPtrSet<const Function *, 8> Seen;
  while (!Worklist.empty())
    for (const CallBase *Call : callsOf(*Worklist.pop_back_val())) {
      const Function *Callee = Call->getCalledFunction();
      if (!Callee)
        return true;
      if (Seen.insert(Callee).second)
        Worklist.push_back(Callee);
    }
  return false;
}

void gmprof::limitRegisters(const Clone &C, const RegisterLimit &Limit, bool WholeProgram) {
  Function &Kernel = *C.F;
  if (any_of(LaunchBounds, [&](StringRef Name) { return Kernel.hasFnAttribute(Name); }))
    return;
  const bool CallsOutOfLine = any_of(callsOf(Kernel), [&](const CallBase *Call) {
    const Function *Callee = Call->getCalledFunction();
    return !Callee || Limit.Hooks.empty() || !Callee->getName().starts_with(Limit.Hooks);
  });
  if (CallsOutOfLine && (!WholeProgram || mayCallAnything(Kernel)))
    return;
  if (Limit.KeepsOccupancy && !CallsOutOfLine && likelyHasFullOccupancy(*C.Original))
    Kernel.addFnAttr("nvvm.maxnreg", utostr(RegistersOfFullOccupancy));
  else
    Kernel.addFnAttr("nvvm.maxntid", "1024");
}

Clone gmprof::cloneDeviceFunction(Function &Original, CloneBuilder &Builder,
                                  const CloneKind &Kind) {
  Clone C;
  C.Original = &Original;
  C.Builder = &Builder;
  C.Kind = &Kind;
  const auto Types = Builder.functionParameters(Original.getContext(), Kind);
  C.F = copy(Original, Original.getName() + Builder.functionSuffix(Kind), Types,
             Original.getLinkage());
  SmallVector<Value *, 5> Parameters;
  for (Argument &A : drop_begin(C.F->args(), Original.arg_size()))
    Parameters.push_back(&A);
  Builder.setFunctionParameters(C, Parameters);
  return C;
}

FunctionType *gmprof::deviceCloneType(FunctionType *Original, const CloneBuilder &Builder,
                                      const CloneKind &Kind) {
  SmallVector<Type *, 8> Types(Original->params());
  append_range(Types, Builder.functionParameters(Original->getContext(), Kind));
  return FunctionType::get(Original->getReturnType(), Types, Original->isVarArg());
}

Function *gmprof::clonePlainBody(Function &Kernel) {
  Function *F = copy(Kernel, Kernel.getName() + "__gm_plain", {}, GlobalValue::InternalLinkage);
  F->setCallingConv(CallingConv::C);
  // Inlined, its parameters are the clone's: no copies.
  for (Argument &A : F->args())
    for (Attribute::AttrKind Kind : {Attribute::ByVal, Attribute::ByRef})
      A.removeAttr(Kind);
  F->removeFnAttr(Attribute::OptimizeNone);
  F->removeFnAttr(Attribute::NoInline);
  return F;
}

void gmprof::simplifyForAnalysis(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager FPM;
  bool Optimised = !F.hasFnAttribute(Attribute::OptimizeNone);
  if (!Optimised) {
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
    FPM.addPass(EarlyCSEPass());
    FPM.addPass(InstCombinePass());
    FPM.addPass(SimplifyCFGPass());
  }
  FPM.addPass(InferAddressSpacesPass());
  if (!Optimised) {
    FPM.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
    FPM.addPass(InstCombinePass());
  }
  FPM.addPass(LoopSimplifyPass());
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, FPM.run(F, FAM));
}

// Control flow stays unchanged: SimplifyCFG would thread branches on equal conditions and copy the
// code between them into both arms, including matrix instructions, which all lanes of a warp must
// execute together. LLVM does not mark all matrix instructions as convergent.
void gmprof::simplifyAfterInstrumentation(Function &F, FunctionAnalysisManager &FAM) {
  FunctionPassManager FPM;
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(InstCombinePass());
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, FPM.run(F, FAM));
}

void gmprof::keepInRegisters(Function &F, FunctionAnalysisManager &FAM) {
  FAM.invalidate(F, PreservedAnalyses::none());
  FAM.invalidate(F, SROAPass(SROAOptions::PreserveCFG).run(F, FAM));
}

void gmprof::goToEntry(IRBuilderBase &B, const Clone &C) {
  BasicBlock &Entry = C.F->getEntryBlock();
  B.SetInsertPoint(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *Subprogram = C.F->getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(C.F->getContext(), 0, 0, Subprogram));
}
