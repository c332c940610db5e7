//===- StaticCounts.h - Accesses that need no counting at all --*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Address and count known at compile time. The access
//   - is of a known number of bytes at a constant offset of one shared variable
//     of known size, within its bounds;
//   - is executed by all threads alike (UniformExecution);
//   - executes whenever the kernel does: outside loops its block post-dominates
//     the entry; in a loop it executes once in every iteration, the loop has a
//     constant trip count, and the same holds for the loop itself.
// The count is the product of the executions in each loop: the number of times
// that the back edge is taken, and one more if the access comes before the exit.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_STATICCOUNTS_H
#define GMPROF_STATIC_ANALYSIS_STATICCOUNTS_H

#include "Accesses.h"

namespace llvm {
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace gmprof {

class ControlFlow;
class LoopInvariance;

class StaticCounts {
public:
  StaticCounts(const llvm::LoopInfo &LI, const llvm::DominatorTree &DT, const ControlFlow &Flow,
               const LoopInvariance &Loops, llvm::ScalarEvolution &SE)
      : LI(LI), DT(DT), Flow(Flow), Loops(Loops), SE(SE) {}

  /// Fills in A.Static or A.StaticReason. Needs A.UniformExecution.
  void analyse(Access &A, llvm::ArrayRef<Variable> Variables) const;

  /// How often BB, which executes once in every iteration, executes each time
  /// that L is entered, if that is constant.
  std::optional<uint64_t> executionsIn(const llvm::BasicBlock &BB, const llvm::Loop &L) const;

private:
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  const ControlFlow &Flow;
  const LoopInvariance &Loops;
  llvm::ScalarEvolution &SE;

  const char *findOffset(const Access &A, llvm::ArrayRef<Variable> Variables,
                         uint64_t &Offset) const;
  const char *findCount(const llvm::BasicBlock &BB, uint64_t &Count) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_STATICCOUNTS_H
