//===- Run.h - The run and recover commands ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_RUN_H
#define GMPROF_TOOL_GMPROF_RUN_H

#include <map>
#include <string>
#include <vector>

namespace gmprof::host {

/// Exit statuses of gmprof itself; in other cases it exits with the program's status.
enum ExitStatus {
  ExitOwnFailure = 1,
  ExitUsage = 2,
  ExitCannotRun = 126,
  ExitNotFound = 127,
};

struct RunCommand {
  /// Options of the command line in the form of GMPROF_OPTIONS: key=value.
  std::vector<std::string> Options;
  std::vector<std::string> Program;
  bool Full = false; ///< run the program once for each group of profiles, and combine the summaries
  bool PlaceBlocks = false; ///< trace blocks where a run without a trace has them
  /// Values of options by key, where they are words.
  std::map<std::string, std::vector<std::string>> Choices = {};
};

int runProgram(const RunCommand &Command);

int recoverLog(const std::string &LogPath, const std::string &OutputPath);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_RUN_H
