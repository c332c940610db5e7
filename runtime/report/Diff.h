//===- Diff.h - What changed from one run to the next --------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings are the same where their fingerprints are; several with the same one are paired in
// the order of their summaries.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_DIFF_H
#define GMPROF_REPORT_DIFF_H

#include "report/Measures.h"
#include "report/Summary.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gmprof {

struct MeasureChange {
  Measure Of; ///< its value is not used
  std::optional<double> Before, After;

  bool changed() const { return Before != After; }
};

/// Points into the two summaries.
struct SummaryDiff {
  std::vector<const summary::Finding *> Fixed, New;
  std::vector<std::pair<const summary::Finding *, const summary::Finding *>> Unchanged;
  std::vector<MeasureChange> Measures;
  /// What makes the comparison less than it seems.
  std::vector<std::string> Notes;
};

/// Which of a summary's findings the other one has, too, by index: those of A and of B that are
/// the same.
std::vector<std::pair<size_t, size_t>> sameFindings(const summary::Summary &A,
                                                    const summary::Summary &B);

/// What a summary profiles: shared, global, sync and so on; empty: not known.
std::string profileKind(const summary::Summary &S);

/// It is an error to compare profiles of different kinds.
Result<SummaryDiff> diff(const summary::Summary &Before, const summary::Summary &After);

} // namespace gmprof

#endif // GMPROF_REPORT_DIFF_H
