//===- PathCommands.cpp - gmreport speedscope and flamegraph --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/SummaryJson.h"
#include "report/tool/Tool.h"
#include "report/views/AllocationPaths.h"
#include <memory>

namespace gmprof::tool {
namespace {

struct PathCommand {
  std::string Path, Output, Of = "peak";

  int speedscope() const;
  int flameGraph() const;
};

int wrote(int Status, const std::string &Output, const char *OpenWith) {
  if (Status == Ok && Output != "-")
    std::printf("wrote %s: open it with %s\n", Output.c_str(), OpenWith);
  return Status;
}

int noPaths(const std::string &Path) {
  return fail(BadInput, "'" + Path +
                            "' has no allocations: what --profile shared and others see of them "
                            "begins with the first kernel, --profile objects sees all");
}

int PathCommand::speedscope() const {
  Result<summary::Summary> Summary = readSummary(Path, SummaryText::Printable);
  if (!Summary)
    return fail(BadInput, Summary.error());
  if (allocationPaths(*Summary, PathsOf::Allocated).empty())
    return noPaths(Path);
  return wrote(writeFile(Output, speedscopeProfile(*Summary)), Output,
               "https://www.speedscope.app");
}

int PathCommand::flameGraph() const {
  Result<summary::Summary> Summary = readSummary(Path, SummaryText::Printable);
  if (!Summary)
    return fail(BadInput, Summary.error());
  const PathsOf Which = Of == "peak"        ? PathsOf::Peak
                        : Of == "allocated" ? PathsOf::Allocated
                                            : PathsOf::NeverReleased;
  if (allocationPaths(*Summary, PathsOf::Allocated).empty())
    return noPaths(Path);
  return wrote(writeFile(Output, flameGraphPage(*Summary, Which)), Output, "a web browser");
}

Command add(CLI::App &App, const char *Name, const char *Help, const char *Output,
            int (PathCommand::*Run)() const, bool HasKinds) {
  auto C = std::make_shared<PathCommand>();
  C->Output = Output;
  CLI::App *Sub = App.add_subcommand(Name, Help);
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  if (HasKinds)
    Sub->add_option("--of", C->Of,
                    "Which memory: in use at the peak, allocated at any time, or leaked (never "
                    "freed)")
        ->check(CLI::IsMember({"peak", "allocated", "leaked"}))
        ->capture_default_str();
  Sub->add_option("-o,--output", C->Output, "The file to write, - for the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  return {Sub, [C, Run] { return (C.get()->*Run)(); }};
}

} // namespace

Command addSpeedscope(CLI::App &App) {
  return add(App, "speedscope", "Write memory by call path for https://www.speedscope.app",
             "speedscope.json", &PathCommand::speedscope, false);
}

Command addFlameGraph(CLI::App &App) {
  return add(App, "flamegraph", "Write memory by call path as a flame graph, a web page",
             "flamegraph.html", &PathCommand::flameGraph, true);
}

} // namespace gmprof::tool
