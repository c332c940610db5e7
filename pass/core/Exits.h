//===- Exits.h - Where threads leave a kernel -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread leaves a kernel at a return of the kernel, or at an exit instruction in any function. A
// profile completes the thread's records at these exits. Threads that end in a trap end the launch:
// nothing is emitted for them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_EXITS_H
#define GMPROF_PASS_CORE_EXITS_H

#include "pass/core/Clone.h"
#include <string>

namespace gmprof {

/// Gives each path to a block that only returns its own return.
void separateReturns(llvm::Function &F);

/// Returns why F has exits that cannot be instrumented, or an empty string.
std::string obstacleToExits(const llvm::Function &F);

/// Returns whether a thread can end in F other than by returning.
bool hasExitInstructions(const llvm::Function &F);

/// Returns whether all threads of a block reach the kernel's only return, and no thread waits for
/// others on the way unless all do: a barrier at the return is safe, and all threads can flush
/// there. Call it before instrumentation.
bool allThreadsLeaveTogether(llvm::Function &Kernel, llvm::FunctionAnalysisManager &FAM);

/// Calls Leave at each exit of a clone, and inlines the hooks. Together: allThreadsLeaveTogether.
void emitExits(const Clone &C, bool Together, Hooks &H,
               llvm::function_ref<void(llvm::IRBuilderBase &)> Leave);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_EXITS_H
