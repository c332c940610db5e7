//===- Check.cpp - Checks a run against rules -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Check.h"
#include "report/check/Diff.h"
#include "report/model/Patterns.h"
#include "report/model/RunProfiles.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace gmprof {

using summary::Finding;

size_t CheckResult::failures() const {
  return static_cast<size_t>(std::count_if(Findings.begin(), Findings.end(),
                                           [](const CheckedFinding &F) { return F.fails(); }));
}

size_t CheckResult::brokenBudgets() const {
  return static_cast<size_t>(std::count_if(Budgets.begin(), Budgets.end(),
                                           [](const CheckedBudget &B) { return !B.Holds; }));
}

/// Rejects rules about patterns that the profile cannot find: they would always hold.
static std::string whyNotChecked(const CheckInput &Input) {
  const RunProfiles Profiles(Input.S);
  for (const CheckRule &Rule : Input.Rules)
    if (Rule.Is == CheckRule::Kind::Pattern)
      if (const PatternInfo *P = findPattern(Rule.Pattern);
          P && !Profiles.unknown() && !Profiles.makeChecksOf(P->Profile))
        return fmt::format("'{}': this is a profile of --profile {}, and --profile {} looks for it",
                           Rule.Text, Profiles.text(), P->Profile);
  return "";
}

Result<CheckResult> check(CheckInput Input) {
  if (std::string Why = whyNotChecked(Input); !Why.empty())
    return Error{Why};
  CheckResult R;
  R.HasBaseline = Input.Baseline != nullptr;
  R.Suppressions = std::move(Input.Suppressions);
  R.Matches.resize(R.Suppressions.size());
  for (const Finding &F : Input.S.findings) {
    CheckedFinding &To = R.Findings.emplace_back();
    To.Found = &F;
    To.Selected = std::any_of(Input.Rules.begin(), Input.Rules.end(),
                              [&](const CheckRule &Rule) { return Rule.selects(F); });
    for (size_t I = 0; I < R.Suppressions.size() && To.Suppressed == CheckedFinding::None; ++I)
      if (suppresses(R.Suppressions[I], F, Input.S)) {
        To.Suppressed = I;
        ++R.Matches[I];
      }
  }
  if (Input.Baseline) {
    const std::string Ours = RunProfiles(Input.S).text(),
                      Theirs = RunProfiles(*Input.Baseline).text();
    if (Ours != Theirs)
      return Error{fmt::format("the baseline is of --profile {}, the summary of --profile {}: "
                               "profile both runs alike",
                               Theirs, Ours)};
    for (const auto &[Index, Before] : sameFindings(Input.S, *Input.Baseline))
      R.Findings[Index].InBaseline = true;
  }
  for (const CheckRule &Rule : Input.Rules) {
    if (Rule.Is != CheckRule::Kind::Budget)
      continue;
    Result<double> Value = measured(Input.S, Rule);
    if (!Value)
      return Error{Value.error()};
    R.Budgets.push_back({&Rule, *Value, Rule.holds(*Value)});
  }
  return R;
}

std::string budgetValue(const CheckedBudget &B) {
  switch (B.Budget->Amount.Of) {
  case Quantity::Unit::Bytes:
    return plural(static_cast<uint64_t>(B.Value), "byte");
  case Quantity::Unit::Seconds:
    return fmt::format("{:.6f} s", B.Value);
  case Quantity::Unit::Number:
    break;
  }
  return text::grouped(B.Value);
}

} // namespace gmprof
