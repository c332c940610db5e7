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
#include <set>
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

/// Suppresses the patterns of a finding. If others remain, the finding is of the first of these.
static void suppress(const Finding &F, const summary::Summary &S, CheckResult &R,
                     CheckedFinding &To) {
  std::vector<std::string> Patterns = {F.pattern};
  Patterns.insert(Patterns.end(), F.also.begin(), F.also.end());
  std::set<size_t> Used;
  const size_t All = Patterns.size();
  std::erase_if(Patterns, [&](const std::string &Pattern) {
    const auto By = std::ranges::find_if(
        R.Suppressions, [&](const Suppression &Each) { return suppresses(Each, Pattern, F, S); });
    if (By == R.Suppressions.end())
      return false;
    Used.insert(static_cast<size_t>(By - R.Suppressions.begin()));
    return true;
  });
  for (const size_t I : Used)
    ++R.Matches[I];
  if (Patterns.empty()) {
    To.Suppressed = *Used.begin();
  } else if (Patterns.size() != All) {
    Finding &Rest = R.Rests.emplace_back(F);
    if (Patterns.front() != F.pattern)
      Rest.kind.clear();
    Rest.pattern = Patterns.front();
    Rest.also.assign(Patterns.begin() + 1, Patterns.end());
    To.Found = &Rest;
  }
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
    suppress(F, Input.S, R, To);
    To.Selected = std::any_of(Input.Rules.begin(), Input.Rules.end(),
                              [&](const CheckRule &Rule) { return Rule.selects(*To.Found); });
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
