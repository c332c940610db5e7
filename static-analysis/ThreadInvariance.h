//===- ThreadInvariance.h - Thread-invariant values -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the values that are the same for every thread of the block that computes them in the same
// iterations of the surrounding loops.
//
// LLVM's uniformity analysis does the propagation: data dependence, control dependence of phis,
// values that leave a loop in different iterations, and irreducible control flow. LLVM's sources of
// divergence apply to a warp; those of a block are:
//
//   differ       tid, laneid, warpid, lane masks, clocks, smid; results of shuffles, votes, matches
//                and reductions of a warp; results of atomics, of calls and of assembly; arguments
//                of device functions
//   same         ctaid, ntid, nctaid, cluster and grid registers; kernel arguments; results of
//                __syncthreads_count/_and/_or; anything computed only from equal values
//   loads        same, if the address is the same and nothing can write to it meanwhile; otherwise
//                two warps may read before and after a write. This holds for constant memory,
//                kernel parameters, read-only data, and memory that is not written according to
//                alias analysis; and for the block's shared memory, if all threads execute the load
//                equally often and none can write in the same barrier interval. Kernels are assumed
//                to be free of data races: nothing else writes to what they read by plain loads.
//
// The condition that all threads execute such a shared memory load equally often depends on the
// result itself. Initially all such loads are assumed to qualify; loads that turn out not to
// qualify become sources, until nothing changes.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_THREADINVARIANCE_H
#define GMPROF_STATIC_ANALYSIS_THREADINVARIANCE_H

#include "Accesses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/CycleInfo.h"
#include <memory>

namespace llvm {
class AAResults;
class BasicBlock;
class Use;
} // namespace llvm

namespace gmprof {

class ControlFlow;

class ThreadInvariance {
public:
  ThreadInvariance(llvm::Function &F, const llvm::DominatorTree &DT, const llvm::CycleInfo &CI,
                   llvm::AAResults &AA, const AccessInfo &Info, const ControlFlow &Flow);
  ~ThreadInvariance();

  /// Holds if the used value is the same for all threads.
  Fact isInvariant(const llvm::Use &U) const;
  /// Returns true if threads may leave the block towards different successors.
  bool hasDivergentBranch(const llvm::BasicBlock &BB) const;

private:
  class Sources;
  struct Propagation;
  llvm::DenseMap<const llvm::Value *, const char *> Reasons; ///< reasons of the sources
  std::unique_ptr<Propagation> Impl;

  void propagate(llvm::Function &F, const llvm::DominatorTree &DT, const llvm::CycleInfo &CI);
  const char *whyDivergent(const llvm::Use &U) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_THREADINVARIANCE_H
