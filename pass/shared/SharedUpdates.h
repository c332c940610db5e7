//===- SharedUpdates.h - Counting words of shared memory --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_SHAREDUPDATES_H
#define GMPROF_PASS_SHARED_SHAREDUPDATES_H

#include "pass/rules/Updates.h"

namespace gmprof {

/// Emits an addition to the counters of words of shared memory.
void emitSharedUpdate(const CountingClone &C, Hooks &H, const Update &U);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_SHAREDUPDATES_H
