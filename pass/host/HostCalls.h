//===- HostCalls.h - Frames of the host's CUDA calls ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings name the line of an allocation, a copy or a launch. If such a call is the last one of a
// function, clang makes it a jump, which leaves no frame: the call path begins at the caller. The
// pass keeps calls of CUDA's functions and of kernels' stubs from becoming jumps. Other calls stay
// as they are, since programs may rely on them, as for deep recursion.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HOST_HOSTCALLS_H
#define GMPROF_PASS_HOST_HOSTCALLS_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Implements the pass gm-host-calls. Does not change device code.
class HostCallsPass : public llvm::PassInfoMixin<HostCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_PASS_HOST_HOSTCALLS_H
