//===- RangeRule.h - Where live ranges begin and end ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section V) counts the accesses to data in shared memory between the statements
// that move it there and back (static-analysis/LiveRanges.h). Where a word may hold several such
// ranges in one block, the clone with counters in shared memory bounds them by hooks
// (runtime/device/Ranges.cu). In all other kernels a block's counts belong to the one range, and
// the clone needs no hooks for ranges.
//
// A range's accesses must have been counted when it ends. In these clones they
// count at once, not where the block ends, and loops that hold moves or wait for
// other threads do not put them off.
//
// The moves of a kernel are marked by metadata, which copies of functions inherit;
// in a device function an instruction is a move if it is one in any context.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_RULES_RANGERULE_H
#define GMPROF_PASS_RULES_RANGERULE_H

#include "pass/rules/Rules.h"
#include "static-analysis/LiveRanges.h"

namespace llvm {
class Module;
} // namespace llvm

namespace gmprof {

/// Marks the moves that Kernel makes in functions it calls. Returns whether the functions have to
/// count live ranges: a word may have several.
bool markMovesInCallees(llvm::Function &Kernel, llvm::FunctionAnalysisManager &FAM);

/// Marks the moves of a simplified kernel clone that counts live ranges, and sets C.RangeVariables
/// to the shared variables whose ranges it counts.
void planRanges(CountingClone &C, const LiveRanges &Ranges,
                llvm::ArrayRef<llvm::GlobalVariable *> Variables);

/// Removes all marks.
void unmarkMoves(llvm::Module &M);

/// Plans an access that begins a range, or that ends the previous one by a store. Returns nothing
/// for other accesses.
std::optional<GmprofRule> countAtRangeBoundary(const Access &A, RuleContext &Context);

/// Plans the end of a range after an access, if it ends one. Call it after the access is counted.
void endRangeAfter(const Access &A, RuleContext &Context);

/// Returns the access without the facts by which it would be counted after its range, or at another
/// place.
Access withoutDelay(const Access &A, const RuleContext &Context);

} // namespace gmprof

#endif // GMPROF_PASS_RULES_RANGERULE_H
