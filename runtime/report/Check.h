//===- Check.h - Whether a run is as it should be ------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_H
#define GMPROF_REPORT_CHECK_H

#include "report/CheckRule.h"
#include "report/Suppressions.h"
#include "report/TextReport.h"
#include <optional>
#include <vector>

namespace gmprof {

struct CheckedFinding {
  const summary::Finding *Found = nullptr;
  bool Selected = false;    ///< by a rule
  bool InBaseline = false;  ///< it was there before
  size_t Suppressed = None; ///< index into CheckResult::Suppressions

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
  std::vector<size_t> Matches; ///< findings that each of them suppressed
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

/// The result points into the summary and the rules.
Result<CheckResult> check(CheckInput Input);

/// A value of a budget, with its unit.
std::string budgetValue(const CheckedBudget &B);

/// For people; what GitHub's actions show beside the code; what CI servers read; what code
/// scanning reads (OASIS SARIF 2.1.0).
std::string checkText(const summary::Summary &S, const CheckResult &R, const TextOptions &Options);
std::string checkAnnotations(const summary::Summary &S, const CheckResult &R,
                             const TextOptions &Options);
std::string checkJUnit(const summary::Summary &S, const CheckResult &R, const TextOptions &Options);
std::string checkSarif(const summary::Summary &S, const CheckResult &R, const TextOptions &Options);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_H
