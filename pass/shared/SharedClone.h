//===- SharedClone.h - A clone that counts shared memory --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_SHAREDCLONE_H
#define GMPROF_PASS_SHARED_SHAREDCLONE_H

#include "pass/core/CloneBuilder.h"
#include "pass/rules/CountingClone.h"
#include "pass/shared/SharedOptions.h"

namespace gmprof {

struct SharedClone : CountingClone {
  SharedClone(Clone C, bool InSharedMemory)
      : CountingClone(std::move(C)), InSharedMemory(InSharedMemory) {}

  bool InSharedMemory;        ///< counters are in shared memory
  bool LeaveTogether = false; ///< see Exits.h
};

/// Emits the counters at the entry of a kernel, and sets the clone's fields. Variables are the
/// shared variables that the kernel can reach.
void emitSharedCounters(SharedClone &C, llvm::ArrayRef<llvm::GlobalVariable *> Variables,
                        const SharedOptions &S, Hooks &H);

/// Emits, before the body of a kernel, the stores of the layout by the grid's first thread, and the
/// reset of the counters.
void emitSharedEntry(llvm::IRBuilder<> &B, const SharedClone &C, const KernelState &K, Hooks &H);

/// Emits a hook at each exit of a thread: the last thread of the block flushes the counters
/// (runtime/device/Block.cu). The counters are in shared memory.
void emitSharedExits(const SharedClone &C, const SharedOptions &S, Hooks &H);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_SHAREDCLONE_H
