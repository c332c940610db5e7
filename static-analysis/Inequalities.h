//===- Inequalities.h - Proofs from known inequalities ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that a polynomial is not negative, given ranges of its unknowns and other polynomials
// known not to be negative: by interval arithmetic, and by Fourier-Motzkin elimination
// (llvm::ConstraintSystem) with each product of unknowns as a variable.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_INEQUALITIES_H
#define GMPROF_STATIC_ANALYSIS_INEQUALITIES_H

#include "Polynomials.h"
#include <vector>

namespace gmprof {

class Inequalities {
public:
  void setRange(unsigned Factor, Interval Range) { Ranges[Factor] = Range; }
  void add(const Polynomial &NotNegative);
  /// Returns the number of facts, for removing later ones with shrink().
  size_t size() const { return Known.size(); }
  void shrink(size_t Size) { Known.resize(Size); }

  bool isNotNegative(const Polynomial &P) const;
  bool isAtLeast(const Polynomial &P, Wide Min) const;
  bool isAtMost(const Polynomial &P, Wide Max) const;
  /// Returns P's range given the ranges of the unknowns only.
  Interval rangeOf(const Polynomial &P) const;

private:
  std::map<unsigned, Interval> Ranges;
  std::vector<Polynomial> Known;

  bool follows(const Polynomial &P) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_INEQUALITIES_H
