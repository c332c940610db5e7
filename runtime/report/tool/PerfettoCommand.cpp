//===- PerfettoCommand.cpp - gmreport perfetto ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Progress.h"
#include "report/files/ResultFolder.h"
#include "report/formats/PerfettoTrace.h"
#include "report/tool/Tool.h"
#include <memory>
#include <optional>

namespace gmprof::tool {
namespace {

struct PerfettoCommand {
  std::string Path, Output = "trace.json";
  PerfettoOptions Options;
  bool Flows = true;
  CLI::Option *FlowsGiven = nullptr; ///< if not given, the number of calls decides

  int run();
};

int PerfettoCommand::run() {
  const Result<ResultFolder> Results = ResultFolder::open(Path);
  if (!Results)
    return fail(BadInput, Results.error());
  const Result<profile::Profile> P = Results->profile("the trace is");
  if (!P)
    return fail(BadInput, P.error());
  progress("putting calls in order");
  const analysis::ObjectAnalysis Objects = analysis::analyzeObjects(*P);
  const size_t Calls = Objects.Trace.Apis.size();
  Options.Flows = *FlowsGiven ? Flows : Calls <= MaxApisWithFlows;
  const int Status = writeFile(
      Output, [&](std::FILE *To) { return writePerfettoTrace(*P, Objects, To, Options); });
  if (Status != Ok || Output == "-")
    return Status;
  std::printf("wrote %s: open it with https://ui.perfetto.dev or chrome://tracing\n",
              Output.c_str());
  if (!Options.Flows && !*FlowsGiven)
    std::printf("it has no arrows from its %zu calls to objects: --flows adds them\n", Calls);
  return Ok;
}

} // namespace

Command addPerfetto(CLI::App &App) {
  auto C = std::make_shared<PerfettoCommand>();
  CLI::App *Sub = App.add_subcommand(
      "perfetto", "Write a timeline for https://ui.perfetto.dev and chrome://tracing");
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("-o,--output", C->Output, "The file to write, - for the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  C->FlowsGiven =
      Sub->add_flag("--flows,!--no-flows", C->Flows,
                    "Draw arrows from calls to objects, or not, for a smaller file; default: "
                    "with up to 250,000 calls");
  Sub->add_option("--object-tracks", C->Options.ObjectTracks,
                  "Objects with a track of their own, the largest; the others share some")
      ->capture_default_str();
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
