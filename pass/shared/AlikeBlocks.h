//===- AlikeBlocks.h - Do all blocks have equal counts? ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In many kernels each block accesses its shared memory in the same way, independently of its index
// and its data: transposition, tiled matrix multiplication, reduction. One block's counts, times
// the number of blocks, are then exact.
//
// A value is equal in all blocks if it is computed, by operations that have no memory, from thread
// indices, sizes of block and grid, kernel parameters and constant memory. Anything else may
// differ: block indices, loads, results of atomics and calls. A branch on a value that may differ
// makes everything differ that is computed or executed between the branch and the point where its
// paths meet again.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_ALIKEBLOCKS_H
#define GMPROF_PASS_SHARED_ALIKEBLOCKS_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Returns whether every block of a launch executes the same shared-memory accesses of
/// the kernel equally often. Accesses in functions that it calls are ignored.
bool blocksCountAlike(llvm::Function &Kernel, llvm::FunctionAnalysisManager &FAM);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_ALIKEBLOCKS_H
