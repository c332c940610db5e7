//===- CheckJUnit.cpp - A check's result as JUnit XML ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a test case per finding and budget; suppressed findings are skipped cases. Jenkins, GitLab
// and other servers read this format.
//
//===----------------------------------------------------------------------===//

#include "report/check/Check.h"
#include "report/formats/XmlText.h"
#include "report/text/TextPrinter.h"

namespace gmprof {

using namespace summary;

namespace {

std::string xml(const std::string &Text) { return xmlEscaped(text::printable(Text)); }

/// Returns a case as XML. Body: XML inside the element; empty: the case passed.
std::string testCase(const std::string &Class, const std::string &Name, const std::string &Body) {
  const std::string Begin = fmt::format(
      "    <testcase classname=\"gmprof.{}\" name=\"{}\" time=\"0\"", xml(Class), xml(Name));
  return Body.empty() ? Begin + "/>\n" : Begin + ">\n" + Body + "    </testcase>\n";
}

} // namespace

std::string checkJUnit(const Summary &S, const CheckResult &R, const TextOptions &Options) {
  const text::Printer Names(S, Options);
  std::string Cases;
  size_t Skipped = 0, Count = 0;
  for (const CheckedFinding &Each : R.Findings) {
    const Finding &F = *Each.Found;
    std::string Name = Names.subjectOf(F);
    if (F.source)
      Name += " at " + Names.position(*F.source);
    std::string Body;
    if (Each.fails()) {
      Body = fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                         xml(F.severity), xml(F.message), xml(F.suggestion));
    } else if (Each.Suppressed != CheckedFinding::None) {
      const Suppression &By = R.Suppressions[Each.Suppressed];
      Body = fmt::format("      <skipped message=\"{}\"/>\n",
                         xml(By.Reason.empty() ? By.Text : By.Reason));
      ++Skipped;
    }
    Cases += testCase(text::patternOf(F), Name, Body);
    ++Count;
  }
  for (const CheckedBudget &B : R.Budgets) {
    Cases +=
        testCase("budget", B.Budget->Text,
                 B.Holds ? ""
                         : fmt::format("      <failure type=\"budget\" message=\"it is {}\"/>\n",
                                       xml(budgetValue(B))));
    ++Count;
  }
  if (Count == 0) {
    Cases = testCase("findings", "none", "");
    Count = 1;
  }
  const size_t Failures = R.failures() + R.brokenBudgets();
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites>\n"
                     "  <testsuite name=\"gmprof\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
                     "skipped=\"{}\" time=\"0\">\n{}"
                     "  </testsuite>\n"
                     "</testsuites>\n",
                     Count, Failures, Skipped, Cases);
}

} // namespace gmprof
