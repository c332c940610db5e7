//===- Instrument.cpp - The pass gm-instrument ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Instrument.h"

#include "pass/core/EmbedBitcode.h"
#include "pass/core/Instrumenter.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace gmprof;

static constexpr const char *DoneFlag = "gmprof";

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

/// Returns whether a function is called through a pointer. It is one of the program's module, whose
/// resources were planned for the kernels of that module: there the clones must be.
static bool callsThroughPointers(const Module &M) {
  return any_of(M, [](const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && Call->isIndirectCall();
    });
  });
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
  if (HasCode && O.Clones == CloneOrigin::Compiled)
    Instrumenter(M, FAM, O, Kernels).run();
}

PreservedAnalyses InstrumentPass::run(Module &M, ModuleAnalysisManager &MAM) {
  if (M.getModuleFlag(DoneFlag))
    return PreservedAnalyses::all();
  Expected<Options> FromCommandLine = optionsFromCommandLine();
  if (!FromCommandLine) {
    M.getContext().emitError(toString(FromCommandLine.takeError()));
    return PreservedAnalyses::all();
  }
  Options &O = *FromCommandLine;

  bool IsDevice = M.getTargetTriple().isNVPTX();
  if (!IsDevice && O.BitcodeFile.empty())
    return PreservedAnalyses::all();
  if (!IsDevice || callsThroughPointers(M))
    O.Clones = CloneOrigin::Compiled;
  if (O.Clones == CloneOrigin::Compiled)
    M.addModuleFlag(Module::Max, DoneFlag, GMPROF_ABI_VERSION);
  else
    recordOptions(M);
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
