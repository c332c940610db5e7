//===- Inequalities.cpp - Proofs from known inequalities ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "Inequalities.h"
#include "llvm/Analysis/ConstraintSystem.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace gmprof;

void Inequalities::add(const Polynomial &NotNegative) {
  if (!NotNegative.TooComplex && !NotNegative.isConstant())
    Known.push_back(NotNegative);
}

Interval Inequalities::rangeOf(const Polynomial &P) const {
  if (P.TooComplex)
    return {};
  Interval Result{0, 0};
  for (const auto &[Factors, Coefficient] : P.Terms) {
    Interval Term{Coefficient, Coefficient};
    for (unsigned Factor : Factors) {
      auto Found = Ranges.find(Factor);
      Term = Term * (Found == Ranges.end() ? Interval() : Found->second);
    }
    Result = Result + Term;
  }
  return Result;
}

bool Inequalities::isNotNegative(const Polynomial &P) const {
  if (P.TooComplex)
    return false;
  if (rangeOf(P).Min >= 0)
    return true;
  if (P.isConstant())
    return false;
  return any_of(Known, [&](const Polynomial &K) { return rangeOf(P - K).Min >= 0; }) || follows(P);
}

/// Bounds are clamped to this value; all coefficients are smaller.
static constexpr Wide Far = Wide(1) << 61;

bool Inequalities::isAtLeast(const Polynomial &P, Wide Min) const {
  if (rangeOf(P).Min >= Min)
    return true;
  Polynomial Difference = P;
  Difference.addTerm({}, std::min(-Min, Far));
  return isNotNegative(Difference);
}

bool Inequalities::isAtMost(const Polynomial &P, Wide Max) const {
  if (rangeOf(P).Max <= Max)
    return true;
  Polynomial Difference = P * -1;
  Difference.addTerm({}, std::min(Max, Far));
  return isNotNegative(Difference);
}

namespace {

/// A linear system of the known facts, with one variable per product of unknowns.
class LinearSystem {
  std::map<Polynomial::Product, unsigned, Polynomial::Shorter> Variables;
  std::vector<SmallVector<int64_t, 8>> Rows;

public:
  bool knows(const Polynomial &P) const {
    return any_of(P.Terms, [&](const auto &Term) { return Variables.count(Term.first); });
  }
  /// Adds P's products as variables; returns true if any was new.
  bool addVariables(const Polynomial &P) {
    const size_t Before = Variables.size();
    for (const auto &[Factors, Coefficient] : P.Terms)
      if (!Factors.empty())
        Variables.try_emplace(Factors, Variables.size() + 1);
    return Variables.size() != Before;
  }
  const auto &variables() const { return Variables; }

  /// Returns P >= 0 as a row c0 >= c1 * v1 + …, divided by the coefficients' common divisor.
  SmallVector<int64_t, 8> row(const Polynomial &P) const {
    SmallVector<int64_t, 8> Row(Variables.size() + 1, 0);
    const auto Content = int64_t(P.contentWithoutConstant());
    Row[0] = divideFloorSigned(P.constant(), Content);
    for (const auto &[Factors, Coefficient] : P.Terms)
      if (!Factors.empty())
        Row[Variables.at(Factors)] = -(Coefficient / Content);
    return Row;
  }
  void add(const Polynomial &P) { Rows.push_back(row(P)); }
  bool implies(const Polynomial &P) const {
    ConstraintSystem System;
    for (const auto &Row : Rows)
      System.addVariableRow(Row);
    return !Rows.empty() && System.isConditionImplied(row(P));
  }
};

} // namespace

/// Limits for Fourier-Motzkin elimination, which is exponential; guards and loops stay far below.
static constexpr size_t MaxVariables = 12, MaxRows = 32;

bool Inequalities::follows(const Polynomial &P) const {
  LinearSystem System;
  System.addVariables(P);
  SmallVector<const Polynomial *, 8> Related;
  // Facts that share a variable with P or with another related fact.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const Polynomial &K : Known)
      if (!is_contained(Related, &K) && System.knows(K)) {
        Related.push_back(&K);
        System.addVariables(K);
        Changed = true;
      }
  }
  if (System.variables().size() > MaxVariables || Related.size() > MaxRows)
    return false;
  for (const Polynomial *K : Related)
    System.add(*K);
  for (const auto &[Factors, Number] : System.variables()) {
    Polynomial Variable;
    Variable.Terms[Factors] = 1;
    const Interval Range = rangeOf(Variable);
    if (Range.Min >= INT64_MIN / 4)
      System.add(Variable - int64_t(Range.Min));
    if (Range.Max <= INT64_MAX / 4)
      System.add(Polynomial(int64_t(Range.Max)) - Variable);
  }
  return System.implies(P);
}
