//===- Exits.h - Where threads leave a kernel -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread leaves at a return of the kernel, or at an exit instruction anywhere.
// There it tells its block, so that the last one to leave flushes the counters
// (runtime/device/Block.cu); in K__gm_cache, it gives back what it writes to
// (runtime/device/Trace.cu). Threads that end in a trap end the kernel and need not
// be told of.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_EXITS_H
#define GMPROF_PASS_CORE_EXITS_H

#include "pass/core/Clone.h"
#include <string>

namespace gmprof {

/// Gives each path to a block that only returns a return of its own.
void separateReturns(llvm::Function &F);

/// Why F has exits that cannot be instrumented, or empty.
std::string obstacleToExits(const llvm::Function &F);

/// Whether a thread can end in F otherwise than by returning.
bool hasExitInstructions(const llvm::Function &F);

/// Whether all threads of a block come to the kernel's only return, and none
/// waits for others on the way unless all do: then a barrier there is safe, and
/// all threads can flush. To be asked before instrumentation.
bool allThreadsLeaveTogether(llvm::Function &Kernel, llvm::FunctionAnalysisManager &FAM);

/// Instruments the exits of a clone, whose hooks are inlined here.
void emitExits(const Clone &C, bool Together, Hooks &H);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_EXITS_H
