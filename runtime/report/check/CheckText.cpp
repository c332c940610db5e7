//===- CheckText.cpp - A check's result as text ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Check.h"
#include "report/text/TextPrinter.h"

namespace gmprof {

using namespace summary;
using namespace text;

namespace {

std::string failure(const Printer &Names, const Finding &F, const TextOptions &Options) {
  std::string Text = fmt::format("{} {} {}{}\n", styled(Red, "FAIL"),
                                 fmt::format("[{}]", F.severity), styled(Bold, Names.headlineOf(F)),
                                 F.source ? "  " + Names.position(*F.source) : "");
  Text += wrapped("     ", F.message, Options.Width);
  Text +=
      wrapped("     Cost: ",
              fmt::format("{} [{}] fingerprint {}", Names.costOf(F), patternOf(F), F.fingerprint),
              Options.Width);
  Text += wrapped("     Fix: ", F.suggestion, Options.Width);
  return Text;
}

std::string suppressions(const CheckResult &R) {
  Table Used({1, 2});
  Used.add({"count", "suppression", "reason"});
  std::string Unused;
  bool Any = false;
  for (size_t I = 0; I < R.Suppressions.size(); ++I) {
    const Suppression &S = R.Suppressions[I];
    if (R.Matches[I]) {
      Used.add({std::to_string(R.Matches[I]), S.Text, S.Reason});
      Any = true;
    } else {
      Unused += fmt::format("  {}\n", S.Text);
    }
  }
  return (Any ? "\nSuppressions used:\n" + Used.text("  ") : "") +
         (Unused.empty() ? "" : "\nSuppressions that match nothing:\n" + Unused);
}

} // namespace

std::string checkText(const Summary &S, const CheckResult &R, const TextOptions &Options) {
  const Printer Names(S, Options);
  std::string Text;
  size_t Suppressed = 0, InBaseline = 0, NotSelected = 0;
  for (const CheckedFinding &F : R.Findings)
    if (F.fails())
      Text += failure(Names, *F.Found, Options);
    else
      ++(!F.Selected                            ? NotSelected
         : F.Suppressed != CheckedFinding::None ? Suppressed
                                                : InBaseline);
  for (const CheckedBudget &B : R.Budgets)
    Text += B.Holds ? fmt::format("ok   {}: it is {}\n", B.Budget->Text, budgetValue(B))
                    : fmt::format("{} {}: it is {}\n", styled(Red, "FAIL"),
                                  styled(Bold, B.Budget->Text), budgetValue(B));
  if (!S.coverage.whole)
    Text += wrapped("",
                    "The profile is incomplete: only what it covers is checked (gmreport lists the "
                    "rest).",
                    Options.Width);
  Text += suppressions(R);
  std::string Counts =
      fmt::format("{} of {}", R.failures(),
                  R.Findings.size() == 1 ? "1 finding fails"
                                         : fmt::format("{} findings fail", R.Findings.size()));
  for (const auto &[Count, What] :
       {std::pair(InBaseline, "in the baseline"), std::pair(Suppressed, "suppressed"),
        std::pair(NotSelected, "not asked for")})
    if (Count)
      Counts += fmt::format(", {} {}", Count, What);
  if (!R.Budgets.empty())
    Counts +=
        fmt::format("; {} of {} broken", R.brokenBudgets(), plural(R.Budgets.size(), "budget"));
  Text += fmt::format("{}{}: {}\n", Text.empty() ? "" : "\n",
                      styled(Bold, R.passed() ? "passed" : "failed"), Counts);
  return render(Text, Options.Color);
}

} // namespace gmprof
