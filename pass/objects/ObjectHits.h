//===- ObjectHits.h - Clones that note which objects they access -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K__gm_objects notes the touches (Touches.h) that the launch does not determine. A register keeps
// that a thread has come to a flagged place, and where the thread leaves the kernel it sets the
// hits of all such places together (runtime/device/Objects.cu). So a loop costs one instruction, or
// none. A loop with several such places continues in an uninstrumented copy (LoopCopies.h) once one
// of the lanes that are together has come to all of them. A pointer that gets its value once is
// kept, and its object is searched where the thread leaves, when nothing waits for the search;
// other objects are searched at once. Kernels in which threads may end otherwise do everything at
// once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_OBJECTS_OBJECTHITS_H
#define GMPROF_PASS_OBJECTS_OBJECTHITS_H

#include "pass/core/Clone.h"
#include "pass/core/Sites.h"
#include "static-analysis/Touches.h"

namespace gmprof {

/// That an object may be accessed (static-analysis/Touches.h).
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

/// Adds to a clone the calls of hooks that note the flagged and the searched touches. Described: as
/// describeTouches returns them; empty for device functions, which have no flagged ones.
void emitHits(Clone &C, llvm::ArrayRef<Touch> Touches, llvm::ArrayRef<TouchSite> Described,
              Hooks &H, llvm::FunctionAnalysisManager &FAM);

} // namespace gmprof

#endif // GMPROF_PASS_OBJECTS_OBJECTHITS_H
