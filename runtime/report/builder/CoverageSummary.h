//===- CoverageSummary.h - Coverage of a profile ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_COVERAGESUMMARY_H
#define GMPROF_REPORT_BUILDER_COVERAGESUMMARY_H

#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/heat/HeatUse.h"
#include "analysis/shared/SharedMemoryUse.h"
#include "report/builder/CacheProfile.h"
#include "report/model/Summary.h"
#include <optional>
#include <vector>

namespace gmprof {

/// Results of analyses that contain the coverage.
struct Measured {
  const std::vector<analysis::KernelSharedUse> &Uses;
  const std::vector<analysis::KernelGlobalUse> &GlobalUses;
  const std::vector<analysis::LaunchHeat> &HeatUses;
  const CacheProfile *Caches = nullptr; ///< may be null
  std::optional<summary::ObjectCoverage> Objects;
};

/// Fills S.coverage. S has its run and kernels.
void addCoverage(const profile::Profile &P, const Measured &Of, summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_COVERAGESUMMARY_H
