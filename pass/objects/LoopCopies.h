//===- LoopCopies.h - Loops that instrumentation can leave ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives a loop that is instrumented until all its touches are recorded an uninstrumented copy: the
// copy has the same exits, and threads may continue there wherever they would begin another
// iteration. Instrumentation of a small loop costs more than the instructions it adds: ptxas
// unrolls only loops up to a certain size, and an unrolled loop has more loads in flight.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_OBJECTS_LOOPCOPIES_H
#define GMPROF_PASS_OBJECTS_LOOPCOPIES_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BranchInst;
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace gmprof {

/// Returns whether there can be a copy: an innermost loop that is not large and in which no thread
/// waits for another.
bool canCopyLoop(const llvm::Loop &L);

/// The branches by which threads continue in the copy; their conditions are initially false.
/// AgainTo: at the end of each iteration. EnteredTo: at the entry of a loop in another loop, else
/// null.
struct LoopCopy {
  llvm::BranchInst *AgainTo, *EnteredTo;
};

/// Copies each of the loops, none of which is in another.
llvm::SmallVector<LoopCopy, 2> copyLoops(llvm::ArrayRef<llvm::Loop *> Loops,
                                         const llvm::DominatorTree &DT, const llvm::LoopInfo &LI);

} // namespace gmprof

#endif // GMPROF_PASS_OBJECTS_LOOPCOPIES_H
