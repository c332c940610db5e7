//===- RunSummary.h - The run and its devices -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_RUNSUMMARY_H
#define GMPROF_REPORT_BUILDER_RUNSUMMARY_H

#include "profile/Profile.h"
#include "report/model/Summary.h"
#include <optional>

namespace gmprof {

/// Fills schema, tool, config, run and devices[]. ExitStatus: of the program; none: taken from the
/// event log.
void addRun(const profile::Profile &P, std::optional<int> ExitStatus, summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_RUNSUMMARY_H
