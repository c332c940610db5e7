//===- GmReport.cpp - The gmreport command --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Manual.h"
#include "cli/Memory.h"
#include "cli/StatusLine.h"
#include "report/SizeLimitSignal.h"
#include "report/UnfinishedFile.h"
#include "report/tool/Tool.h"

using namespace gmprof::tool;

int main(int Argc, char **Argv) {
  gmprof::cli::keepFreedMemory();
  CLI::App App("Shows what GMProf found in a run of a program, and what to change", "gmreport");
  App.set_version_flag("--version", "gmreport " GMPROF_VERSION);
  const Command Report = addReport(App);
  const Command Subcommands[] = {
      addAnnotate(App), addCache(App),      addCheck(App),      addCsv(App),  addDiff(App),
      addExplore(App),  addFlameGraph(App), addHeat(App),       addHtml(App), addMerge(App),
      addPerfetto(App), addSimulate(App),   addSpeedscope(App), addSql(App)};
  gmprof::cli::addManual(
      App,
      {{"Examples",
        "What is wrong, where and what to do, on one screen; everything; what changed:\n"
        "  gmreport prof\n"
        "  gmreport prof --details --top 0\n"
        "  gmreport diff before after\n"
        "In CI, new findings that are worth acting on, and a budget:\n"
        "  gmreport check prof --baseline main.json --fail-on low --fail-on 'peak<2GiB'"},
       {"Exit status", "0; 1: the input cannot be read or is no summary; 2: mistaken options; 3: a "
                       "check failed; 130: interrupted, and no file was left half written."},
       {"Environment",
        "NO_COLOR: no colours, unless --color=always. COLUMNS, LINES: the size of the "
        "screen, if not the terminal's."},
       {"See also", "gmprof(1); docs/report.md and docs/patterns.md of GMProf."}});
  try {
    App.parse(Argc, Argv);
  } catch (const CLI::Success &E) { // --help, --version
    return App.exit(E);
  } catch (const CLI::ParseError &E) {
    return fail(BadUsage, std::string(E.what()) + " (gmreport --help shows the options)");
  }
  gmprof::endWhenInterrupted("gmreport: interrupted\n");
  const gmprof::NoSizeLimitSignal Guard;
  gmprof::cli::showProgressOf("gmreport");
  for (const Command &C : Subcommands)
    if (*C.Options)
      return C.Run();
  if (App.get_option("summary")->empty())
    return fail(BadUsage, "summary is required (gmreport --help shows the options)");
  return Report.Run();
}
