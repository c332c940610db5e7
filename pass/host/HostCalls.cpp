//===- HostCalls.cpp - Frames of the host's CUDA calls --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/host/HostCalls.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gmprof;

/// Returns true for a function of libcudart or the driver, and for the stub of a kernel.
static bool isOfCuda(const Function &F) {
  const StringRef Name = F.getName();
  const bool IsOfDriver = Name.starts_with("cu") && Name.size() > 2 && isUpper(Name[2]);
  return F.isDeclaration() ? Name.starts_with("cuda") || IsOfDriver
                           : Name.contains("__device_stub__");
}

PreservedAnalyses HostCallsPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  for (Function &F : M)
    if (isOfCuda(F))
      for (User *U : F.users())
        if (auto *Call = dyn_cast<CallInst>(U); Call && Call->getCalledOperand() == &F)
          Call->setTailCallKind(CallInst::TCK_NoTail);
  return PreservedAnalyses::none();
}
