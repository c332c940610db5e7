//===- ExploreCommand.cpp - gmreport explore ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/StatusLine.h"
#include "report/files/ResultFolder.h"
#include "report/model/RunProfiles.h"
#include "report/text/TextExplorer.h"
#include "report/tool/Tool.h"
#include <csignal>
#include <memory>

namespace gmprof::tool {
namespace {

struct ExploreCommand {
  std::string Path;
  std::string Format;               ///< text, json, or empty to read commands
  SyncSubsequence Part = {0, 1, 0}; ///< no sequence; 0: its end
  Style Look;

  int run();
};

int ExploreCommand::run() {
  const Result<ResultFolder> Results = ResultFolder::open(Path);
  if (!Results)
    return fail(BadInput, Results.error());
  const summary::Summary &Summary = Results->summary();
  if (!Summary.sync || RunProfiles(Summary).syncAtFirstSight())
    return fail(BadInput, "'" + Path +
                              "' has no profile of synchronisation: make one with gmprof run "
                              "--profile sync");
  std::signal(SIGPIPE, SIG_IGN);
  const TextOptions Options = Look.text();
  SubsequenceEstimates Estimates(*Results);
  if (Part.Sequence != 0) {
    if (Part.Last == 0 && Part.Sequence <= Summary.sync->sequences.size())
      Part.Last = Summary.sync->sequences[Part.Sequence - 1].entries.size();
    Result<std::string> Text = Format == "json"
                                   ? subsequenceJson(Summary, Estimates, Part)
                                   : subsequenceText(Summary, Estimates, Part, Options);
    return Text ? print(*Text) : fail(BadInput, Text.error());
  }
  if (!Format.empty())
    return print(Format == "json" ? exploredJson(Summary) : exploredText(Summary, Options));
  cli::clearStatusLine();
  explore(Summary, Estimates, Options, stdin, stdout);
  return Ok;
}

} // namespace

Command addExplore(CLI::App &App) {
  auto C = std::make_shared<ExploreCommand>();
  CLI::App *Sub = App.add_subcommand(
      "explore", "Browse redundant waits and transfers, with commands from the standard input");
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("--format", C->Format, "text or json: write everything and read no commands")
      ->check(CLI::IsMember({"text", "json"}));
  CLI::Option *Part =
      Sub->add_option("--sequence", C->Part.Sequence,
                      "Benefit of fixing a part of this sequence, from line --from to line --to")
          ->check(CLI::PositiveNumber);
  Sub->add_option("--from", C->Part.First, "Its first line")
      ->needs(Part)
      ->check(CLI::PositiveNumber);
  Sub->add_option("--to", C->Part.Last, "Its last line; default: the last")
      ->needs(Part)
      ->check(CLI::PositiveNumber);
  C->Look.addTo(*Sub);
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
