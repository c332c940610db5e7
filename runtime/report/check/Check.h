//===- Check.h - Checks a run against rules ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_CHECK_H
#define GMPROF_REPORT_CHECK_CHECK_H

#include "report/check/CheckRule.h"
#include "report/check/Suppressions.h"
#include "report/text/TextReport.h"
#include <deque>
#include <optional>
#include <vector>

namespace gmprof {

struct CheckedFinding {
  const summary::Finding *Found = nullptr; ///< without suppressed patterns, unless all are
  bool Selected = false;                   ///< by a rule
  bool InBaseline = false;                 ///< the baseline has it too
  size_t Suppressed = None;                ///< index into CheckResult::Suppressions

  static constexpr size_t None = ~size_t(0);
  bool fails() const { return Selected && !InBaseline && Suppressed == None; }
};

struct CheckedBudget {
  const CheckRule *Budget = nullptr;
  double Value = 0;
  bool Holds = false;
};

struct CheckResult {
  std::vector<CheckedFinding> Findings;
  std::vector<CheckedBudget> Budgets;
  std::vector<Suppression> Suppressions;
  std::vector<size_t> Matches; ///< number of findings per suppression
  /// Findings of which some patterns are suppressed, with the other patterns.
  std::deque<summary::Finding> Rests;
  bool HasBaseline = false;

  size_t failures() const;
  size_t brokenBudgets() const;
  bool passed() const { return failures() == 0 && brokenBudgets() == 0; }
};

struct CheckInput {
  const summary::Summary &S;
  const std::vector<CheckRule> &Rules;
  const summary::Summary *Baseline = nullptr;
  std::vector<Suppression> Suppressions;
};

/// Checks a summary. The result points into the summary and the rules.
Result<CheckResult> check(CheckInput Input);

/// Formats a budget's value with its unit.
std::string budgetValue(const CheckedBudget &B);

/// Return the result in several formats: text, annotations of GitHub Actions, JUnit XML for CI
/// servers, and OASIS SARIF 2.1.0 for code scanning.
std::string checkText(const summary::Summary &S, const CheckResult &R, const TextOptions &Options);
std::string checkAnnotations(const summary::Summary &S, const CheckResult &R,
                             const TextOptions &Options);
std::string checkJUnit(const summary::Summary &S, const CheckResult &R, const TextOptions &Options);
std::string checkSarif(const summary::Summary &S, const CheckResult &R, const TextOptions &Options);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_CHECK_H
