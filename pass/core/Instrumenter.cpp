//===- Instrumenter.cpp - Adds instrumented clones to a module ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Instrumenter.h"

#include "pass/Profiles.h"
#include "pass/core/DeviceFunctions.h"
#include "pass/core/OtherBlocks.h"
#include "pass/core/SharedMemory.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsCloned, "Kernels with instrumented clones");
STATISTIC(KernelsNotSelected, "Kernels without clone: not selected");
STATISTIC(FunctionsCloned, "Device functions cloned");
STATISTIC(CallsOpaque, "Calls of code that cannot be followed");

/// Returns a number that no other translation unit of the program has, though its file may have
/// the same name.
static uint64_t unitId(const Module &M) {
  std::string Content = M.getSourceFileName();
  for (const Function &F : M)
    Content += (F.getName() + ":" + Twine(F.getInstructionCount()) + ";").str();
  return std::max<uint64_t>(xxh3_64bits(Content), 1);
}

static std::vector<std::unique_ptr<CloneBuilder>> createBuilders(Instrumenter &I) {
  std::vector<std::unique_ptr<CloneBuilder>> Builders;
  for (const Profile *P : profiles()) {
    Builders.push_back(P->Create(I, *P));
    Builders.back()->findFunctions();
  }
  return Builders;
}

static size_t clonesThatShareBudget(ArrayRef<std::unique_ptr<CloneBuilder>> Builders) {
  size_t Clones = 0;
  for (const auto &B : Builders)
    Clones += B->isSelected() ? B->inlineShares() : 0;
  return Clones;
}

Instrumenter::Instrumenter(Module &M, FunctionAnalysisManager &FAM, const Options &O,
                           ArrayRef<Function *> Kernels)
    : M(M), FAM(FAM), O(O), Kernels(Kernels), Unit(unitId(M)), Spaces(M, O.WholeProgram),
      MeetsOtherBlocks(mayPointToOtherBlocks(M, O.WholeProgram)), Builders(createBuilders(*this)),
      H(M, O.InlineBudget, Kernels.size() * clonesThatShareBudget(Builders)) {}

void Instrumenter::run() {
  for (const auto &B : Builders)
    B->beginModule();
  for (Function *Kernel : Kernels)
    instrumentKernel(*Kernel);
  cloneForOtherModules();
  describeFunctions();
  for (const auto &B : Builders)
    B->endModule();
}

Clone Instrumenter::cloneKernel(Function &Kernel, CloneBuilder &Builder, const CloneKind &Kind) {
  Clone C = gmprof::cloneKernel(Kernel, Builder, Kind);
  C.MeetsOtherBlocks = MeetsOtherBlocks;
  simplifyForAnalysis(*C.F, FAM);
  return C;
}

void Instrumenter::discard(const Clone &C) {
  FAM.clear(*C.F, C.F->getName());
  C.F->eraseFromParent();
}

void Instrumenter::complete(const Clone &C, const RegisterLimit &Limit) {
  limitRegisters(C, Limit, O.WholeProgram);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  if (C.F->isDiscardableIfUnused())
    appendToCompilerUsed(M, {C.F});
}

void Instrumenter::instrumentKernel(Function &Kernel) {
  KernelState K = {Kernel, reachableFrom(Kernel), {}, {}};
  K.SharedVariables = sharedVariables(K.Reachable.getArrayRef());
  K.D.Kernel = &Kernel;
  if (any_of(K.SharedVariables, [](GlobalVariable *V) { return isDynamic(*V); }))
    K.D.Flags |= GMPROF_KERNEL_DYNAMIC_SHARED;
  if (!O.isKernelSelected(Kernel.getName(), demangle(Kernel.getName()))) {
    ++KernelsNotSelected;
    K.D.SkipReason = "not selected by -gm-kernels";
    emitDescriptor(K.D, Builders);
    return;
  }
  for (const auto &B : Builders)
    B->cloneKernel(K);
  KernelsCloned += any_of(Builders, [&](const auto &B) { return B->hasClone(K.D); });
  addSites(K.D, /*AddVisible=*/true);
  if (O.MachineCode)
    addMachineMemory(K.D, *O.MachineCode, Kernel, FAM);
  for (const auto &B : Builders)
    B->describeKernel(K);
  for (const auto &B : Builders)
    B->completeClones(K);
  emitDescriptor(K.D, Builders);
}

/// Adds the accesses of D.Kernel and of the functions that it calls. Functions that other
/// translation units can call have descriptors of their own: AddVisible adds their accesses here
/// too.
void Instrumenter::addSites(KernelDescription &D, bool AddVisible) {
  D.Unit = Unit;
  SetVector<const Function *> Called;
  Called.insert(D.Kernel);
  for (unsigned I = 0; I != Called.size(); ++I) {
    const Function &F = *Called[I];
    const bool IsVisible = I != 0 && !F.hasLocalLinkage();
    if (IsVisible)
      D.Callees.insert(&F);
    if (F.isDeclaration() || (IsVisible && !AddVisible))
      continue;
    const FunctionSites *Function = sitesOf(F);
    if (!Function)
      continue; // no clone was called
    D.add(F, *Function);
    Called.insert(Function->Callees.begin(), Function->Callees.end());
  }
}

FunctionSites *Instrumenter::sitesOf(const Function &F) {
  const auto Known = Sites.find(&F);
  return Known == Sites.end() ? nullptr : &Known->second;
}

FunctionSites &Instrumenter::sitesOf(const Clone &C, const AccessInfo &Info) {
  auto [Place, New] = Sites.try_emplace(C.Original);
  FunctionSites &Result = Place->second;
  if (!New)
    return Result;
  for (const Variable &V : Info.Variables)
    Result.Variables.push_back(siteVariable(V));
  for (const Access &A : Info.accesses()) {
    Site S;
    S.Variable = A.Variable;
    S.Source = sourceLocation(*A.Inst);
    S.Kind = A.Kind;
    S.Space = A.Space;
    S.Bytes = A.Bytes;
    S.Reduction = A.Reduction;
    Result.Sites.push_back(std::move(S));
  }
  for (auto [Inst, Why] : Info.opaqueCalls()) {
    auto *Call = dyn_cast<CallBase>(Inst);
    if (Call && Call->getCalledFunction() && isProgramsExternal(*Call->getCalledFunction()))
      continue; // another translation unit may have its clone
    ++CallsOpaque;
    Result.HasOpaqueCalls = true;
    Site S;
    S.Source = sourceLocation(*Inst);
    S.OpaqueReason = Why;
    Result.Sites.push_back(std::move(S));
  }
  if (!C.IsKernel)
    for (Site &S : Result.Sites)
      S.FunctionSite = NextFunctionSite++;
  return Result;
}

/// Returns whether a call passes pointers to memory that is not recorded, and the function accesses
/// memory through no others: then the function itself is called.
bool Instrumenter::accessesNothingCounted(const CallBase &Call, const CloneBuilder &Builder) {
  Function &Callee = *Call.getCalledFunction();
  if (Builder.followsAllCalls() || Callee.isDeclaration())
    return false;
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(Callee);
  if (!Builder.fences(Info).empty())
    return false;
  const DeviceFunctions &Functions = Builder.functions();
  if (!Info.opaqueCalls().empty() || any_of(instructions(Callee), [&](const Instruction &I) {
        auto *Inner = dyn_cast<CallBase>(&I);
        return Inner && Inner->getCalledFunction() &&
               Functions.needsClone(*Inner->getCalledFunction());
      }))
    return false;
  return all_of(Info.accesses(), [&](const Access &A) {
    if (!Builder.counts(A.Space) ||
        (A.Variable >= 0 && isTableOfCompiler(Info.Variables[A.Variable])))
      return true;
    auto *Argument = A.Pointer->getType()->isPointerTy()
                         ? dyn_cast<llvm::Argument>(getUnderlyingObject(A.Pointer, /*MaxLookup=*/0))
                         : nullptr;
    return Argument && !Builder.counts(pointsTo(Call.getArgOperand(Argument->getArgNo())).Space);
  });
}

bool Instrumenter::isFollowed(const CallBase &Call, const CloneBuilder &Builder) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Builder.functions().needsClone(*Callee) &&
         !accessesNothingCounted(Call, Builder);
}

bool Instrumenter::followsCalls(const Clone &C) {
  return any_of(instructions(*C.F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && isFollowed(*Call, *C.Builder);
  });
}

void Instrumenter::followCalls(const Clone &C, FunctionSites &Into) {
  CloneBuilder &Builder = *C.Builder;
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(*C.F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction();
          Callee && Builder.functions().needsClone(*Callee))
        Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    Function &Callee = *Call->getCalledFunction();
    Into.Callees.insert(&Callee);
    if (isFollowed(*Call, Builder))
      redirectCall(*Call, *cloneOf(Callee, Builder, *C.Kind), C);
  }
}

/// Returns the clone of a device function. The first call makes it.
Function *Instrumenter::cloneOf(Function &F, CloneBuilder &Builder, const CloneKind &Kind) {
  if (F.isDeclaration())
    return fallbackClone(F, Builder, Kind);
  Function *&Known = Clones[{&F, Builder.functionSuffix(Kind)}];
  if (Known)
    return Known;
  ++FunctionsCloned;
  Clone C = cloneDeviceFunction(F, Builder, Kind);
  Known = C.F; // before its calls are followed: it may be recursive
  C.MeetsOtherBlocks = MeetsOtherBlocks;
  Spaces.castIn(*C.F, F);
  simplifyForAnalysis(*C.F, FAM);
  Builder.instrumentFunction(C);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  return C.F;
}

/// Makes clones of the functions that other translation units may call.
void Instrumenter::cloneForOtherModules() {
  for (const auto &B : Builders) {
    if (!B->isSelected())
      continue;
    const DeviceFunctions &Functions = B->functions();
    for (const CloneKind *Kind : B->kindsForOtherModules())
      for (Function *F : Functions.visibleToOthers())
        if (Functions.needsClone(*F))
          cloneOf(*F, *B, *Kind);
        else
          forwardingClone(*F, *B, *Kind);
  }
}

/// Emits descriptors of the functions that other translation units can call, or define as well, if
/// records name sites.
void Instrumenter::describeFunctions() {
  if (none_of(Builders, [](const auto &B) { return B->isSelected() && B->recordsSites(); }))
    return;
  for (const Function &F : M) {
    if (F.isDeclaration() || isKernel(F) || F.hasLocalLinkage() || !sitesOf(F))
      continue;
    KernelDescription D;
    D.Kernel = &F;
    addSites(D, /*AddVisible=*/false);
    emitDescriptor(D, Builders);
  }
}
