//===- Diff.h - Compares two runs -------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings are matched by fingerprint; several with the same one are paired in the order of their
// summaries.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_DIFF_H
#define GMPROF_REPORT_CHECK_DIFF_H

#include "report/model/Measures.h"
#include "report/model/Summary.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gmprof {

struct MeasureChange {
  Measure Of; ///< the value is unused
  std::optional<double> Before, After;

  bool changed() const { return Before != After; }
};

/// Points into the two summaries.
struct SummaryDiff {
  std::vector<const summary::Finding *> Fixed, New;
  std::vector<std::pair<const summary::Finding *, const summary::Finding *>> Unchanged;
  std::vector<MeasureChange> Measures;
  /// Limits of the comparison.
  std::vector<std::string> Notes;
};

/// Returns pairs of indices of findings that A and B share.
std::vector<std::pair<size_t, size_t>> sameFindings(const summary::Summary &A,
                                                    const summary::Summary &B);

/// Compares two summaries. Fails if the profiles are of different kinds.
Result<SummaryDiff> diff(const summary::Summary &Before, const summary::Summary &After);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_DIFF_H
