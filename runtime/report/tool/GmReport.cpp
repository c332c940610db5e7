//===- GmReport.cpp - The gmreport command --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/tool/Tool.h"

using namespace gmprof::tool;

int main(int Argc, char **Argv) {
  CLI::App App(
      "Shows what GMProf found in a run: what each kernel did with its memory, and what to "
      "change.");
  App.set_version_flag("--version", "gmreport " GMPROF_VERSION);
  const Command Report = addReport(App);
  const Command Subcommands[] = {addCache(App), addCheck(App),    addDiff(App),    addExplore(App),
                                 addHeat(App),  addPerfetto(App), addSimulate(App)};
  try {
    App.parse(Argc, Argv);
  } catch (const CLI::Success &E) { // --help, --version
    return App.exit(E);
  } catch (const CLI::ParseError &E) {
    return fail(BadUsage, std::string(E.what()) + " (gmreport --help shows the options)");
  }
  for (const Command &C : Subcommands)
    if (*C.Options)
      return C.Run();
  if (App.get_option("summary")->empty())
    return fail(BadUsage, "summary is required (gmreport --help shows the options)");
  return Report.Run();
}
