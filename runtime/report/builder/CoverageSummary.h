//===- CoverageSummary.h - Coverage of a profile ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_COVERAGESUMMARY_H
#define GMPROF_REPORT_BUILDER_COVERAGESUMMARY_H

#include "analysis/Analyze.h"
#include "report/builder/CacheProfile.h"
#include "report/model/Summary.h"
#include <optional>

namespace gmprof {

/// Fills S.coverage. S has its run and kernels. Caches: null without a profile of caches.
void addCoverage(const profile::Profile &P, const analysis::Analyses &Found,
                 const CacheProfile *Caches, std::optional<summary::ObjectCoverage> Objects,
                 summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_COVERAGESUMMARY_H
