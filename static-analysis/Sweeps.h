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
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_SWEEPS_H
#define GMPROF_STATIC_ANALYSIS_SWEEPS_H

#include "Accesses.h"
#include "LoopInvariance.h"
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

class Sweeps {
public:
  Sweeps(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::CycleInfo &CI,
         const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

  /// The sweep that A is, or nullopt, and Why says what stands against it.
  std::optional<Sweep> sweep(const Access &A, const char *&Why) const;

private:
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  ControlFlow Flow;
  LoopInvariance Loops;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_SWEEPS_H
