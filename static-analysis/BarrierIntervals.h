//===- BarrierIntervals.h - What can happen between two barriers --*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier of the whole block divides what each thread does into intervals, the
// same ones for all threads. Two instructions that no path connects without a
// barrier on it are never executed in the same interval: what one thread does by
// the one is over before, or begins after, what another does by the other.
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

  /// Whether there is a path from one to the other without a barrier on it.
  bool mayShareInterval(const llvm::Instruction &A, const llvm::Instruction &B) const {
    return isReachable(A, B) || isReachable(B, A);
  }

  /// Whether I is a barrier for all threads of the block, and always the same.
  static bool isBlockBarrier(const llvm::Instruction &I);

private:
  /// The first and the last barrier of the blocks that have any.
  llvm::DenseMap<const llvm::BasicBlock *,
                 std::pair<const llvm::Instruction *, const llvm::Instruction *>>
      Barriers;

  bool isReachable(const llvm::Instruction &From, const llvm::Instruction &To) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_BARRIERINTERVALS_H
