//===- CheckRule.h - Rules of a check ---------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   RULE     := FINDINGS | BUDGET
//   FINDINGS := ["no:"] (PATTERN ["/" KIND] | SEVERITY | "any")         fails if there is one
//   BUDGET   := NAME ["(" OF ")"] ("<"|"<="|">"|">="|"=="|"!=") AMOUNT   fails if it does not hold
//
// PATTERN is one of docs/patterns.md. SEVERITY is info, low, medium or high, and includes higher
// ones. NAME is a measure of Measures.h, or saving, the saving of a single finding.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_CHECKRULE_H
#define GMPROF_REPORT_CHECK_CHECKRULE_H

#include "report/model/Quantity.h"
#include "report/model/Summary.h"
#include <string>

namespace gmprof {

struct CheckRule {
  std::string Text;
  enum class Kind { Pattern, Severity, Budget } Is = Kind::Pattern;
  std::string Pattern, PatternKind; ///< empty: any
  int Severity = 0;
  std::string Measure, Of, Operator;
  Quantity Amount;

  bool selects(const summary::Finding &F) const;
  /// Returns true if the value is within the budget.
  bool holds(double Value) const;
};

Result<CheckRule> parseCheckRule(const std::string &Text);

/// Returns the number that a budget limits; the error says why the summary lacks it.
Result<double> measured(const summary::Summary &S, const CheckRule &Budget);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_CHECKRULE_H
