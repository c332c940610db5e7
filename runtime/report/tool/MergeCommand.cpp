//===- MergeCommand.cpp - gmreport merge ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/StatusLine.h"
#include "report/check/Merge.h"
#include "report/files/ResultWriter.h"
#include "report/files/UnfinishedFile.h"
#include "report/tool/Tool.h"
#include <csignal>
#include <memory>
#include <thread>

namespace gmprof::tool {
namespace {

std::atomic<bool> Interrupted = false;

struct MergeCommand {
  std::vector<std::string> Paths;
  std::string Output = "merged";
  MergeOptions Options;

  int run();
};

int MergeCommand::run() {
  Result<std::vector<std::string>> Summaries = summariesIn(Paths);
  if (!Summaries)
    return fail(BadInput, Summaries.error());
  if (Options.Threads == 0)
    Options.Threads = std::max(std::thread::hardware_concurrency(), 1u);
  // The first interrupt merges what was read so far; the second ends the process.
  Options.Stop = &Interrupted;
  struct sigaction Action = {};
  Action.sa_handler = [](int) {
    Interrupted = true;
    endWhenInterrupted("gmreport: interrupted\n");
  };
  Action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &Action, nullptr);
  Result<summary::Summary> Merged = mergeSummaries(*Summaries, Options);
  if (!Merged)
    return fail(BadInput, Merged.error());
  const size_t Count = Merged->processes->list.size();
  const Result<std::string> Written = writeMergedSummary(std::move(*Merged), Output);
  if (!Written)
    return fail(BadInput, Written.error());
  cli::clearStatusLine();
  std::printf("wrote %s, of %zu processes%s: gmreport %s shows it\n", Written->c_str(), Count,
              Count < Summaries->size() ? ", but not of all" : "", Output.c_str());
  return Interrupted ? Stopped : Ok;
}

} // namespace

Command addMerge(CLI::App &App) {
  auto C = std::make_shared<MergeCommand>();
  CLI::App *Sub = App.add_subcommand(
      "merge", "Merge the summaries of many processes, such as the ranks of an MPI job");
  Sub->add_option("summaries", C->Paths,
                  "Summaries, or folders with one or with folders that have one")
      ->required()
      ->type_name("FILE");
  Sub->add_option("-o,--output", C->Output, "The folder for the merged summary")
      ->type_name("DIR")
      ->capture_default_str();
  Sub->add_flag("--skip-broken", C->Options.SkipBroken,
                "Leave out unreadable summaries, and list them in the merged one");
  Sub->add_option("--jobs", C->Options.Threads, "Summaries to read at a time; 0: as many as cores")
      ->check(CLI::Range(0u, 256u));
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
