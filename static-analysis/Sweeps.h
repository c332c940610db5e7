//===- Sweeps.h - Accesses that a loop moves on evenly ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sweep. An access executes once in every iteration of its innermost loop and
// goes on by a constant number of bytes each time. Start and trip count are known
// when a thread enters the loop, whatever they depend on, and whichever threads
// execute it. A dense sweep is two updates of a difference array. This goes beyond
// GMProf (CCGrid'12, IV.A), which stops at addresses that stay the same.
//
// Partial sweep. Likewise, but in some of the iterations the access may not execute, and it
// may be at one address in all of them. The threads that enter the loop leave it together, so
// that what they access in an iteration they access together.
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

/// One run of L accesses Access::Bytes bytes at Start + I * Stride for each I from
/// 0 to the trip count - 1, with the address modulo 2^64. Start and BackedgesTaken
/// can be expanded in the preheader of L. BackedgesTaken is unsigned; extend it
/// before 1 is added.
struct Sweep {
  const llvm::Loop *L = nullptr;
  const llvm::SCEV *Start = nullptr;
  int64_t Stride = 0; ///< bytes, not 0
  const llvm::SCEV *BackedgesTaken = nullptr;
  /// The trip count is BackedgesTaken + 1, else BackedgesTaken.
  bool ExecutesInLastIteration = false;

  const llvm::SCEV *tripCount(llvm::ScalarEvolution &SE) const; ///< 64 bits
};

/// In its I-th iteration, from 0 on, L accesses Access::Bytes bytes at Start + I * Stride, or
/// nothing. Start can be expanded in the preheader of L.
struct PartialSweep {
  const llvm::Loop *L = nullptr;
  const llvm::SCEV *Start = nullptr;
  int64_t Stride = 0; ///< bytes
};

class Sweeps {
public:
  Sweeps(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::CycleInfo &CI,
         const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

  /// The sweep that A is, or nullopt, and Why says what stands against it.
  std::optional<Sweep> sweep(const Access &A, const char *&Why) const;

  /// The partial sweep that A is, if it is one.
  std::optional<PartialSweep> partialSweep(const Access &A,
                                           const ThreadInvariance &Invariance) const;

private:
  /// The loop that has a plain access at most once in each iteration, or null, and why.
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
