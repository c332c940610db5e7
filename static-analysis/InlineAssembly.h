//===- InlineAssembly.h - Memory accesses in inline PTX --------*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the PTX of an inline assembly call as far as that is reliable: straight-line statements
// with addresses `[operand]` or `[operand+imm]`, optionally under a predicate that the same
// assembly sets by comparing an operand with 0:
//   ld, ldu, st, atom, red, cp.async.{ca,cg}, ldmatrix, stmatrix, wmma.{load,store}, mbarrier
// Statements without a memory operand are not accesses; any other statement with one makes the call
// opaque.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_INLINEASSEMBLY_H
#define GMPROF_STATIC_ANALYSIS_INLINEASSEMBLY_H

#include "MemoryInstructions.h"

namespace gmprof {

InstructionEffects inlineAssemblyEffects(llvm::CallBase &Call);

/// Returns how the assembly may end the thread (exit, trap, ret).
Leaves inlineAssemblyLeaves(const llvm::CallBase &Call);

/// Returns true if the results depend on the operands only: known arithmetic, no special registers,
/// no memory.
bool isArithmeticAssembly(const llvm::CallBase &Call);

/// Returns true if a lane that executes the assembly waits for no other lane: known arithmetic,
/// accesses to memory and fences, without a branch.
bool waitsForNoLane(const llvm::CallBase &Call);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_INLINEASSEMBLY_H
