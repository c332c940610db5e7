//===- ReportCommand.cpp - gmreport without a subcommand ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/FindingsCsv.h"
#include "report/model/SummaryFilter.h"
#include "report/model/SummaryJson.h"
#include "report/tool/Tool.h"
#include <memory>
#include <optional>

namespace gmprof::tool {
namespace {

struct ReportCommand {
  std::string Path, Format = "text", Kernel, MinSaving;
  FindingFilter Findings;
  bool Details = false;
  std::optional<unsigned> Top;
  Style Look;

  Result<summary::Summary> filtered(summary::Summary S);
  int run();
};

Result<summary::Summary> ReportCommand::filtered(summary::Summary S) {
  Result<summary::Summary> Kept = std::move(S);
  if (!Kernel.empty())
    Kept = keepKernels(std::move(*Kept), Kernel);
  return Kept ? keepFindings(std::move(*Kept), Findings) : Kept;
}

int ReportCommand::run() {
  if (!MinSaving.empty()) {
    Result<Quantity> Least = parseQuantity(MinSaving);
    if (!Least)
      return fail(BadUsage, "--min-saving: " + Least.error());
    Findings.MinSaving = *Least;
  }
  Result<summary::Summary> Summary =
      readSummary(Path, Format == "json" ? SummaryText::AsItIs : SummaryText::Printable);
  if (!Summary)
    return fail(BadInput, Summary.error());
  const size_t All = Summary->findings.size();
  Summary = filtered(std::move(*Summary));
  if (!Summary)
    return fail(BadInput, Summary.error());
  TextOptions Options = Look.text(Top.value_or(10));
  Options.FitScreen = !Top;
  Options.LeftOut = All - Summary->findings.size();
  Options.Path = Path;
  if (Format == "json")
    return print(toJson(*Summary));
  if (Format == "csv")
    return print(findingsCsv(*Summary));
  if (Format == "markdown")
    return print(markdownReport(*Summary, Options));
  return print(Details ? textReport(*Summary, Options) : textOverview(*Summary, Options));
}

} // namespace

Command addReport(CLI::App &App) {
  auto C = std::make_shared<ReportCommand>();
  App.add_option("summary", C->Path, SummaryHelp)->type_name("FILE");
  App.add_flag("--details", C->Details,
               "Show everything: each kernel with its arrays and allocations, memory, waits");
  App.add_option(
         "--format", C->Format,
         "text; json: the filtered summary; csv: one line per finding; markdown: for a pull "
         "request")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}))
      ->capture_default_str();
  App.add_option("--kernel", C->Kernel, KernelHelp)->type_name("REGEX");
  App.add_option("--pattern", C->Findings.Pattern,
                 "Only findings whose pattern/kind contains a match of this regular expression")
      ->type_name("REGEX");
  App.add_option("--object", C->Findings.Object,
                 "Only findings about variables whose name contains a match of this one")
      ->type_name("REGEX");
  App.add_option("--min-saving", C->MinSaving, "Only findings whose fix saves as much: 64KiB, 1ms")
      ->type_name("AMOUNT");
  App.add_option(
      "--top", C->Top,
      "Findings to show (with --details also kernels), 0 for all; default: as many as fit "
      "on a screen, 10 with --details");
  C->Look.addTo(App);
  return {&App, [C] { return C->run(); }};
}

} // namespace gmprof::tool
