//===- ThreadInvariance.h - Values that are equal in all threads of a block --*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values are the same for every thread of the block that computes them in
// the same iterations of the loops around them.
//
// The propagation is LLVM's uniformity analysis: data dependence, control
// dependence of phis, values that leave a loop at different iterations, and
// irreducible control flow. LLVM's sources of divergence, however, are those of
// a warp. Here they are those of a block:
//
//   differ       tid, laneid, warpid, lane masks, clocks, smid; results of
//                shuffles, votes, matches and reductions of a warp; results of
//                atomics, of calls and of assembly; arguments of device functions
//   same         ctaid, ntid, nctaid, cluster and grid registers; arguments of
//                kernels; results of __syncthreads_count/_and/_or for all threads;
//                anything computed from equal values alone
//   loads        same, if the address is the same and nothing can write to it
//                meanwhile; otherwise two warps may read before and after a write.
//                That is so of constant memory, kernel parameters, read-only
//                data, and memory that alias analysis shows not to be written; and
//                of the block's shared memory if all threads execute the load
//                alike and none can write in the same interval between barriers.
//                A kernel is taken to be free of data races: nothing else writes
//                to what it reads by plain loads.
//
// Whether loads of that last kind are executed alike depends in turn on what the
// analysis finds. All are taken to be at first; those that then turn out not to
// be become sources, until nothing changes.
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

  /// Whether the value used is the same for all threads.
  Fact isInvariant(const llvm::Use &U) const;
  /// Whether threads may leave the block towards different successors.
  bool hasDivergentBranch(const llvm::BasicBlock &BB) const;

private:
  class Sources;
  struct Propagation;
  llvm::DenseMap<const llvm::Value *, const char *> Reasons; ///< of the sources
  std::unique_ptr<Propagation> Impl;

  void propagate(llvm::Function &F, const llvm::DominatorTree &DT, const llvm::CycleInfo &CI);
  const char *whyDivergent(const llvm::Use &U) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_THREADINVARIANCE_H
