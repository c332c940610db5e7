//===- BarrierIntervals.h - Code separated by block barriers ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block-wide barrier divides the execution of each thread into intervals, the same ones for all
// threads. If every path between two instructions has a barrier, they never execute in the same
// interval: one thread's execution of one instruction cannot overlap another thread's execution of
// the other.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_BARRIERINTERVALS_H
#define GMPROF_STATIC_ANALYSIS_BARRIERINTERVALS_H

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
} // namespace llvm

namespace gmprof {

class BarrierIntervals {
public:
  explicit BarrierIntervals(const llvm::Function &F);

  /// Returns true if a path without a barrier leads from one instruction to the other.
  bool mayShareInterval(const llvm::Instruction &A, const llvm::Instruction &B) const {
    return isReachable(A, B) || isReachable(B, A);
  }

  /// Returns true if I is always a barrier of all threads of the block.
  static bool isBlockBarrier(const llvm::Instruction &I);

private:
  /// The first and the last barrier of each basic block that has any.
  llvm::DenseMap<const llvm::BasicBlock *,
                 std::pair<const llvm::Instruction *, const llvm::Instruction *>>
      Barriers;

  bool isReachable(const llvm::Instruction &From, const llvm::Instruction &To) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_BARRIERINTERVALS_H
