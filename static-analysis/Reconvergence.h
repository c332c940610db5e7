//===- Reconvergence.h - Reconvergence after divergence ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that diverge at a branch reconverge at its immediate post-dominator, and hardware usually
// executes them together from there. This is not guaranteed: with calls in between, ptxas may leave
// them diverged. This analysis finds the blocks where a clone can wait for all lanes that were
// together before the branch.
//
// The wait must not deadlock with lanes the program waits for. Therefore blocks are excluded if
// anything in between may wait for another lane: a convergent operation (except inline assembly
// that only computes and accesses memory) or, in a loop that may repeat until it reads some value,
// a volatile or atomic access or a call.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_RECONVERGENCE_H
#define GMPROF_STATIC_ANALYSIS_RECONVERGENCE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/PassManager.h"

namespace gmprof {

class AccessInfo;

struct Reconvergence {
  llvm::BasicBlock *From; ///< the lanes are together at its end
  llvm::BasicBlock *At;   ///< all lanes come here, once
};

/// Returns the reconvergences of branches with at least one block in between for which Matters is
/// true.
llvm::SmallVector<Reconvergence, 4>
findReconvergences(llvm::Function &F, const AccessInfo &Info, llvm::FunctionAnalysisManager &FAM,
                   llvm::function_ref<bool(const llvm::BasicBlock &)> Matters);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_RECONVERGENCE_H
