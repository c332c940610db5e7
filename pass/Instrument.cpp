//===- Instrument.cpp - Adds instrumented clones to a module --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel, and each way to count that it needs (Mode.h):
//
//   1. copy the kernel, with the launch parameter (Clone.h);
//   2. simplify the copy until the analyses see what there is to see;
//   3. for each access that static analysis finds, choose a rule (Rules.h), which
//      plans updates of counters; then emit them (Updates.h) as calls of hooks
//      (runtime/device), and inline those;
//   4. make it call the clones of device functions, treated likewise
//      (DeviceFunctions.h);
//   5. add its entry and exits (KernelEntry.h, Exits.h).
//
// The kernel itself stays as it is. Its descriptor (Descriptor.h) tells the host
// of the clones and of every access.
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"

#include "AlikeBlocks.h"
#include "Clone.h"
#include "Descriptor.h"
#include "DeviceFunctions.h"
#include "EmbedBitcode.h"
#include "Exits.h"
#include "Hooks.h"
#include "KernelEntry.h"
#include "Rules.h"
#include "SharedSize.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <map>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsCloned, "Kernels with instrumented clones");
STATISTIC(KernelsWithoutShared, "Kernels without clone: no shared memory");
STATISTIC(KernelsNotSelected, "Kernels without clone: not selected");
STATISTIC(KernelsRefused, "Kernels without clone: cannot be instrumented");
STATISTIC(KernelsOfAlikeBlocks, "Kernels counted in their first block alone");
STATISTIC(FunctionsCloned, "Device functions cloned");
STATISTIC(AccessesStatic, "Accesses counted at compile time");
STATISTIC(AccessesAfterLoops, "Accesses counted after loops");
STATISTIC(AccessesByOneThread, "Accesses counted by one thread for others");
STATISTIC(AccessesEach, "Accesses counted each time by each thread");
STATISTIC(AccessesOfOtherSpaces, "Accesses not counted: other memory spaces");
STATISTIC(CallsOpaque, "Calls of code that cannot be followed");

static constexpr const char *DoneFlag = "gmprof";

namespace {

class Instrumenter {
public:
  Instrumenter(Module &M, FunctionAnalysisManager &FAM, const Options &O)
      : M(M), FAM(FAM), O(O), Shared(Mode::SharedMemory, O), Device(Mode::DeviceMemory, O),
        Functions(M, FAM), H(M) {}

  void run(ArrayRef<Function *> Kernels) {
    for (Function *Kernel : Kernels)
      instrumentKernel(*Kernel);
    cloneForOtherModules();
  }

private:
  Module &M;
  FunctionAnalysisManager &FAM;
  const Options &O;
  Mode Shared, Device;
  DeviceFunctions Functions;
  Hooks H;
  /// Clones of device functions, by name suffix.
  std::map<std::pair<const Function *, const Mode *>, Function *> Clones;
  std::map<const Function *, FunctionSites> Sites;

  std::string skipReason(Function &Kernel, ArrayRef<Function *> Reachable,
                         ArrayRef<GlobalVariable *> Variables);
  SmallVector<const Mode *, 2> modesOf(ArrayRef<GlobalVariable *> Variables) const;
  void instrumentKernel(Function &Kernel);
  void describe(Function &Kernel, KernelDescription &D);
  void countAccesses(Clone &C);
  bool followsCalls(const Function &F) const;
  void followCalls(Clone &C, FunctionSites &Into);
  Function *cloneOf(Function &F, const Mode &M);
  void cloneForOtherModules();
  Site countAccess(const Access &A, RuleContext &Context);
};

} // namespace

static bool isDynamic(const GlobalVariable &Variable) {
  return Variable.isDeclaration() && Variable.getName() != GMPROF_SYMBOL_PREFIX "dynamic";
}

/// Why a kernel gets no clone, or empty.
std::string Instrumenter::skipReason(Function &Kernel, ArrayRef<Function *> Reachable,
                                     ArrayRef<GlobalVariable *> Variables) {
  if (!O.isKernelSelected(Kernel.getName(), demangle(Kernel.getName()))) {
    ++KernelsNotSelected;
    return "not selected by -gm-kernels";
  }
  bool CallsOtherModules =
      any_of(Reachable, [](const Function *F) { return isProgramsExternal(*F); });
  if (Variables.empty() && !CallsOtherModules) {
    ++KernelsWithoutShared;
    return "uses no shared memory";
  }
  for (Function *F : Reachable)
    for (auto Obstacle : {obstacleToExits, obstacleToSharedSize})
      if (std::string Why = Obstacle(*F); !Why.empty()) {
        ++KernelsRefused;
        return Why;
      }
  return "";
}

/// Counters in device memory are for launches that have no room for counters in
/// shared memory, which depends on the launch if shared memory is dynamic.
SmallVector<const Mode *, 2> Instrumenter::modesOf(ArrayRef<GlobalVariable *> Variables) const {
  if (!O.countsInSharedMemory())
    return {&Device};
  constexpr uint64_t AlwaysThere = 48 * 1024;
  uint64_t Bytes = 0;
  for (const GlobalVariable *Variable : Variables)
    Bytes += isDynamic(*Variable) ? AlwaysThere
                                  : M.getDataLayout().getTypeAllocSize(Variable->getValueType());
  if (Bytes + Bytes * O.CounterBits / 32 + GMPROF_SHARED_CONTROL_BYTES < AlwaysThere)
    return {&Shared};
  return {&Shared, &Device};
}

void Instrumenter::instrumentKernel(Function &Kernel) {
  SetVector<Function *> Reachable = Functions.reachableFrom(Kernel);
  SetVector<GlobalVariable *> Variables = sharedVariables(Reachable.getArrayRef());
  KernelDescription D;
  D.Kernel = &Kernel;
  if (any_of(Variables, [](GlobalVariable *V) { return isDynamic(*V); }))
    D.Flags |= GMPROF_KERNEL_DYNAMIC_SHARED;
  D.SkipReason = skipReason(Kernel, Reachable.getArrayRef(), Variables.getArrayRef());
  if (!D.SkipReason.empty()) {
    emitDescriptor(D, O);
    return;
  }

  ++KernelsCloned;
  struct Body {
    Clone C;
    bool LeaveTogether;
  };
  SmallVector<Body, 2> Bodies;
  for (const Mode *Mode : modesOf(Variables.getArrayRef())) {
    D.Modes |= Mode->flag();
    Clone C = cloneKernel(Kernel, *Mode);
    simplifyForAnalysis(*C.F, FAM);
    C.BlocksAlike =
        O.countsFirstBlockForAll() && !followsCalls(*C.F) && blocksCountAlike(*C.F, FAM);
    KernelsOfAlikeBlocks += C.BlocksAlike;
    if (C.BlocksAlike)
      D.Flags |= GMPROF_KERNEL_BLOCKS_ALIKE;
    bool LeaveTogether = Mode->inSharedMemory() && allThreadsLeaveTogether(*C.F, FAM);
    emitCounters(C, Variables.getArrayRef(), H);
    countAccesses(C);
    Bodies.push_back({std::move(C), LeaveTogether});
  }
  describe(Kernel, D);

  SmallVector<GlobalVariable *, 8> Layout;
  for (const Variable &V : D.Variables) {
    auto *Global = dyn_cast<GlobalVariable>(const_cast<Value *>(V.Base));
    Layout.push_back(Global && Global->getAddressSpace() == 3 ? Global : nullptr);
  }
  for (Body &B : Bodies) {
    if (B.C.M->inSharedMemory())
      emitExits(B.C, B.LeaveTogether, H);
    emitKernelEntry(B.C, Layout, Variables.getArrayRef(), H);
    correctSharedSize(B.C);
    FAM.invalidate(*B.C.F, PreservedAnalyses::none());
    if (B.C.F->isDiscardableIfUnused())
      appendToCompilerUsed(M, {B.C.F});
  }
  emitDescriptor(D, O);
}

/// Adds the kernel's accesses and those of the device functions it calls.
void Instrumenter::describe(Function &Kernel, KernelDescription &D) {
  SetVector<const Function *> Called;
  Called.insert(&Kernel);
  for (unsigned I = 0; I != Called.size(); ++I) {
    const FunctionSites &Function = Sites[Called[I]];
    D.add(Function);
    Called.insert(Function.Callees.begin(), Function.Callees.end());
  }
}

static std::string whyCountedEach(const Access &A, const Options &O) {
  if (!O.usesStaticAnalysis())
    return "level basic counts each access";
  std::string Why;
  auto Add = [&](StringRef Rule, StringRef Reason) {
    if (!Reason.empty())
      Why += ((Why.empty() ? "" : "; ") + Rule + ": " + Reason).str();
  };
  Add("not static", A.StaticReason);
  Add("not after the loop", A.LoopReason);
  Add("not by one thread", A.ThreadInvariantAddress.Why);
  return Why;
}

/// Algorithm 1.
Site Instrumenter::countAccess(const Access &A, RuleContext &Context) {
  Site S{A.Variable, sourceLocation(*A.Inst), A.Kind, A.Space,
         A.Bytes,    GMPROF_RULE_NOT_COUNTED, "",     A.Static};
  if (A.Space != GMPROF_SPACE_SHARED && A.Space != GMPROF_SPACE_GENERIC) {
    ++AccessesOfOtherSpaces;
    return S;
  }
  if (O.usesStaticAnalysis()) {
    if (auto Rule = countStatically(A, Context)) {
      ++AccessesStatic;
      S.Rule = *Rule;
      return S;
    }
    if (auto Rule = countAfterLoops(A, Context)) {
      ++AccessesAfterLoops;
      S.Rule = *Rule;
      S.Reason = A.StaticReason;
      return S;
    }
    if (auto Rule = countByOneThread(A, Context)) {
      ++AccessesByOneThread;
      S.Rule = *Rule;
      S.Reason = A.StaticReason;
      return S;
    }
  }
  ++AccessesEach;
  S.Rule = countEach(A, Context);
  S.Reason = whyCountedEach(A, O);
  return S;
}

RuleContext::RuleContext(Clone &C, Updates &Planned, FunctionAnalysisManager &FAM)
    : C(C), DT(FAM.getResult<DominatorTreeAnalysis>(*C.F)), LI(FAM.getResult<LoopAnalysis>(*C.F)),
      SE(FAM.getResult<ScalarEvolutionAnalysis>(*C.F)), TTI(FAM.getResult<TargetIRAnalysis>(*C.F)),
      Planned(Planned) {}

void Instrumenter::countAccesses(Clone &C) {
  Function &F = *C.F;
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  Updates Planned;
  RuleContext Context(C, Planned, FAM);
  FunctionSites Found;
  Found.Variables = Info.Variables;
  for (const Access &A : Info.accesses())
    Found.Sites.push_back(countAccess(A, Context));
  for (auto [Inst, Why] : Info.opaqueCalls()) {
    auto *Call = dyn_cast<CallBase>(Inst);
    if (Call && Call->getCalledFunction() && Functions.needsClone(*Call->getCalledFunction()))
      continue; // followed after all
    ++CallsOpaque;
    Found.HasOpaqueCalls = true;
    Site S;
    S.Source = sourceLocation(*Inst);
    S.Rule = GMPROF_RULE_SKIPPED;
    S.Reason = Why;
    Found.Sites.push_back(std::move(S));
  }

  Planned.emit(C, H);
  followCalls(C, Found);
  SmallVector<AllocaInst *, 8> Counters;
  for (auto &[_, Counter] : Context.Executions)
    Counters.push_back(Counter);
  FAM.invalidate(F, PreservedAnalyses::none());
  PromoteMemToReg(Counters, FAM.getResult<DominatorTreeAnalysis>(F));
  H.inlineInto(F);
  simplifyAfterInstrumentation(F, FAM);
  Sites.try_emplace(C.Original, std::move(Found));
}

/// Whether accesses are made in functions that F calls.
bool Instrumenter::followsCalls(const Function &F) const {
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->getCalledFunction() && Functions.needsClone(*Call->getCalledFunction());
  });
}

void Instrumenter::followCalls(Clone &C, FunctionSites &Into) {
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(*C.F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction(); Callee && Functions.needsClone(*Callee))
        Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    Function &Callee = *Call->getCalledFunction();
    if (!Callee.isDeclaration())
      Into.Callees.insert(&Callee);
    redirectCall(*Call, *cloneOf(Callee, *C.M), C);
  }
}

/// The clone of a device function, made when it is first called.
Function *Instrumenter::cloneOf(Function &F, const Mode &Mode) {
  if (F.isDeclaration())
    return fallbackClone(F, Mode);
  Function *&Known = Clones[{&F, &Mode}];
  if (Known)
    return Known;
  ++FunctionsCloned;
  Clone C = cloneDeviceFunction(F, Mode);
  Known = C.F; // before its calls are followed: it may be recursive
  simplifyForAnalysis(*C.F, FAM);
  countAccesses(C);
  if (Mode.inSharedMemory())
    emitExits(C, /*Together=*/false, H);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  return C.F;
}

/// Other translation units may call these functions' clones.
void Instrumenter::cloneForOtherModules() {
  for (Function *F : Functions.visibleToOthers())
    for (const Mode *Mode : {&Shared, &Device}) {
      if (Mode == &Shared && !O.countsInSharedMemory())
        continue;
      if (Functions.needsClone(*F))
        cloneOf(*F, *Mode);
      else
        forwardingClone(*F, *Mode);
    }
}

static void warnIfNothingIsSelected(ArrayRef<Function *> Kernels, const Options &O) {
  if (O.Kernels.empty() || Kernels.empty() || any_of(Kernels, [&](Function *Kernel) {
        return O.isKernelSelected(Kernel->getName(), demangle(Kernel->getName()));
      }))
    return;
  std::string Names;
  for (Function *Kernel : Kernels)
    Names += (Names.empty() ? "" : ", ") + demangle(Kernel->getName());
  WithColor::warning() << "GMProf: -gm-kernels=" << O.Kernels
                       << " matches none of the kernels here: " << Names << '\n';
}

static void instrumentDeviceModule(Module &M, FunctionAnalysisManager &FAM, const Options &O) {
  SmallVector<Function *, 8> Kernels;
  bool HasCode = false;
  for (Function &F : M) {
    HasCode |= !F.isDeclaration();
    if (!F.isDeclaration() && isKernel(F))
      Kernels.push_back(&F);
  }
  warnIfNothingIsSelected(Kernels, O);
  if (HasCode)
    Instrumenter(M, FAM, O).run(Kernels);
}

PreservedAnalyses InstrumentPass::run(Module &M, ModuleAnalysisManager &MAM) {
  if (M.getModuleFlag(DoneFlag))
    return PreservedAnalyses::all();
  Options O;
  if (Given) {
    O = *Given;
  } else {
    Expected<Options> FromCommandLine = optionsFromCommandLine();
    if (!FromCommandLine) {
      M.getContext().emitError(toString(FromCommandLine.takeError()));
      return PreservedAnalyses::all();
    }
    O = *FromCommandLine;
  }

  bool IsDevice = M.getTargetTriple().isNVPTX();
  if (!IsDevice && O.BitcodeFile.empty())
    return PreservedAnalyses::all();
  M.addModuleFlag(Module::Max, DoneFlag, GMPROF_ABI_VERSION);
  Error Failure = Error::success();
  if (IsDevice) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    instrumentDeviceModule(M, FAM, O);
    if (O.Verify && verifyModule(M, &errs()))
      reportFatalInternalError("GMProf: the instrumented module is not valid");
    if (!O.BitcodeFile.empty())
      Failure = joinErrors(std::move(Failure), writeDeviceBitcode(M, O.BitcodeFile));
  } else {
    Failure = joinErrors(std::move(Failure), embedDeviceBitcode(M, O.BitcodeFile));
  }
  if (Failure)
    M.getContext().emitError(toString(std::move(Failure)));
  return PreservedAnalyses::none();
}
