//===- Kernel.cpp - The kernel command ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/Kernel.h"
#include "host/core/DeviceChoice.h"
#include "host/record/Recorder.h"
#include "tool/gmprof/Child.h"
#include "tool/gmprof/Preparation.h"
#include "tool/gmprof/Run.h"

namespace gmprof::host {

int runKernel(const KernelCommand &Command) {
  const std::string Libraries = libraryDirectory(), Program = Libraries + "/gmprof/gmprof-kernel";
  if (Libraries.empty() || access(Program.c_str(), X_OK) != 0)
    return fail(ExitOwnFailure, "gmprof-kernel is not in lib/gmprof/ beside this command's bin/: "
                                "reinstall GMProf");
  std::vector<std::string> Arguments = {Program,
                                        "check",
                                        Command.File,
                                        Command.Entry,
                                        Command.Grid,
                                        Command.Block,
                                        std::to_string(Command.Shared),
                                        Command.Output};
  Arguments.insert(Arguments.end(), Command.Arguments.begin(), Command.Arguments.end());
  const Result<ChildExit> Checked = runChild(
      Program, Arguments,
      environmentWith({"LD_PRELOAD=" + cpuDevicePath(Libraries),
                       std::string("GMPROF_CPU_RACES=") + (Command.Races ? "fail" : "0")}));
  if (!Checked)
    return fail(ExitCannotRun, Checked.error());
  if (Checked->Status != 0 || Command.Profile == "off")
    return Checked->Status;

  RunCommand Run;
  Run.Options = {"device=cpu", "profile=" + Command.Profile, "output=" + Command.Results,
                 "heat-blocks=all"};
  if (Command.Quiet)
    Run.Options.push_back("quiet=1");
  std::string Shown;
  for (const std::string &Word : Command.Shown)
    Shown += (Shown.empty() ? "" : std::string(1, ShownCommandSeparator)) + Word;
  ::setenv(ShownCommandVariable, Shown.c_str(), 1);
  Arguments[1] = "profile";
  Run.Program = std::move(Arguments);
  return runProgram(Run);
}

} // namespace gmprof::host
