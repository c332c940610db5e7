//===- Rules.h - How an access is counted -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1 of GMProf (CCGrid'12), case by case and in its order. Each rule
// looks at what static analysis says of an access and either plans how the
// access is counted, or leaves it to the next rule. countEach takes all.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_RULES_H
#define GMPROF_PASS_RULES_H

#include "pass/core/Sites.h"
#include "pass/rules/Updates.h"
#include "static-analysis/ClosedForms.h"
#include "static-analysis/Sweeps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace llvm {
class AllocaInst;
class DominatorTree;
class LoopInfo;
class ScalarEvolution;
class TargetTransformInfo;
} // namespace llvm

namespace gmprof {

/// A sweep, and the update for one of its accesses.
struct PlannedSweep {
  Sweep S;
  Update U;
};

/// The clone that rules work on, and their results.
struct RuleContext {
  RuleContext(Clone &C, llvm::ArrayRef<SiteVariable> Variables, Updates &Planned,
              llvm::FunctionAnalysisManager &FAM);

  Clone &C;
  llvm::ArrayRef<SiteVariable> Variables;
  llvm::DominatorTree &DT;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::TargetTransformInfo &TTI;
  ClosedForms Forms;
  Sweeps Swept;
  Updates &Planned;
  llvm::SmallVector<PlannedSweep, 0> PlannedSweeps;
  llvm::SmallVector<Update, 0> PlannedEach;

  /// The update for one execution of an access, by each thread.
  Update update(const Access &A) const;

  /// Counts of a block's executions while a loop runs, in memory until the end.
  llvm::MapVector<std::pair<llvm::BasicBlock *, const llvm::Loop *>, llvm::AllocaInst *> Executions;
  /// Numbers of executions already available at a loop exit, by counter or SCEV.
  llvm::DenseMap<std::pair<llvm::Instruction *, const void *>, llvm::Value *> Available;
};

/// StaticRule.cpp: the descriptor holds the count, the clone does nothing. For
/// shared memory only.
std::optional<GmprofRule> countStatically(const Access &A, RuleContext &Context);

/// ClosedFormRule.cpp: the descriptor holds the count as a function of the launch,
/// the clone does nothing. If not, Why says why.
std::optional<ClosedForm> describeByForm(const Access &A, const RuleContext &Context,
                                         llvm::ArrayRef<Variable> Variables, const char *&Why);

/// LoopInvariantRule.cpp: once where the loops are left, with the number of
/// executions; by one thread if the access is thread-invariant as well.
std::optional<GmprofRule> countAfterLoops(const Access &A, RuleContext &Context);

/// ThreadInvariantRule.cpp: by one thread for those that execute it.
std::optional<GmprofRule> countByOneThread(const Access &A, RuleContext &Context);

/// SweepRule.cpp: before the loop, all its accesses at once. For global memory only.
/// If not, Why says why. When all accesses have a rule, planSweeps makes updates of them.
std::optional<GmprofRule> countSweep(const Access &A, RuleContext &Context, const char *&Why);
void planSweeps(RuleContext &Context);

/// EachAccessRule.cpp: every execution by its own thread.
GmprofRule countEach(const Access &A, RuleContext &Context);
/// The same for global memory, where those side by side count together. When all accesses have a
/// rule, planEach makes updates of them.
GmprofRule countEachBeside(const Access &A, RuleContext &Context);
void planEach(RuleContext &Context);

} // namespace gmprof

#endif // GMPROF_PASS_RULES_H
