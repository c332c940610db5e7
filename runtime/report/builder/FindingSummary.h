//===- FindingSummary.h - Findings ------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_FINDINGSUMMARY_H
#define GMPROF_REPORT_BUILDER_FINDINGSUMMARY_H

#include "analysis/Finding.h"
#include "report/builder/ObjectsSummary.h"
#include "report/builder/SharedSummary.h"
#include "report/model/Summary.h"
#include <vector>

namespace gmprof {

/// Adds ranked findings to findings[]. Global and Shared find their objects in objects[].
void addFindings(const profile::Profile &P, const std::vector<analysis::Finding> &Findings,
                 ObjectsSummary &Global, const SharedSummary &Shared, summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_FINDINGSUMMARY_H
