//===- SkipPlanFile.h - Plans of calls to skip ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_SKIPPLANFILE_H
#define GMPROF_REPORT_FILES_SKIPPLANFILE_H

#include "analysis/sync/SyncSkips.h"
#include "profile/Result.h"
#include "report/files/ResultFolder.h"
#include <vector>

namespace gmprof {

/// Plans the calls to skip for findings of a profile of synchronisation.
Result<analysis::SkipPlan> planSkips(const std::vector<const summary::Finding *> &Findings,
                                     const ResultFolder &Results);

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_SKIPPLANFILE_H
