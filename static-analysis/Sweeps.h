//===- Sweeps.h - Accesses with constant stride -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sweep: an access that executes once in every iteration of its innermost loop, with a constant
// stride in bytes. Start and trip count are known when a thread enters the loop, whatever they
// depend on and whichever threads execute it. Counting a dense sweep takes two updates of a
// difference array. GMProf (CCGrid'12, Section IV.A) covers only addresses that do not change.
//
// Partial sweep: the same, but the access may be skipped in some iterations, and the stride may be
// 0. The threads that enter the loop leave it together, so that they make the accesses of an
// iteration together.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_SWEEPS_H
#define GMPROF_STATIC_ANALYSIS_SWEEPS_H

#include "Accesses.h"
#include "LoopInvariance.h"
#include "ThreadInvariance.h"
#include "UniformExecution.h"

namespace llvm {
class SCEV;
} // namespace llvm

namespace gmprof {

/// One run of L accesses Access::Bytes bytes at Start + I * Stride for each I from 0 to the trip
/// count - 1, modulo 2^64. Start and BackedgesTaken can be expanded in L's preheader.
/// BackedgesTaken is unsigned and must be extended before adding 1.
struct Sweep {
  const llvm::Loop *L = nullptr;
  const llvm::SCEV *Start = nullptr;
  int64_t Stride = 0; ///< bytes, not 0
  const llvm::SCEV *BackedgesTaken = nullptr;
  /// True if the trip count is BackedgesTaken + 1, else it is BackedgesTaken.
  bool ExecutesInLastIteration = false;

  const llvm::SCEV *tripCount(llvm::ScalarEvolution &SE) const; ///< 64 bits
};

/// Iteration I of L, counted from 0, accesses Access::Bytes bytes at Start + I * Stride, or
/// nothing. Start can be expanded in L's preheader.
struct PartialSweep {
  const llvm::Loop *L = nullptr;
  const llvm::SCEV *Start = nullptr;
  int64_t Stride = 0; ///< bytes
};

class Sweeps {
public:
  Sweeps(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::CycleInfo &CI,
         const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

  /// Returns the sweep of A; or nullopt, with the reason in Why.
  std::optional<Sweep> sweep(const Access &A, const char *&Why) const;

  /// Returns the partial sweep of A, if it is one.
  std::optional<PartialSweep> partialSweep(const Access &A,
                                           const ThreadInvariance &Invariance) const;

private:
  /// Returns the innermost loop of a plain access; or null, with the reason in Why.
  const llvm::Loop *loopOf(const Access &A, const char *&Why) const;
  bool isLeftTogether(const llvm::Loop &L, const ThreadInvariance &Invariance) const;

  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  ControlFlow Flow;
  LoopInvariance Loops;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_SWEEPS_H
