//===- HtmlCommand.cpp - gmreport html ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ApiTraceBuilder.h"
#include "profile/Progress.h"
#include "report/files/ResultFolder.h"
#include "report/page/HeatPage.h"
#include "report/page/PageSource.h"
#include "report/page/PageTimeline.h"
#include "report/page/WebPage.h"
#include "report/tool/Tool.h"
#include <filesystem>
#include <memory>

namespace gmprof::tool {
namespace {

struct HtmlCommand {
  std::string Path, Output = "report.html";
  bool Source = true;

  int run() const;
};

/// Adds the sections from the event log, or the reason why they are missing.
void addFromLog(const ResultFolder &Results, std::vector<PageSection> &Sections,
                std::vector<std::string> &NotShown) {
  const summary::Summary &S = Results.summary();
  const Result<SyncStages> Stages = Results.stages();
  const SyncStageRun *Run = Stages ? Stages->find("memory") : nullptr;
  if (!Run) {
    NotShown.push_back("Memory over time, calls and heat maps: " +
                       (S.processes ? "the page of a process shows its own: gmreport html " +
                                          S.processes->list.front().path
                        : Stages    ? "the summary names no event log."
                                    : Stages.error() + "."));
    return;
  }
  const profile::Profile &P = Run->Content;
  progress("putting calls in order");
  {
    const profile::ApiTrace Trace = buildApiTrace(P);
    Sections.push_back({"memory", pageMemory(P, Trace, S)});
    if (!S.sync)
      Sections.push_back({"calls", pageCalls(P, Trace)});
  }
  if (S.sync) {
    const analysis::SyncRuns Runs = syncRuns(P, Stages->Runs.size() > 1 ? &*Stages : nullptr);
    Sections.push_back({"calls", pageSyncCalls(Runs)});
  }
  if (P.Heat.empty())
    return;
  progress("drawing heat maps");
  const Result<std::vector<HeatLaunch>> Launches = heatViews(P, {});
  SourceText Text(P.TheRun.StartUnixNs);
  if (Launches)
    Sections.push_back({"heat", heatPageData(*Launches, HeatOf::All, "", Text)});
  else
    NotShown.push_back("Heat maps: " + Launches.error() + ".");
}

int HtmlCommand::run() const {
  const Result<ResultFolder> Results = ResultFolder::open(Path);
  if (!Results)
    return fail(BadInput, Results.error());
  const summary::Summary &Summary = Results->summary();
  std::error_code Ignored;
  std::vector<std::string> NotShown;
  std::vector<PageSection> Sections;
  addFromLog(*Results, Sections, NotShown);
  if (Source) {
    SourceText Text(startUnixNs(Summary.run));
    Sections.push_back({"source", pageSource(Summary, Text)});
  } else {
    NotShown.emplace_back("The source was left out (--no-source).");
  }
  for (PageSection &Each :
       pageSections(Summary, NotShown, std::filesystem::current_path(Ignored).string()))
    Sections.push_back(std::move(Each));
  const int Status = writeFile(Output, [&](std::FILE *To) { return writeWebPage(Sections, To); });
  if (Status == Ok && Output != "-")
    std::printf("wrote %s: open it with a web browser\n", Output.c_str());
  return Status;
}

} // namespace

Command addHtml(CLI::App &App) {
  auto C = std::make_shared<HtmlCommand>();
  CLI::App *Sub =
      App.add_subcommand("html", "Write the whole report as one web page that needs no network");
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("-o,--output", C->Output, "The file to write, - for the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  Sub->add_flag("--source,!--no-source", C->Source,
                "Include the source around the named lines, or leave it out");
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
