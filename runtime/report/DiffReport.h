//===- DiffReport.h - What changed, as text, JSON and Markdown  -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_DIFFREPORT_H
#define GMPROF_REPORT_DIFFREPORT_H

#include "report/Diff.h"
#include "report/TextReport.h"

namespace gmprof {

/// Two summaries, and what changed between them.
struct Comparison {
  const summary::Summary &Before, &After;
  const SummaryDiff &Changes;
};

/// Options.Top is of findings of each kind, and of numbers of kernels and objects.
std::string diffText(const Comparison &C, const TextOptions &Options);
/// For a pull request.
std::string diffMarkdown(const Comparison &C, const TextOptions &Options);
/// gmprof.diff/1, as docs/report.md says.
std::string diffJson(const Comparison &C);

} // namespace gmprof

#endif // GMPROF_REPORT_DIFFREPORT_H
