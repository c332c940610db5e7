//===- Reconvergence.h - Where lanes that have parted come together --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that take different ways at a branch meet again at its immediate post-dominator, and
// hardware usually executes them together from there on. It does not have to: with calls in
// between, ptxas may let them go on apart. These are the places where a clone can wait for all
// lanes that were together before the branch.
//
// Waiting must not be what a program's other lanes wait for. So there are no such places where
// anything in between could wait for another lane: a convergent operation, or a volatile or atomic
// access or a call if there is a loop in between that may go on until something is read.
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
  llvm::BasicBlock *From; ///< the lanes that are at its end
  llvm::BasicBlock *At;   ///< all come here, once
};

/// Of those branches between which and the place at least one block Matters.
llvm::SmallVector<Reconvergence, 4>
findReconvergences(llvm::Function &F, const AccessInfo &Info, llvm::FunctionAnalysisManager &FAM,
                   llvm::function_ref<bool(const llvm::BasicBlock &)> Matters);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_RECONVERGENCE_H
