//===- Touches.h - Objects that a launch accesses ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23, Section 5.1, Figure 5) needs the objects that each launch reads and writes.
// This takes much less than recording all accesses: the first access through a variable suffices,
// and it is mostly known beforehand whether there is one.
//
// All accesses of a kind (reads, writes) through one pointer go to the same object. They are
// *anticipated* at a block if each path from it to the kernel's end makes one: the usual backward
// data-flow problem, solved for the largest solution because loops terminate; paths that end in a
// trap are ignored. The access is certain once the first anticipating block on a path executes.
// These blocks are classified:
//
//   always       the block is the kernel's entry
//   determined   the launch determines whether it is executed (ClosedForms.h)
//   flagged      otherwise the clone sets a flag when it executes the block; in SpMV, in front of
//                the loop over a row, not in it
//   searched     the pointer comes from memory, or its parameter is unknown: the clone searches the
//                object that it points into, once each time the pointer gets a value
//   possible     nothing is known: a texture whose handle comes from memory
//
// The search uses the address of an access in the block if there is one, else the pointer that the
// accesses' addresses are offsets from.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_TOUCHES_H
#define GMPROF_STATIC_ANALYSIS_TOUCHES_H

#include "ClosedForms.h"

namespace gmprof {

struct Touch {
  int Variable = -1;  ///< index into AccessInfo::variables(); -1: searched, or unknown textures
  unsigned Kinds = 0; ///< GMPROF_TOUCH_READS, GMPROF_TOUCH_WRITES, GMPROF_TOUCH_TEXTURE
  GmprofTouchRule Rule = GMPROF_TOUCH_ALWAYS;
  std::optional<SymbolicForm> Executions; ///< for determined touches
  /// Flagged and searched: the place. If Condition is not null, it has to be nonzero (Inverted:
  /// zero).
  llvm::Instruction *Before = nullptr;
  llvm::Value *Condition = nullptr;
  bool Inverted = false;
  llvm::Value *Address = nullptr; ///< searched: like Access::Pointer, of any space
};

/// Returns the possible accesses of F to objects in global and constant memory. In a device
/// function, all global memory is searched.
std::vector<Touch> findTouches(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Returns true if threads may end in F other than by returning; they have to report their accesses
/// at once.
bool mayLeaveWithin(llvm::Function &F);

/// Implements print<gm-touches>: one line per touch.
class TouchPrinterPass : public llvm::PassInfoMixin<TouchPrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit TouchPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_TOUCHES_H
