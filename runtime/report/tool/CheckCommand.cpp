//===- CheckCommand.cpp - gmreport check ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Check.h"
#include "report/model/SummaryJson.h"
#include "report/tool/Tool.h"
#include <memory>

namespace gmprof::tool {
namespace {

struct CheckCommand {
  std::string Path, Baseline, Suppressions, Format = "text", Output = "-";
  std::vector<std::string> FailOn;
  Style Look;

  int run() const;
};

int CheckCommand::run() const {
  std::vector<CheckRule> Rules;
  for (const std::string &Text : FailOn.empty() ? std::vector<std::string>{"low"} : FailOn) {
    Result<CheckRule> Rule = parseCheckRule(Text);
    if (!Rule)
      return fail(BadUsage, "--fail-on: " + Rule.error());
    Rules.push_back(std::move(*Rule));
  }
  Result<summary::Summary> S = readSummary(Path, SummaryText::Printable);
  if (!S)
    return fail(BadInput, S.error());
  CheckInput Input = {*S, Rules, nullptr, {}};
  Result<summary::Summary> Before = summary::Summary();
  if (!Baseline.empty()) {
    Before = readSummary(Baseline, SummaryText::Printable);
    if (!Before)
      return fail(BadInput, Before.error());
    Input.Baseline = &*Before;
  }
  if (!Suppressions.empty()) {
    Result<std::vector<Suppression>> Those = readSuppressions(Suppressions);
    if (!Those)
      return fail(BadInput, Those.error());
    Input.Suppressions = std::move(*Those);
  }
  Result<CheckResult> R = check(std::move(Input));
  if (!R)
    return fail(BadInput, R.error());
  const TextOptions Options = Look.text();
  const auto Write = Format == "sarif"    ? checkSarif
                     : Format == "junit"  ? checkJUnit
                     : Format == "github" ? checkAnnotations
                                          : checkText;
  const int Status = writeFile(Output, Write(*S, *R, Options));
  return Status != Ok ? Status : R->passed() ? Ok : CheckFailed;
}

} // namespace

Command addCheck(CLI::App &App) {
  auto C = std::make_shared<CheckCommand>();
  CLI::App *Sub = App.add_subcommand(
      "check", "Exit with status 3 if a run has findings that fail a rule or breaks a budget");
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("--fail-on", C->FailOn,
                  "A severity (that or worse), a pattern, or a budget that has to hold, as "
                  "peak<2GiB or 'reads(jacobi)<1000000'; may be given several times (low)")
      ->type_name("RULE")
      ->allow_extra_args(false);
  Sub->add_option("--baseline", C->Baseline, "A summary whose findings do not fail again")
      ->type_name("FILE");
  Sub->add_option("--suppressions", C->Suppressions,
                  "A file with lines PATTERN:TEMPLATE; findings that match do not fail")
      ->type_name("FILE");
  Sub->add_option("--format", C->Format,
                  "text; sarif: for code scanning; junit: for CI servers; github: annotations")
      ->check(CLI::IsMember({"text", "sarif", "junit", "github"}))
      ->capture_default_str();
  Sub->add_option("-o,--output", C->Output, "The file to write, - for the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  C->Look.addTo(*Sub);
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
