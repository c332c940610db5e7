//===- CombineRuns.h - Runs of one program in one summary -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines the summaries of `gmprof run --full`, which runs a program several times with different
// profiles. Only runs that made the same allocations and launches can be combined; Merge.h
// combines different processes instead.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_COMBINERUNS_H
#define GMPROF_REPORT_CHECK_COMBINERUNS_H

#include "report/model/Summary.h"
#include <string>

namespace gmprof {

/// Returns how the runs differ, in one sentence without a full stop; empty if they made the same
/// allocations and launches and ended in the same way.
std::string differenceOfRuns(const summary::Summary &A, const summary::Summary &B);

/// Adds the measurements and findings of Other to To. Requires that the runs do not differ. Other's
/// objects and kernels are mapped to those of To. Folder: the path from To's folder to Other's.
/// Tables of counts are not taken over, because they have the numbers of Other's objects.
void combineRuns(summary::Summary &To, summary::Summary Other, const std::string &Folder);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_COMBINERUNS_H
