//===- ClosedForms.h - Accesses as a function of the launch -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most accesses of dense kernels are known before the kernel runs: which threads
// and iterations execute them, and the address, follow from the index of thread
// and block, the dimensions and the kernel's integer parameters. This goes beyond
// GMProf (CCGrid'12, IV.A), which stops at single addresses: here the whole launch
// is a set of points bounded by polynomials (as in the polyhedral model), so that
// nothing is left to count while the kernel runs.
//
// Which points there are. From the entry to the access's block along the dominator
// tree, each block is always reached from the one before, or under conditions
// (PathConditions); these are comparisons of polynomials, a conjunction of which is
// a list of constraints. Around the access each loop has one back edge, and each
// of its exits is decided in every iteration. That a loop goes on after iteration j
// is again a list of constraints on j, which hold up to some j and from then on not
// (their slope in j is not positive). So iteration k executes if k = 0 or they hold
// for k - 1; and if k's exit comes before the access, if they hold for k.
// Disjunctions become sums of unknowns that are 1 or 0 (PolynomialReader).
//
// Machine integers wrap around, polynomials do not. The polynomial of an
// expression is congruent to it modulo 2^(its width): sums, products, truncations
// and recurrences keep that. To compare it, extend it to more bits or divide it, it
// has to be the number itself. Where that cannot be proved from what is known
// (Inequalities) it becomes a condition on the launch, on all points that get
// there: those of the constraints before it.
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

/// An unknown that the launch determines: GMPROF_FACTOR_DERIVED + its number.
struct DerivedUnknown {
  GmprofDerived Operation = GMPROF_DERIVED_QUOTIENT;
  Polynomial A, B;
};

/// NonNegative is >= 0; or (if Loop is not -1) it is iteration 0 of Loops[Loop].
struct FormConstraint {
  int Loop = -1;
  Polynomial NonNegative;
};

/// Value lies between Min and Max at all points that satisfy the first Constraints
/// of the constraints.
struct FormCondition {
  Polynomial Value;
  int64_t Min = 0, Max = 0;
  unsigned Constraints = 0;
};

/// What GmprofFormDesc says, in that order.
struct ClosedForm {
  int Variable = -1;
  std::vector<DerivedUnknown> Derived;
  Polynomial Address;
  /// Innermost first. Null: an unknown of which each thread has one value.
  llvm::SmallVector<const llvm::Loop *, 2> Loops;
  std::vector<FormConstraint> Constraints;
  std::vector<FormCondition> Conditions;

  /// The words of the descriptor.
  std::vector<int64_t> words() const;
  void print(llvm::raw_ostream &OS) const;
};

class ClosedForms {
public:
  ClosedForms(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::CycleInfo &CI,
              const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

  /// The closed form of A, or nullopt, and Why says what stands against it.
  std::optional<ClosedForm> closedForm(const Access &A, llvm::ArrayRef<Variable> Variables,
                                       const char *&Why) const;
  /// The points that execute I, with an address of 0; likewise.
  std::optional<ClosedForm> executions(const llvm::Instruction &I, const char *&Why) const;

private:
  /// Why nothing can be said of when I is executed, or null.
  const char *whyNotDetermined(const llvm::Instruction &I) const;

  llvm::Function &F;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  ControlFlow Flow;
  LoopInvariance Invariance;
  PathConditions Paths;
};

/// print<gm-closed-forms>: for each access the rule that could take it, with what
/// that rule needs to know; and why none could.
class ClosedFormPrinterPass : public llvm::PassInfoMixin<ClosedFormPrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit ClosedFormPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_CLOSEDFORMS_H
