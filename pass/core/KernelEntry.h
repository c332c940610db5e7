//===- KernelEntry.h - What a clone does before its body --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   entry:   is this block counted?  ──no──▶ the original body
//     │yes
//   begin:   shared memory: the first thread of the grid writes struct
//     │      GmprofSharedLayout; the counters are zeroed; a barrier.
//     │      global memory: the block's first thread counts the block
//   the instrumented body
//
// The branch is the same for all threads of a block. Blocks are counted as the
// launch parameter says or, where all count alike, only the first one.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_KERNELENTRY_H
#define GMPROF_PASS_CORE_KERNELENTRY_H

#include "pass/core/Clone.h"

namespace gmprof {

/// Completes an instrumented clone of a kernel. Layout lists the variables of
/// the descriptor, null for those that are not in shared memory; SharedVariables
/// are those that emitCounters was given.
void emitKernelEntry(const Clone &C, llvm::ArrayRef<llvm::GlobalVariable *> Layout,
                     llvm::ArrayRef<llvm::GlobalVariable *> SharedVariables, Hooks &H);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_KERNELENTRY_H
