//===- Tool.h - Functions shared by gmreport's commands ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TOOL_TOOL_H
#define GMPROF_REPORT_TOOL_TOOL_H

#include "report/text/TextReport.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace gmprof::tool {

/// Exit statuses like those of grep and diff: 1 for bad input, 2 for bad usage.
enum Exit { Ok = 0, BadInput = 1, BadUsage = 2, CheckFailed = 3, Stopped = 130 };

/// Prints an error as one line, with control characters replaced.
int fail(Exit Status, const std::string &Message);

/// Writes to the standard output. A reader that closes it early (head, a pager) is no error.
int print(const std::string &Text);

/// Writes a file. Output: a path, or - for the standard output. Write returns false if writing
/// failed.
int writeFile(const std::string &Output, const std::function<bool(std::FILE *)> &Write);
int writeFile(const std::string &Output, const std::string &Text);

inline constexpr char SummaryHelp[] = "The summary.json that 'gmprof run' wrote, or its folder";
inline constexpr char KernelHelp[] =
    "Only kernels whose name contains a match of this regular expression";

/// Style of text: --color and --width.
struct Style {
  std::string Color = "auto";
  unsigned Width = 0; ///< 0: that of the terminal

  void addTo(CLI::App &Command);
  /// Returns the options of text. Top: see TextOptions.
  TextOptions text(unsigned Top = 0) const;
};

/// A subcommand, and the function to run after parsing.
struct Command {
  CLI::App *Options;
  std::function<int()> Run;
};

/// Adds the subcommand of its name to App.
Command addAnnotate(CLI::App &App);
Command addCache(CLI::App &App);
Command addCheck(CLI::App &App);
Command addCsv(CLI::App &App);
Command addDiff(CLI::App &App);
Command addExplain(CLI::App &App);
Command addExplore(CLI::App &App);
Command addFlameGraph(CLI::App &App);
Command addHeat(CLI::App &App);
Command addHtml(CLI::App &App);
Command addMemory(CLI::App &App);
Command addMerge(CLI::App &App);
Command addPerfetto(CLI::App &App);
Command addSimulate(CLI::App &App);
Command addSnapshot(CLI::App &App);
Command addSpeedscope(CLI::App &App);
Command addSql(CLI::App &App);
/// Adds the report, whose options are App's own.
Command addReport(CLI::App &App);

} // namespace gmprof::tool

#endif // GMPROF_REPORT_TOOL_TOOL_H
