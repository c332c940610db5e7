//===- Inequalities.h - What follows from known inequalities ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proofs that a polynomial is not negative, from the ranges of its unknowns and
// from other polynomials that are known not to be negative: by interval arithmetic
// and, each product of unknowns taken for a variable of its own, by
// Fourier-Motzkin elimination (llvm::ConstraintSystem).
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
  /// For taking back what was added since.
  size_t size() const { return Known.size(); }
  void shrink(size_t Size) { Known.resize(Size); }

  bool isNotNegative(const Polynomial &P) const;
  bool isAtLeast(const Polynomial &P, Wide Min) const;
  bool isAtMost(const Polynomial &P, Wide Max) const;
  /// By the ranges of the unknowns alone.
  Interval rangeOf(const Polynomial &P) const;

private:
  std::map<unsigned, Interval> Ranges;
  std::vector<Polynomial> Known;

  bool follows(const Polynomial &P) const;
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_INEQUALITIES_H
