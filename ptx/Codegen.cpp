//===- Codegen.cpp - From PTX through LLVM IR to PTX ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "Lift.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace llvm;

namespace gmprof::ptx {

/// Returns the pointer of a plain load or store of memory that lanes share; null for others.
static Value *sharedPointer(llvm::Instruction &I) {
  Value *Pointer = I.isVolatile() || I.isAtomic() ? nullptr : getLoadStorePointerOperand(&I);
  if (!Pointer || !I.hasMetadata(LineKind) || isa<AllocaInst>(getUnderlyingObject(Pointer)))
    return nullptr;
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  return Space == NVPTXAS::ADDRESS_SPACE_GENERIC || Space == NVPTXAS::ADDRESS_SPACE_GLOBAL ||
                 Space == NVPTXAS::ADDRESS_SPACE_SHARED
             ? Pointer
             : nullptr;
}

static void setVolatile(llvm::Instruction &I, bool Is) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Load->setVolatile(Is);
  else
    cast<StoreInst>(I).setVolatile(Is);
}

namespace {

/// Makes accesses of memory that lanes share volatile as long as it exists. Otherwise early-cse
/// would make one load of two, and instcombine would move them; ptxas keeps them.
class KeptAccesses {
public:
  explicit KeptAccesses(llvm::Module &M) {
    for (llvm::Function &F : M)
      for (llvm::Instruction &I : instructions(F))
        if (sharedPointer(I)) {
          setVolatile(I, true);
          Kept.emplace_back(&I);
        }
  }
  ~KeptAccesses() {
    for (const WeakTrackingVH &Each : Kept)
      if (auto *I = dyn_cast_or_null<llvm::Instruction>(Each); I && getLoadStorePointerOperand(I))
        setVolatile(*I, false);
  }
  KeptAccesses(const KeptAccesses &) = delete;
  KeptAccesses &operator=(const KeptAccesses &) = delete;

private:
  SmallVector<WeakTrackingVH, 0> Kept;
};

} // namespace

void simplify(llvm::Module &M) {
  const KeptAccesses Kept(M);
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager CallGraphs;
  ModuleAnalysisManager Modules;
  PassBuilder Builder;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(CallGraphs);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, CallGraphs, Modules);
  ModulePassManager Passes;
  cantFail(Builder.parsePassPipeline(Passes,
                                     "function(sroa,early-cse,instcombine<no-verify-fixpoint>)"));
  Passes.run(M, Modules);
}

static void initialise() {
  static const bool Done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)Done;
}

CodegenTarget targetOf(const Module &Source) {
  CodegenTarget Target;
  Target.Architecture = Source.Target.str();
  Target.Version = Source.Version;
  return Target;
}

static const Triple &nvptx() {
  static const Triple T("nvptx64-nvidia-cuda");
  return T;
}

/// Returns LLVM's code generator for nvptx64.
static const llvm::Target &codeGenerator() {
  initialise();
  std::string Message;
  const llvm::Target *T = TargetRegistry::lookupTarget(nvptx(), Message);
  assert(T && "LLVM has the target that was initialised");
  return *T;
}

bool isKnownArchitecture(StringRef Architecture) {
  std::unique_ptr<MCSubtargetInfo> Known(codeGenerator().createMCSubtargetInfo(nvptx(), "", ""));
  return Known->isCPUStringValid(Architecture);
}

/// Sets an option of LLVM's code generator that has no other interface.
static void disable(StringRef Option, bool Disabled) {
  static_cast<cl::opt<bool> *>(cl::getRegisteredOptions().lookup(Option))->setValue(Disabled);
}

Expected<std::string> generate(llvm::Module &M, const CodegenTarget &Target) {
  if (!isKnownArchitecture(Target.Architecture))
    return createStringError("LLVM does not know the target '" + Target.Architecture + "'");
  TargetOptions Options;
  Options.AllowFPOpFusion = Target.Fusion;
  std::unique_ptr<TargetMachine> Machine(codeGenerator().createTargetMachine(
      nvptx(), Target.Architecture, targetFeatures(Target.Version), Options, std::nullopt,
      std::nullopt, Target.Level));
  for (StringRef Option : {"disable-lsr", "disable-machine-sink"})
    disable(Option, !Target.MovesCode);
  SmallString<0> Buffer;
  raw_svector_ostream Stream(Buffer);
  legacy::PassManager Passes;
  if (Machine->addPassesToEmitFile(Passes, Stream, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError("LLVM cannot write PTX");
  Passes.run(M);
  std::string Text = Buffer.str().str();
  if (Target.Version > MaxLlvmPtxVersion) {
    size_t Begin = Text.find(".version ") + StringRef(".version ").size();
    Text.replace(Begin, Text.find('\n', Begin) - Begin,
                 (Twine(Target.Version / 10) + "." + Twine(Target.Version % 10)).str());
  }
  return Text;
}

} // namespace gmprof::ptx
