//===- Codegen.cpp - From PTX through LLVM IR to PTX ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "Lift.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace llvm;

namespace gmprof::ptx {

void simplify(llvm::Module &M) {
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
  cantFail(Builder.parsePassPipeline(
      Passes, "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)"));
  Passes.run(M, Modules);
}

static void initialise() {
  static const bool Done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // LLVM has no other interface to this option.
    const char *Options[] = {"gmprof-instrument", "-disable-lsr"};
    cl::ParseCommandLineOptions(2, Options);
    return true;
  }();
  (void)Done;
}

Expected<std::string> generate(llvm::Module &M, const Module &Source) {
  initialise();
  std::string Message;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Message);
  if (!T)
    return createStringError(Message);
  std::unique_ptr<MCSubtargetInfo> Known(T->createMCSubtargetInfo(M.getTargetTriple(), "", ""));
  if (!Known->isCPUStringValid(Source.Target))
    return createStringError("LLVM does not know the target '" + Source.Target + "'");
  std::unique_ptr<TargetMachine> Machine(T->createTargetMachine(
      M.getTargetTriple(), Source.Target, targetFeatures(Source), TargetOptions(), std::nullopt,
      std::nullopt, CodeGenOptLevel::Aggressive));
  SmallString<0> Buffer;
  raw_svector_ostream Stream(Buffer);
  legacy::PassManager Passes;
  if (Machine->addPassesToEmitFile(Passes, Stream, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError("LLVM cannot write PTX");
  Passes.run(M);
  std::string Text = Buffer.str().str();
  if (Source.Version > MaxLlvmPtxVersion) {
    size_t Begin = Text.find(".version ") + StringRef(".version ").size();
    Text.replace(Begin, Text.find('\n', Begin) - Begin, Source.VersionText);
  }
  return Text;
}

} // namespace gmprof::ptx
