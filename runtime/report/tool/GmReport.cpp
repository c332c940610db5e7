//===- GmReport.cpp - The gmreport command --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Manual.h"
#include "cli/Output.h"
#include "cli/StatusLine.h"
#include "cli/Suggestion.h"
#include "report/files/SizeLimitSignal.h"
#include "report/files/UnfinishedFile.h"
#include "report/tool/Tool.h"

using namespace gmprof::tool;

int main(int Argc, char **Argv) {
  CLI::App App("Shows the findings of a profiled run, their cost and their fixes.", "gmreport");
  App.set_version_flag("--version", "gmreport " GMPROF_VERSION);
  const Command Report = addReport(App);
  const Command Subcommands[] = {
      addAnnotate(App),   addCache(App),   addCheck(App),      addCsv(App),      addDiff(App),
      addExplain(App),    addExplore(App), addFlameGraph(App), addHeat(App),     addHtml(App),
      addMemory(App),     addMerge(App),   addPerfetto(App),   addSimulate(App), addSnapshot(App),
      addSpeedscope(App), addSql(App)};
  gmprof::cli::addManual(
      App,
      {{"Examples",
        "The findings on one screen; how the first was found; everything; what changed:\n"
        "  gmreport prof\n"
        "  gmreport explain 1 prof\n"
        "  gmreport prof --details --top 0\n"
        "  gmreport diff before after\n"
        "In CI: fail on new findings, and on a budget:\n"
        "  gmreport check prof --baseline main.json --fail-on low --fail-on 'peak<2GiB'"},
       {"Exit status", "0; 1: the input cannot be read or is no summary; 2: invalid options; 3: a "
                       "check failed; 130: interrupted, no partial file remains."},
       {"Environment",
        "NO_COLOR: no colours, unless --color=always. COLUMNS, LINES: the size of the "
        "screen instead of the terminal's."},
       {"See also", "gmprof(1); docs/report.md and docs/patterns.md of GMProf."}});
  const std::vector<std::string> Arguments(Argv + 1, Argv + Argc);
  try {
    App.parse(Argc, Argv);
  } catch (const CLI::Success &E) { // --help, --version
    const std::string Error = gmprof::cli::printAnswer(App, E);
    return Error.empty() ? Ok : fail(BadInput, Error);
  } catch (const CLI::ParseError &E) {
    return fail(BadUsage,
                gmprof::cli::usageError(App, Arguments, E) + gmprof::cli::helpOf(App, Arguments));
  }
  gmprof::endWhenInterrupted("gmreport: interrupted\n");
  const gmprof::NoSizeLimitSignal Guard;
  gmprof::cli::showProgressOf("gmreport");
  for (const Command &C : Subcommands)
    if (*C.Options)
      return C.Run();
  if (App.get_option("summary")->empty())
    return fail(BadUsage, "name a summary: gmreport prof (see gmreport --help)");
  if (const std::string Meant =
          gmprof::cli::suggestUsage(App, App.get_option("summary")->results());
      !Meant.empty())
    return fail(BadUsage, Meant + " (see gmreport --help)");
  return Report.Run();
}
