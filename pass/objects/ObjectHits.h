//===- ObjectHits.h - Clones that record accessed objects -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K__gm_objects records the touches (Touches.h) that the launch does not determine. A thread sets a
// bit of a register at each flagged place, and sets the hits of all these places together at its
// exit (runtime/device/Objects.cu), so that a loop costs at most one instruction. A loop with
// several such places continues in an uninstrumented copy (LoopCopies.h) once one of the active
// lanes has reached all of them. A thread keeps a pointer that gets its value once, and searches
// its object at the exit, where nothing waits for the search; it searches other objects at once.
// Kernels in which threads may end elsewhere do everything at once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_OBJECTS_OBJECTHITS_H
#define GMPROF_PASS_OBJECTS_OBJECTHITS_H

#include "pass/core/Clone.h"
#include "pass/core/Sites.h"
#include "static-analysis/Touches.h"

namespace gmprof {

/// An object that may be accessed (static-analysis/Touches.h).
struct TouchSite {
  int Variable = -1; ///< of the kernel's FunctionSites
  unsigned Kinds = 0;
  GmprofTouchRule Rule = GMPROF_TOUCH_ALWAYS;
  unsigned Flag = 0;
  std::vector<int64_t> Form; ///< GmprofTouchDesc's words
};

/// Describes the touches of a function, and numbers the flagged ones. Touches beyond the last
/// number become possible ones.
std::vector<TouchSite> describeTouches(std::vector<Touch> &Touches);

/// Adds to a clone the calls of hooks that record the flagged and the searched touches. Described:
/// the result of describeTouches; empty for device functions, which have no flagged touches.
void emitHits(Clone &C, llvm::ArrayRef<Touch> Touches, llvm::ArrayRef<TouchSite> Described,
              Hooks &H, llvm::FunctionAnalysisManager &FAM);

} // namespace gmprof

#endif // GMPROF_PASS_OBJECTS_OBJECTHITS_H
