//===- ObjectHits.h - Clones that note which objects they access -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of what static analysis finds (Touches.h), K__gm_objects has to note what the launch does
// not determine. That a thread has come to a place that is flagged it keeps in a register,
// and where it leaves the kernel it sets the hits of all such places together
// (runtime/device/Objects.cu). So a loop costs an instruction, or nothing; a loop with
// several such places is left for a copy of it as it was once one of the lanes that are
// together has come to all of them (LoopCopies.h). A pointer that gets its value once is
// kept, and its object searched where the thread leaves, when nothing waits for that; other
// objects are searched at once. Kernels in which threads may end in another way do all at
// once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_OBJECTS_OBJECTHITS_H
#define GMPROF_PASS_OBJECTS_OBJECTHITS_H

#include "pass/core/Clone.h"
#include "pass/core/Sites.h"
#include "static-analysis/Touches.h"

namespace gmprof {

/// What the descriptor says of a function's touches, with numbers of flags. Flagged ones
/// that there are no numbers for become possible.
std::vector<TouchSite> describeTouches(std::vector<Touch> &Touches);

/// Adds to a clone calls of hooks that note the flagged and the searched ones. Described: as
/// above; of device functions, which have none that are flagged, empty.
void emitHits(Clone &C, llvm::ArrayRef<Touch> Touches, llvm::ArrayRef<TouchSite> Described,
              Hooks &H, llvm::FunctionAnalysisManager &FAM);

} // namespace gmprof

#endif // GMPROF_PASS_OBJECTS_OBJECTHITS_H
