//===- ExplainCommand.cpp - gmreport explain ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryJson.h"
#include "report/tool/Tool.h"
#include <charconv>
#include <fmt/format.h>
#include <memory>

namespace gmprof::tool {
namespace {

struct ExplainCommand {
  std::string Number, Path = ".";
  Style Look;

  int run() const;
};

/// Returns the numbers of all findings.
std::string numbersOf(const summary::Summary &S, const std::string &Path) {
  if (S.findings.empty())
    return fmt::format("'{}' has no findings", Path);
  return S.findings.size() == 1 ? fmt::format("'{}' has finding 1", Path)
                                : fmt::format("'{}' has findings 1 to {}", Path, S.findings.size());
}

int ExplainCommand::run() const {
  uint64_t Id = 0;
  const char *End = Number.data() + Number.size();
  const auto [Rest, Failure] = std::from_chars(Number.data(), End, Id);
  if (Failure != std::errc() || Rest != End)
    return fail(BadUsage, fmt::format("'{}' is not the number of a finding; for the first one: "
                                      "gmreport explain 1 {}",
                                      Number, Path == "." ? Number : Path));
  const Result<summary::Summary> S = readSummary(Path, SummaryText::Printable);
  if (!S)
    return fail(BadInput, S.error());
  for (const summary::Finding &F : S->findings)
    if (F.id == Id)
      return print(explanation(*S, F, Look.text()));
  return fail(BadUsage, fmt::format("there is no finding {}: {}", Number, numbersOf(*S, Path)));
}

} // namespace

Command addExplain(CLI::App &App) {
  auto C = std::make_shared<ExplainCommand>();
  CLI::App *Sub = App.add_subcommand(
      "explain", "Show how a finding was found: measured values, what they are compared with, "
                 "the source of the method");
  Sub->add_option("finding", C->Number, "The finding's number in the report")
      ->required()
      ->type_name("N");
  Sub->add_option("summary", C->Path, SummaryHelp)->type_name("FILE")->capture_default_str();
  C->Look.addTo(*Sub);
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
