//===- DiffReport.h - Changes as text, JSON and Markdown --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_DIFFREPORT_H
#define GMPROF_REPORT_CHECK_DIFFREPORT_H

#include "report/check/Diff.h"
#include "report/text/TextReport.h"

namespace gmprof {

/// Two summaries and their differences.
struct Comparison {
  const summary::Summary &Before, &After;
  const SummaryDiff &Changes;
};

/// Return the comparison as text. Options.Top limits the findings of each kind, and the measures of
/// kernels and objects.
std::string diffText(const Comparison &C, const TextOptions &Options);
/// Suits comments on pull requests.
std::string diffMarkdown(const Comparison &C, const TextOptions &Options);
/// Returns format gmprof.diff/1, see docs/report.md.
std::string diffJson(const Comparison &C);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_DIFFREPORT_H
