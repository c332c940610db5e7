//===- CheckRule.cpp - Rules of a check -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/CheckRule.h"
#include "report/model/Measures.h"
#include "report/model/Patterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gmprof {

using summary::Finding;
using summary::Summary;

/// Name of the budget for the saving of a single finding.
static constexpr char Saving[] = "saving";

static const MeasureName *findMeasure(const std::string &Name) {
  const auto &All = measureNames();
  const auto At =
      std::find_if(All.begin(), All.end(), [&](const MeasureName &M) { return Name == M.Name; });
  return At == All.end() ? nullptr : &*At;
}

static std::string knownMeasures() {
  std::string Names = Saving;
  for (const MeasureName &M : measureNames())
    Names += fmt::format(", {}", M.Name);
  return Names;
}

static const char *unitOf(Quantity::Unit U) {
  return U == Quantity::Unit::Bytes     ? "bytes, as 2GiB"
         : U == Quantity::Unit::Seconds ? "time, as 5ms"
                                        : "a number";
}

static Result<CheckRule> parseBudget(const std::string &Text, size_t At) {
  CheckRule R;
  R.Text = Text;
  R.Is = CheckRule::Kind::Budget;
  R.Operator = Text.substr(At, Text.find_first_not_of("<>=!", At) - At);
  static constexpr const char *Operators[] = {"<", "<=", ">", ">=", "==", "!="};
  if (std::find(std::begin(Operators), std::end(Operators), R.Operator) == std::end(Operators))
    return Error{
        fmt::format("'{}': '{}' is no comparison: <, <=, >, >=, == and != are", Text, R.Operator)};
  Result<Quantity> Amount = parseQuantity(Text.substr(At + R.Operator.size()));
  if (!Amount)
    return Error{fmt::format("'{}': {}", Text, Amount.error())};
  R.Amount = *Amount;
  R.Measure = Text.substr(0, At);
  if (const size_t Open = R.Measure.find('('); Open != std::string::npos) {
    if (R.Measure.back() != ')')
      return Error{fmt::format("'{}': ) is missing before {}", Text, R.Operator)};
    R.Of = R.Measure.substr(Open + 1, R.Measure.size() - Open - 2);
    R.Measure.resize(Open);
  }
  if (R.Measure == Saving && R.Of.empty() && R.Amount.Of != Quantity::Unit::Number)
    return R;
  if (R.Measure == Saving)
    return Error{fmt::format("'{}': what a finding saves is compared with bytes, as 1MiB, or with "
                             "time, as 5ms",
                             Text)};
  const MeasureName *Known = findMeasure(R.Measure);
  if (!Known)
    return Error{fmt::format("'{}': there is no number named '{}': there are {}", Text, R.Measure,
                             knownMeasures())};
  // Accepts 0 in any unit, and bytes without a unit.
  const bool Bare = R.Amount.Of == Quantity::Unit::Number;
  if (R.Amount.Of != Known->Unit &&
      !(Bare && (R.Amount.Value == 0 || Known->Unit == Quantity::Unit::Bytes)))
    return Error{fmt::format("'{}': {} is compared with {}", Text, R.Measure, unitOf(Known->Unit))};
  return R;
}

/// Returns where the comparison begins; skips the name in parentheses, which may contain < and >.
static size_t comparisonIn(const std::string &Text) {
  const size_t Close = Text.rfind(')');
  return Text.find_first_of("<>=!", Close == std::string::npos ? 0 : Close);
}

Result<CheckRule> parseCheckRule(const std::string &Text) {
  if (const size_t At = comparisonIn(Text); At != std::string::npos && At != 0)
    return parseBudget(Text, At);
  CheckRule R;
  R.Text = Text;
  std::string Name = Text.starts_with("no:") ? Text.substr(3) : Text;
  if (Name == "any") {
    R.Is = CheckRule::Kind::Severity;
    return R;
  }
  if (const int Severity = severityRank(Name); Severity >= 0) {
    R.Is = CheckRule::Kind::Severity;
    R.Severity = Severity;
    return R;
  }
  if (const size_t Slash = Name.find('/'); Slash != std::string::npos) {
    R.PatternKind = Name.substr(Slash + 1);
    Name.resize(Slash);
  }
  if (!findPattern(Name)) {
    std::vector<std::string> Names;
    for (const PatternInfo &P : allPatterns())
      Names.emplace_back(P.Name);
    return Error{fmt::format("'{}' is no severity (info, low, medium, high, any), no pattern ({}) "
                             "and no budget (as peak<2GiB)",
                             Text, fmt::join(Names, ", "))};
  }
  R.Pattern = Name;
  return R;
}

bool CheckRule::selects(const Finding &F) const {
  switch (Is) {
  case Kind::Severity:
    return severityRank(F.severity) >= Severity;
  case Kind::Pattern:
    return (F.pattern == Pattern && (PatternKind.empty() || F.kind == PatternKind)) ||
           (PatternKind.empty() && std::ranges::find(F.also, Pattern) != F.also.end());
  case Kind::Budget:
    break;
  }
  return false;
}

bool CheckRule::holds(double Value) const {
  const double Limit = Amount.Value;
  return Operator == "<"    ? Value < Limit
         : Operator == "<=" ? Value <= Limit
         : Operator == ">"  ? Value > Limit
         : Operator == ">=" ? Value >= Limit
         : Operator == "==" ? Value == Limit
                            : Value != Limit;
}

Result<double> measured(const Summary &S, const CheckRule &Budget) {
  if (Budget.Measure == Saving) {
    double Most = 0;
    for (const Finding &F : S.findings)
      Most = std::max(Most, Budget.Amount.Of == Quantity::Unit::Seconds
                                ? F.seconds_saved.value_or(0)
                                : static_cast<double>(F.bytes_saved));
    return Most;
  }
  std::vector<std::string> Others;
  for (const Measure &M : measuresOf(S))
    if (M.Name == Budget.Measure) {
      if (M.Of == Budget.Of)
        return M.Value;
      if (!M.Of.empty() && Others.size() < 20)
        Others.push_back(M.Of);
    }
  if (!Others.empty())
    return Error{fmt::format("'{}': there is no {}({}): there are those of {}", Budget.Text,
                             Budget.Measure, Budget.Of, fmt::join(Others, ", "))};
  const MeasureName *Known = findMeasure(Budget.Measure);
  const std::string Profile =
      Known && *Known->Profile
          ? fmt::format(": gmprof run --profile {} measures it", Known->Profile)
          : "";
  return Error{fmt::format("'{}': the summary has no {}{}{}", Budget.Text, Budget.Measure,
                           Budget.Of.empty() ? "" : " of kernels or objects", Profile)};
}

} // namespace gmprof
