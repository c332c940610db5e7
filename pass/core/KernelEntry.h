//===- KernelEntry.h - Code of a clone before its body ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   entry:   is this block instrumented?  ──no──▶ the original body
//     │yes
//   begin:   what the profile does first (CloneBuilder::emitEntry)
//     │
//   the instrumented body
//
// The branch is the same for all threads of a block.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_KERNELENTRY_H
#define GMPROF_PASS_CORE_KERNELENTRY_H

#include "pass/core/Clone.h"

namespace gmprof {

struct KernelState;

/// Emits the entry of an instrumented clone of a kernel, and its original body. Hooks are inlined.
void emitKernelEntry(const Clone &C, const KernelState &K, Hooks &H);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_KERNELENTRY_H
