//===- GlobalUpdates.h - Counting elements of global memory -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_GLOBAL_GLOBALUPDATES_H
#define GMPROF_PASS_GLOBAL_GLOBALUPDATES_H

#include "pass/rules/Updates.h"

namespace gmprof {

struct GlobalClone : CountingClone {
  GlobalClone(Clone C, unsigned Threshold) : CountingClone(std::move(C)), Threshold(Threshold) {}

  unsigned Threshold; ///< that counters are exact below
};

/// Emits an addition to the counters of elements of global memory. C is a GlobalClone.
void emitGlobalUpdate(const CountingClone &C, Hooks &H, const Update &U);

} // namespace gmprof

#endif // GMPROF_PASS_GLOBAL_GLOBALUPDATES_H
