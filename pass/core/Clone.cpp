//===- Clone.cpp - The copy of a function that counts ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Clone.h"

#include "pass/core/Hooks.h"
#include "pass/core/LaunchParameter.h"
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
#include <cstddef>

using namespace llvm;
using namespace gmprof;

/// Clones read and write memory and synchronise, whatever the original does.
static void dropAttributesThatCountingBreaks(Function &F) {
  for (Attribute::AttrKind Kind :
       {Attribute::Memory, Attribute::NoSync, Attribute::Speculatable, Attribute::WillReturn,
        Attribute::NoFree, Attribute::NoRecurse, Attribute::NoCallback})
    F.removeFnAttr(Kind);
  F.addFnAttr(Attribute::Convergent);
}

/// Copies Original into a function of another name and with further parameters.
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

static SmallVector<Type *, 5> counterTypes(LLVMContext &Context, const Mode &M) {
  Type *Pointer = PointerType::getUnqual(Context), *Int = Type::getInt32Ty(Context);
  if (M.isGlobal())
    return {Pointer, Int, Pointer}; // Objects, ObjectCount, Totals
  if (M.isObjects())
    return {Pointer}; // launch
  if (M.isHeat())
    return {Pointer, Int, Pointer}; // context, First, cursor
  if (M.isCache())
    return {Pointer, Pointer}; // context, cursor
  if (M.inSharedMemory())
    return {Pointer, Int, Int, Int};            // launch, Base, First, Words
  return {Pointer, Pointer, Pointer, Int, Int}; // launch, Sums, Layout, First, Words
}

Clone gmprof::cloneKernel(Function &Kernel, const Mode &M) {
  LLVMContext &Context = Kernel.getContext();
  Clone C;
  C.Original = &Kernel;
  C.M = &M;
  C.IsKernel = true;
  C.F = copy(Kernel, Kernel.getName() + M.kernelSuffix(), PointerType::getUnqual(Context),
             Kernel.getLinkage());
  C.Launch = std::prev(C.F->arg_end());
  C.Launch->setName("gm.launch");
  // By value, as clang passes a struct; a grid constant, so that its address may
  // be passed on without a copy in local memory.
  C.Launch->addAttr(Attribute::getWithByValType(Context, M.isGlobal() ? globalLaunchType(Context)
                                                         : M.isObjects()
                                                             ? objectsLaunchType(Context)
                                                         : M.isHeat()  ? heatLaunchType(Context)
                                                         : M.isCache() ? traceLaunchType(Context)
                                                                       : launchType(Context)));
  C.Launch->addAttr(Attribute::getWithAlignment(Context, Align(8)));
  C.Launch->addAttr(Attribute::get(Context, "nvvm.grid_constant"));
  C.Launch->addAttr(Attribute::NoUndef);
  return C;
}

static constexpr StringLiteral LaunchBounds[] = {"nvvm.maxntid", "nvvm.reqntid", "nvvm.minctasm",
                                                 "nvvm.maxnreg"};

/// What code calls that is neither inline assembly nor an intrinsic.
static SmallVector<const CallBase *, 8> callsOf(const Function &F) {
  SmallVector<const CallBase *, 8> Calls;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(I))
      Calls.push_back(Call);
  return Calls;
}

static bool isHookOfRequests(const Function &F) {
  return F.getName().starts_with(GMPROF_SYMBOL_PREFIX "heat_") ||
         F.getName().starts_with(GMPROF_SYMBOL_PREFIX "trace");
}

/// Whether some call, of the kernel or of what it calls, may be of any function.
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

void gmprof::limitRegisters(const Clone &C, bool WholeProgram) {
  Function &Kernel = *C.F;
  if (any_of(LaunchBounds, [&](StringRef Name) { return Kernel.hasFnAttribute(Name); }))
    return;
  const bool CallsOutOfLine = any_of(callsOf(Kernel), [](const CallBase *Call) {
    const Function *Callee = Call->getCalledFunction();
    return !Callee || !isHookOfRequests(*Callee);
  });
  if (CallsOutOfLine && (!WholeProgram || mayCallAnything(Kernel)))
    return;
  if (C.M->isHeat() && !CallsOutOfLine && likelyHasFullOccupancy(*C.Original))
    Kernel.addFnAttr("nvvm.maxnreg", utostr(RegistersOfFullOccupancy));
  else
    Kernel.addFnAttr("nvvm.maxntid", "1024");
}

Clone gmprof::cloneDeviceFunction(Function &Original, const Mode &M) {
  Clone C;
  C.Original = &Original;
  C.M = &M;
  auto Types = counterTypes(Original.getContext(), M);
  C.F = copy(Original, Original.getName() + M.functionSuffix(), Types, Original.getLinkage());
  auto Arg = C.F->arg_end() - Types.size();
  if (M.isShared()) {
    C.Launch = Arg++;
    C.Launch->setName("gm.launch");
  }
  while (Arg != C.F->arg_end())
    C.Counters.push_back(Arg++);
  if (M.inSharedMemory())
    C.Counters.push_back(ConstantInt::get(Type::getInt32Ty(Original.getContext()), M.threshold()));
  return C;
}

FunctionType *gmprof::deviceCloneType(FunctionType *Original, const Mode &M) {
  SmallVector<Type *, 8> Types(Original->params());
  append_range(Types, counterTypes(Original->getContext(), M));
  return FunctionType::get(Original->getReturnType(), Types, Original->isVarArg());
}

SmallVector<Value *, 5> gmprof::counterArguments(const Clone &C) {
  SmallVector<Value *, 5> Arguments;
  if (C.M->isShared())
    Arguments.push_back(C.Launch);
  append_range(Arguments, C.Counters);
  if (C.M->inSharedMemory())
    Arguments.pop_back(); // the threshold is a constant in every clone
  return Arguments;
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

// Control flow stays as it is: SimplifyCFG threads branches on equal conditions,
// and so copies what is between them into both arms, matrix instructions too, for
// which all lanes must be together. LLVM does not mark all of those convergent.
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

Value *gmprof::counterBase(IRBuilderBase &B, const Clone &C) {
  Value *Dynamic = B.CreatePtrToInt(dynamicSharedMemory(*C.F->getParent()), B.getInt32Ty());
  return B.CreateAdd(Dynamic, launchField(B, C.Launch, LaunchField::counterOffset), "gm.base");
}

Value *gmprof::traceContext(IRBuilderBase &B, const Clone &C) {
  return B.CreateIntToPtr(launchField(B, C.Launch, TraceLaunchField::context), B.getPtrTy());
}

Value *gmprof::firstWord(IRBuilderBase &B, const Clone &C, ArrayRef<GlobalVariable *> Variables) {
  Value *First = B.CreatePtrToInt(dynamicSharedMemory(*C.F->getParent()), B.getInt32Ty());
  for (GlobalVariable *Variable : Variables)
    First =
        B.CreateBinaryIntrinsic(Intrinsic::umin, First, B.CreatePtrToInt(Variable, B.getInt32Ty()));
  return B.CreateAnd(First, B.getInt32(~15u), "gm.first");
}

static void goToEntry(IRBuilder<> &B, const Clone &C) {
  BasicBlock &Entry = C.F->getEntryBlock();
  B.SetInsertPoint(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *Subprogram = C.F->getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(C.F->getContext(), 0, 0, Subprogram));
}

void gmprof::emitFirstSite(Clone &C, uint64_t Unit, Hooks &H) {
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  const size_t Units =
      C.M->isHeat() ? offsetof(GmprofHeatContext, units) : offsetof(GmprofTraceContext, units);
  C.FirstSite =
      H.call(B, "first_site",
             {B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), C.Counters[0], Units), B.getInt64(Unit)});
}

void gmprof::emitCounters(Clone &C, ArrayRef<GlobalVariable *> Variables, Hooks &H) {
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  if (C.M->isObjects()) {
    C.Counters = {C.Launch};
    return;
  }
  if (C.M->isHeat()) {
    Value *Context = launchField(B, C.Launch, HeatLaunchField::context);
    Type *Cursor = ArrayType::get(B.getInt64Ty(), sizeof(GmprofRequestCursor) / 8);
    C.Counters = {B.CreateIntToPtr(Context, B.getPtrTy()), firstWord(B, C, Variables),
                  B.CreateAlloca(Cursor, nullptr, "gm.cursor")};
    H.call(B, "enter_heat", {C.Counters[0], C.Counters[2]});
    return;
  }
  if (C.M->isCache()) {
    AllocaInst *Cursor = B.CreateAlloca(
        ArrayType::get(B.getInt64Ty(), sizeof(GmprofTraceCursor) / 8), nullptr, "gm.cursor");
    // Distances from it tell how local memory is aligned.
    Cursor->setAlignment(Align(16));
    C.Counters = {traceContext(B, C), Cursor};
    H.call(B, "enter_trace", Cursor);
    return;
  }
  if (C.M->isGlobal()) {
    auto Pointer = [&](GlobalLaunchField Field) {
      return B.CreateIntToPtr(launchField(B, C.Launch, Field), B.getPtrTy());
    };
    C.Counters = {Pointer(GlobalLaunchField::objects),
                  launchField(B, C.Launch, GlobalLaunchField::objectCount),
                  Pointer(GlobalLaunchField::totals)};
  } else {
    Value *First = firstWord(B, C, Variables);
    Value *Words = launchField(B, C.Launch, LaunchField::words);
    if (C.M->inSharedMemory()) {
      C.Counters = {counterBase(B, C), First, Words, B.getInt32(C.M->threshold())};
    } else {
      Value *Sums = H.call(B, "sums_of_block", C.Launch);
      Value *Layout = B.CreateIntToPtr(launchField(B, C.Launch, LaunchField::layout), B.getPtrTy());
      C.Counters = {Sums, Layout, First, Words};
    }
  }
  if (C.BlocksAlike && !C.M->inSharedMemory())
    C.Blocks = H.call(B, "blocks_of_grid", {});
  C.IsFirstThread = H.call(B, "thread_is_first", {});
  C.Threads = H.call(B, "threads_of_block", {});
}
