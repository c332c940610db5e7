//===- LoopInvariance.h - Loop-invariant accesses ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section IV.A): an access is loop-invariant if its address does not change
// across iterations and it executes in every iteration. Access::InvariantLoops defines this in
// LLVM's terms. A loop with a call that may end the thread is rejected: the count would be lost.
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

  /// Sets A.InvariantLoops and A.LoopReason.
  void analyse(Access &A) const;

  /// Returns null if a block, or the loop with that header, executes once in every completed
  /// iteration of L; else the reason.
  const char *whyNotOnceInEachIteration(const llvm::BasicBlock &BB, const llvm::Loop &L) const;

  /// Returns true if BB is in a cycle with several entries.
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
