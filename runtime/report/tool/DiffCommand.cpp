//===- DiffCommand.cpp - gmreport diff ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/DiffReport.h"
#include "report/model/SummaryJson.h"
#include "report/tool/Tool.h"
#include <memory>

namespace gmprof::tool {
namespace {

struct DiffCommand {
  std::string Before, After, Format = "text", Output = "-";
  unsigned Top = 10;
  Style Look;

  int run() const;
};

int DiffCommand::run() const {
  Result<summary::Summary> A = readSummary(Before, SummaryText::Printable),
                           B = readSummary(After, SummaryText::Printable);
  if (!A || !B)
    return fail(BadInput, !A ? A.error() : B.error());
  Result<SummaryDiff> Changes = diff(*A, *B);
  if (!Changes)
    return fail(BadInput, Changes.error());
  const Comparison C = {*A, *B, *Changes};
  const TextOptions Options = Look.text(Top);
  return writeFile(Output, Format == "json"       ? diffJson(C)
                           : Format == "markdown" ? diffMarkdown(C, Options)
                                                  : diffText(C, Options));
}

} // namespace

Command addDiff(CLI::App &App) {
  auto C = std::make_shared<DiffCommand>();
  CLI::App *Sub = App.add_subcommand(
      "diff", "Compare two runs: findings that are fixed, new or unchanged, and numbers");
  Sub->add_option("before", C->Before, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("after", C->After, "The summary of the second run")
      ->required()
      ->type_name("FILE");
  Sub->add_option("--format", C->Format, "text, json, or markdown for a pull request")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
  Sub->add_option("-o,--output", C->Output, "The file to write, - for the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  Sub->add_option("--top", C->Top, "Findings of each sort, and numbers of kernels, 0 for all")
      ->capture_default_str();
  C->Look.addTo(*Sub);
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
