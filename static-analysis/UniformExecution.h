//===- UniformExecution.h - Uniformly executed code -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines whether every thread of the block executes an instruction equally often.
//
// A branch that threads leave towards different successors (ThreadInvariance) makes execution
// differ in all blocks between it and the point where all its paths have joined again, its
// immediate post-dominator. This covers conditional code, loops that threads leave in different
// iterations (the whole loop lies between its exit branch and that branch's post-dominator) and
// early returns (there is no such point before the function's end).
//
// A call that may end the calling thread makes execution differ in everything that can follow it.
//
// Paths that end in a trap or a failed assertion are removed from the graph: they end the kernel
// for all threads, and its counts are lost.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_UNIFORMEXECUTION_H
#define GMPROF_STATIC_ANALYSIS_UNIFORMEXECUTION_H

#include "Accesses.h"
#include "ThreadInvariance.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"

namespace gmprof {

/// Control flow without the paths that end the kernel.
class ControlFlow {
public:
  explicit ControlFlow(llvm::Function &F);

  /// Returns null if BB's paths do not join again.
  const llvm::BasicBlock *immediatePostDominator(const llvm::BasicBlock &BB) const;
  bool postDominates(const llvm::BasicBlock &Later, const llvm::BasicBlock &Earlier) const;
  /// Returns true if all paths from BB end in a trap, a failed assertion, or undefined behaviour.
  bool endsKernel(const llvm::BasicBlock &BB) const { return DeadEnds.contains(&BB); }
  /// Returns true if a call before I may have ended the thread.
  bool mayHaveLeftBefore(const llvm::Instruction &I) const;
  /// Returns true if BB contains a call that may end the thread.
  bool mayLeaveIn(const llvm::BasicBlock &BB) const { return FirstLeave.contains(&BB); }

private:
  llvm::PostDominatorTree PDT;
  llvm::SmallPtrSet<llvm::BasicBlock *, 8> DeadEnds;
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::Instruction *> FirstLeave;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> AfterLeave;

  void findDeadEnds(llvm::Function &F);
  void followLeaves();
};

class UniformExecution {
public:
  UniformExecution(llvm::Function &F, const ControlFlow &Flow, const ThreadInvariance &Invariance);

  Fact isUniform(const llvm::Instruction &I) const;

private:
  const ControlFlow &Flow;
  bool InKernel;
  llvm::DenseMap<const llvm::BasicBlock *, const char *> Divergent; ///< with the reason
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_UNIFORMEXECUTION_H
