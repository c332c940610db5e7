//===- LoopInvariance.h - Accesses that need counting once per loop only --*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, IV.A): an access is loop-invariant if its address does not
// change across iterations of the loop and it is executed in every iteration.
// Access::InvariantLoops says what that means in LLVM's terms. A loop with a
// call that may end the thread is not analysed further: the count would be lost.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_LOOPINVARIANCE_H
#define GMPROF_STATIC_ANALYSIS_LOOPINVARIANCE_H

#include "Accesses.h"
#include "llvm/IR/CycleInfo.h"

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace gmprof {

class ControlFlow;

class LoopInvariance {
public:
  LoopInvariance(const llvm::LoopInfo &LI, const llvm::CycleInfo &CI, const llvm::DominatorTree &DT,
                 const ControlFlow &Flow, llvm::ScalarEvolution &SE)
      : LI(LI), CI(CI), DT(DT), Flow(Flow), SE(SE) {}

  /// Fills in A.InvariantLoops and A.LoopReason.
  void analyse(Access &A) const;

  /// Whether a block, or the header of a loop inside L, executes once in every
  /// iteration of L that is completed. Returns null, or why not.
  const char *whyNotOnceInEachIteration(const llvm::BasicBlock &BB, const llvm::Loop &L) const;

  /// Whether BB is in a cycle that is not a loop (has several entries).
  bool isInIrreducibleCycle(const llvm::BasicBlock &BB) const;

private:
  const llvm::LoopInfo &LI;
  const llvm::CycleInfo &CI;
  const llvm::DominatorTree &DT;
  const ControlFlow &Flow;
  llvm::ScalarEvolution &SE;

  bool isInvariant(llvm::Value *V, const llvm::Loop &L) const;
  const char *whyNotInvariant(const Access &A, const llvm::BasicBlock &Inner,
                              const llvm::Loop &L) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_LOOPINVARIANCE_H
