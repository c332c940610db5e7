//===- StaticCounts.h - Counts known at compile time ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds accesses whose address and count are known at compile time. Each of these accesses
//   - has a known number of bytes at a constant offset within one shared variable of known size;
//   - is executed equally often by all threads (UniformExecution);
//   - executes whenever the kernel does: outside loops, its block post-dominates the entry; in a
//     loop, it executes once per iteration, the trip count is constant, and the same holds for the
//     loop itself.
// The count is the product of the executions in each loop: the backedge-taken count, plus one if
// the access precedes the exit.
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

  /// Sets A.Static or A.StaticReason. Needs A.UniformExecution.
  void analyse(Access &A, llvm::ArrayRef<Variable> Variables) const;

  /// Returns the executions of BB each time L is entered, if constant. BB must execute once in
  /// every iteration.
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
