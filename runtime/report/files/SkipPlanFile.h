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
#include "report/model/Summary.h"
#include <string>

namespace gmprof {

/// Plans for findings of the summary, whose event logs are in Directory.
Result<analysis::SkipPlan> planSkips(const std::vector<const summary::Finding *> &Findings,
                                     const summary::Summary &S, const std::string &Directory);

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_SKIPPLANFILE_H
