//===- TextReport.h - A summary for the terminal ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the run, its coverage, and, last, where a terminal shows it, the changes to make. In
// between, the report prints each kernel's use of memory, and the overview a few numbers.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_TEXTREPORT_H
#define GMPROF_REPORT_TEXT_TEXTREPORT_H

#include "analysis/Wording.h"
#include "report/model/Summary.h"
#include <string>
#include <utility>
#include <vector>

namespace gmprof {

struct SnapshotView;

struct TextOptions {
  bool Color = false;
  bool Utf8 = false; ///< what prints it can show more than ASCII
  unsigned Width = 100;
  unsigned Lines = 50; ///< that a screen has
  unsigned Top = 10;   ///< kernels and findings to show; 0: all
  /// The overview shows as many findings as fit on a screen, regardless of Top.
  bool FitScreen = false;
  std::string AllFindings = "--top 0"; ///< shows the other findings
  uint64_t LeftOut = 0;                ///< findings that the user did not ask for
  std::string Path; ///< of the summary, for commands that show more; empty: none are named
  /// Absolute path; files below it are named relative to it. Empty: none are.
  std::string Folder;
};

std::string textReport(const summary::Summary &S, const TextOptions &Options);

/// Returns one screen: the run, its coverage, its memory and time with the achievable values, and
/// findings.
std::string textOverview(const summary::Summary &S, const TextOptions &Options);

/// The tables that textMemory prints: one of them, or all.
enum class MemoryBy { Everything, Owner, Line, Library, Tensor };

/// Returns the owners of each device's memory at this moment (summary::MemoryAccount::moment), the
/// call sites and the largest objects. S has memory.
std::string textMemory(const summary::Summary &S, const std::string &Moment, MemoryBy By,
                       const TextOptions &Options);

/// Returns the same of a snapshot of PyTorch's allocator, with its segments and the findings.
std::string textSnapshot(const SnapshotView &Of, MemoryBy By, const TextOptions &Options);

/// Explains in about ten lines how the finding was found: measured values, their references, the
/// source of the method.
std::string explanation(const summary::Summary &S, const summary::Finding &F,
                        const TextOptions &Options);

/// Returns the evidence of a finding as names and values with units: a measured value with its
/// ideal, or with the value after the fix ("sectors per request", "32 (ideal 4)").
std::vector<std::pair<std::string, std::string>> measuredTexts(const summary::Finding &F);

/// The parts of the overview, for reports that are no text.
struct OverviewTexts {
  struct Finding {
    std::string Subject, Cost, Processes;
  };
  std::vector<std::string> Head;
  std::vector<std::string> Missing; ///< kernels or launches that were not profiled
  std::vector<std::pair<std::string, std::string>> Figures;
  std::vector<Finding> Findings; ///< in the order of the summary
  std::vector<size_t> Listed;    ///< indices of the findings to list
  std::string WithoutBenefit;    ///< says how many findings are not listed; empty: none
};
OverviewTexts overviewTexts(const summary::Summary &S, const TextOptions &Options);

/// Returns the report as Markdown, with Top findings.
std::string markdownReport(const summary::Summary &S, const TextOptions &Options);

} // namespace gmprof

#endif // GMPROF_REPORT_TEXT_TEXTREPORT_H
