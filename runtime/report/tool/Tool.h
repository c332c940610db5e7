//===- Tool.h - What the commands of gmreport share ----------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TOOL_TOOL_H
#define GMPROF_REPORT_TOOL_TOOL_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include "report/TextReport.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gmprof::tool {

/// Exit statuses, as for grep and diff: 1 is about the input, 2 about the usage.
enum Exit { Ok = 0, BadInput = 1, BadUsage = 2, CheckFailed = 3, Stopped = 130 };

/// Says one line, whatever is in the names that it quotes.
int fail(Exit Status, const std::string &Message);

/// To the standard output. A reader that has seen enough (head, a pager) is no error.
int print(const std::string &Text);

/// Output: - for the standard output. Write returns whether all was written.
int writeFile(const std::string &Output, const std::function<bool(std::FILE *)> &Write);
int writeFile(const std::string &Output, const std::string &Text);

/// Path: of a summary.json, or its folder.
std::filesystem::path folderOf(const std::string &Path);

/// What the event log that a summary names says. What: is to be made of it.
Result<profile::Profile> profileOf(const std::string &Path, const char *What);

inline constexpr char SummaryHelp[] = "The summary.json that 'gmprof run' wrote, or its folder";
inline constexpr char KernelHelp[] =
    "Only kernels whose name contains a match of this regular expression";

/// How text looks: --color and --width.
struct Style {
  std::string Color = "auto";
  unsigned Width = 0; ///< 0: the terminal's

  void addTo(CLI::App &Command);
  /// Top: as TextOptions has it.
  TextOptions text(unsigned Top = 0) const;
};

/// A subcommand, and what it does when its options have been read.
struct Command {
  CLI::App *Options;
  std::function<int()> Run;
};

/// Each adds the subcommand of its name to App; gmreport without any is a report.
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
Command addMerge(CLI::App &App);
Command addPerfetto(CLI::App &App);
Command addSimulate(CLI::App &App);
Command addSpeedscope(CLI::App &App);
Command addSql(CLI::App &App);
/// The options are App's own.
Command addReport(CLI::App &App);

} // namespace gmprof::tool

#endif // GMPROF_REPORT_TOOL_TOOL_H
