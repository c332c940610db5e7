//===- Touches.h - Whether a launch accesses an object ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23, Section 5.1, Figure 5) asks of each launch which objects it reads
// and writes. That takes much less than all accesses: of those of one variable the first
// one tells, and whether there is one is mostly known before.
//
// All accesses of a kind (reads, writes) through one pointer go to the same object. From
// a block on they are *anticipated* if each path from it to the kernel's end makes one:
// the usual backward data-flow problem, of which the largest solution is taken, because
// loops end; paths that end the kernel by a trap do not count. The access is certain where
// the first anticipating block on a path is executed. So of these blocks is asked:
//
//   always       it is the kernel's entry
//   determined   the launch determines whether it is executed (ClosedForms.h)
//   flagged      else the clone says that it came there. In SpMV that is in front of the
//                loop over a row, not in it.
//   searched     the pointer comes from memory, or it is not known which parameter it is:
//                there the clone looks which object it points into, once for each time
//                that the pointer gets a value
//   possible     nothing is known: a texture whose handle comes from memory
//
// What an address points into is taken from an access if that is in the block, else from
// the pointer that the accesses' addresses are offsets from.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_TOUCHES_H
#define GMPROF_STATIC_ANALYSIS_TOUCHES_H

#include "ClosedForms.h"

namespace gmprof {

struct Touch {
  int Variable = -1;  ///< of AccessInfo; -1: searched, or unknown textures
  unsigned Kinds = 0; ///< GMPROF_TOUCH_READS, GMPROF_TOUCH_WRITES, GMPROF_TOUCH_TEXTURE
  GmprofTouchRule Rule = GMPROF_TOUCH_ALWAYS;
  std::optional<ClosedForm> Executions; ///< determined
  /// Flagged and searched: where. Not null, Condition has to be other than 0 (Inverted:
  /// equal to 0).
  llvm::Instruction *Before = nullptr;
  llvm::Value *Condition = nullptr;
  bool Inverted = false;
  llvm::Value *Address = nullptr; ///< searched: as Access::Pointer, of any space
};

/// What F can access of objects in global and constant memory. Of a device function
/// all that is in global memory is searched.
std::vector<Touch> findTouches(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Whether threads may end in F other than by a return: they have to say what they
/// accessed at once.
bool mayLeaveWithin(llvm::Function &F);

/// print<gm-touches>: one line per touch.
class TouchPrinterPass : public llvm::PassInfoMixin<TouchPrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit TouchPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_TOUCHES_H
