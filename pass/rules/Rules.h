//===- Rules.h - How an access is counted -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1 of GMProf (CCGrid'12), case by case and in its order. Each rule reads the static
// analysis of an access and either plans how the access is counted, or passes it on to the next
// rule. countEach accepts all.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_RULES_H
#define GMPROF_PASS_RULES_H

#include "pass/core/Instrumenter.h"
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

/// The rule by which a profile counts a site.
struct CountedSite {
  GmprofRule Rule = GMPROF_RULE_NOT_COUNTED;
  std::string Reason;                ///< why by no better rule
  std::optional<StaticCount> Static; ///< with GMPROF_RULE_STATIC
  std::vector<int64_t> Form;         ///< with GMPROF_RULE_CLOSED_FORM: GmprofFormDesc's words
};

/// The rules by which a profile counts the sites of functions.
class CountedSites {
public:
  /// Returns the sites of a function, numbered as in Sites.
  std::vector<CountedSite> &of(const llvm::Function &F, const FunctionSites &Sites);
  /// Returns how a site is counted, also of a function that the profile does not count.
  CountedSite of(const DescribedFunction &F, unsigned Number) const;

private:
  std::map<const llvm::Function *, std::vector<CountedSite>> Functions;
};

/// The clone that rules work on, and their results.
struct RuleContext {
  /// Collects what rules need. Counted: the memory space whose accesses the profile counts.
  RuleContext(CountingClone &C, GmprofSpace Counted, Updates &Planned,
              llvm::FunctionAnalysisManager &FAM);
  virtual ~RuleContext() = default;

  CountingClone &C;
  const GmprofSpace Counted;
  llvm::DominatorTree &DT;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::TargetTransformInfo &TTI;
  ClosedForms Forms;
  Sweeps Swept;
  Updates &Planned;
  llvm::SmallVector<PlannedSweep, 0> PlannedSweeps;
  llvm::SmallVector<Update, 0> PlannedEach;

  /// Returns the update for one execution of an access, by each thread.
  virtual Update update(const Access &A) const { return Updates::of(A); }

  /// Counters of a block's executions while a loop runs, in memory until emitCounts.
  llvm::MapVector<std::pair<llvm::BasicBlock *, const llvm::Loop *>, llvm::AllocaInst *> Executions;
  /// Numbers of executions that are available at a loop exit, by counter or SCEV.
  llvm::DenseMap<std::pair<llvm::Instruction *, const void *>, llvm::Value *> Available;
};

/// Adds "Rule: Reason" to why an access is not counted by a better rule, if there is a reason.
void addReason(std::string &Why, llvm::StringRef Rule, llvm::StringRef Reason);

/// Describes the count as a constant in the descriptor; the clone does nothing (StaticRule.cpp).
/// For shared memory only.
std::optional<GmprofRule> countStatically(const Access &A, RuleContext &Context);

/// Describes the count as a function of the launch in the descriptor; the clone does nothing
/// (ClosedFormRule.cpp). If there is no form, How gets the reason.
void describeByForm(const Access &A, const RuleContext &Context, llvm::ArrayRef<Variable> Variables,
                    CountedSite &How);

/// Counts once after the loops, with the number of executions; by one thread if the access is
/// thread-invariant as well (LoopInvariantRule.cpp).
std::optional<GmprofRule> countAfterLoops(const Access &A, RuleContext &Context);

/// Counts by one thread for all threads that execute the access (ThreadInvariantRule.cpp).
std::optional<GmprofRule> countByOneThread(const Access &A, RuleContext &Context);

/// Counts before the loop, for all of its iterations at once (SweepRule.cpp). For global memory
/// only. If there is no sweep, Why gets the reason. planSweeps adds the updates once all accesses
/// have a rule.
std::optional<GmprofRule> countSweep(const Access &A, RuleContext &Context, const char *&Why);
void planSweeps(RuleContext &Context);

/// Counts each execution by its own thread (EachAccessRule.cpp).
GmprofRule countEach(const Access &A, RuleContext &Context);
/// Plans an access of global memory, where adjacent accesses count together. planEach adds the
/// updates once all accesses have a rule.
GmprofRule countEachBeside(const Access &A, RuleContext &Context);
void planEach(RuleContext &Context);

/// Emits the planned updates, after EmitCounters in a kernel, and redirects calls. Returns whether
/// anything is counted.
bool emitCounts(RuleContext &Context, FunctionSites &Sites, Instrumenter &I,
                llvm::function_ref<void()> EmitCounters, EmitUpdate Emit);

} // namespace gmprof

#endif // GMPROF_PASS_RULES_H
