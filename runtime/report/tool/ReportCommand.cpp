//===- ReportCommand.cpp - gmreport without a subcommand ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/SummaryFilter.h"
#include "report/SummaryJson.h"
#include "report/tool/Tool.h"
#include <memory>

namespace gmprof::tool {
namespace {

struct ReportCommand {
  std::string Path, Format = "text", Kernel;
  unsigned Top = 10;
  Style Look;

  int run();
};

int ReportCommand::run() {
  Result<summary::Summary> Summary = readSummary(Path);
  if (!Summary)
    return fail(BadInput, Summary.error());
  if (!Kernel.empty()) {
    Summary = keepKernels(std::move(*Summary), Kernel);
    if (!Summary)
      return fail(BadInput, Summary.error());
  }
  if (Format == "json")
    return print(toJson(*Summary));
  return print(textReport(*Summary, Look.text(Top)));
}

} // namespace

Command addReport(CLI::App &App) {
  auto C = std::make_shared<ReportCommand>();
  App.add_option("summary", C->Path, SummaryHelp);
  App.add_option("--format", C->Format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  App.add_option("--kernel", C->Kernel, KernelHelp);
  App.add_option("--top", C->Top, "Kernels and findings to show, 0 for all")->capture_default_str();
  C->Look.addTo(App);
  return {&App, [C] { return C->run(); }};
}

} // namespace gmprof::tool
