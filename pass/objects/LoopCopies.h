//===- LoopCopies.h - Loops that instrumentation can leave ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that is instrumented until there is nothing more to say, and from then on the
// program's own: beside the loop there is a copy of it, which is left to the same exits, and
// threads may go there wherever they would begin another turn. What a few more
// instructions in a small loop cost is not their execution: ptxas unrolls loops up to a
// size, and so has more loads under way.
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

/// Where threads go on in the copy if the condition holds, which is false so far: at the end
/// of each turn; and where a loop in another one is entered, else null.
struct LoopCopy {
  llvm::BranchInst *AgainTo, *EnteredTo;
};

/// Copies each of the loops, none of which is in another.
llvm::SmallVector<LoopCopy, 2> copyLoops(llvm::ArrayRef<llvm::Loop *> Loops,
                                         const llvm::DominatorTree &DT, const llvm::LoopInfo &LI);

} // namespace gmprof

#endif // GMPROF_PASS_OBJECTS_LOOPCOPIES_H
