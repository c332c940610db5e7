//===- ClosedForms.h - Accesses as functions of the launch ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most accesses of dense kernels are known before the kernel runs: the thread and block index, the
// dimensions and the kernel's integer parameters determine which threads and iterations execute an
// access, and its address. GMProf (CCGrid'12, Section IV.A) covers single addresses; this analysis
// describes the whole launch as a set of points bounded by polynomials (the polyhedral model), so
// that nothing is left to count while the kernel runs.
//
// The set of points: from the entry along the dominator tree to the access's block, each block is
// always reached from its predecessor, or under conditions (PathConditions). These are comparisons
// of polynomials; a conjunction of them is a list of constraints. Each surrounding loop has one
// back edge, and every exit is tested in every iteration. The condition that a loop continues after
// iteration j is a list of constraints on j that hold up to some j and not beyond (their slope in j
// is not positive). So iteration k executes if k = 0 or they hold for k - 1; and if the exit
// precedes the access, if they hold for k. Disjunctions become sums of unknowns that are 1 or 0
// (PolynomialReader).
//
// Machine integers wrap around, polynomials do not. The polynomial of an expression is congruent to
// it modulo 2^width, which sums, products, truncations and recurrences preserve. Comparisons,
// extensions and divisions need the exact value. Unless it is proved from known facts
// (Inequalities), exactness becomes a condition on the launch, for all points that satisfy the
// preceding constraints.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_CLOSEDFORMS_H
#define GMPROF_STATIC_ANALYSIS_CLOSEDFORMS_H

#include "Accesses.h"
#include "LoopInvariance.h"
#include "PathConditions.h"
#include "Polynomials.h"
#include "UniformExecution.h"

namespace gmprof {

/// An unknown that the launch determines, numbered from GMPROF_FACTOR_DERIVED.
struct DerivedUnknown {
  GmprofDerived Operation = GMPROF_DERIVED_QUOTIENT;
  Polynomial A, B;
};

/// The constraint NonNegative >= 0; iteration 0 of Loops[Loop], if Loop is not -1, satisfies it
/// too.
struct SymbolicConstraint {
  int Loop = -1;
  Polynomial NonNegative;
};

/// The condition that Value is in [Min, Max] at all points that satisfy the first Constraints of
/// the constraints.
struct SymbolicCondition {
  Polynomial Value;
  int64_t Min = 0, Max = 0;
  unsigned Constraints = 0;
};

/// The contents of GmprofFormDesc, in its order.
struct SymbolicForm {
  int Variable = -1;
  std::vector<DerivedUnknown> Derived;
  Polynomial Address;
  /// Innermost first. Null: an unknown with a single value per thread.
  llvm::SmallVector<const llvm::Loop *, 2> Loops;
  std::vector<SymbolicConstraint> Constraints;
  std::vector<SymbolicCondition> Conditions;

  /// Returns the form words of the descriptor.
  std::vector<int64_t> words() const;
  void print(llvm::raw_ostream &OS) const;
};

class ClosedForms {
public:
  ClosedForms(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::CycleInfo &CI,
              const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

  /// Returns the closed form of A; or nullopt, with the reason in Why.
  std::optional<SymbolicForm> closedForm(const Access &A, llvm::ArrayRef<Variable> Variables,
                                         const char *&Why) const;
  /// Returns the points that execute I, with address 0; or nullopt, with the reason in Why.
  std::optional<SymbolicForm> executions(const llvm::Instruction &I, const char *&Why) const;

private:
  /// Returns why nothing is known of I's executions, or null.
  const char *whyNotDetermined(const llvm::Instruction &I) const;

  llvm::Function &F;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  ControlFlow Flow;
  LoopInvariance Invariance;
  PathConditions Paths;
};

/// Implements print<gm-closed-forms>: for each access the applicable rule with its inputs, and why
/// cheaper rules do not apply.
class ClosedFormPrinterPass : public llvm::PassInfoMixin<ClosedFormPrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit ClosedFormPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_CLOSEDFORMS_H
