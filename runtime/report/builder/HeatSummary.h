//===- HeatSummary.h - Heat profiles in summary.json ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contains numbers only; 'gmreport heat' reads the maps from the event log.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_HEATSUMMARY_H
#define GMPROF_REPORT_BUILDER_HEATSUMMARY_H

#include "analysis/heat/HeatUse.h"
#include "report/model/Summary.h"
#include <functional>
#include <span>

namespace gmprof {

/// Functions that return indices in objects[].
struct HeatObjects {
  std::function<uint32_t(uint64_t)> OfId; ///< profile::Object::Id
  std::function<uint32_t(const analysis::ArrayHeat &)> OfArray;
};

/// Sums all sampled launches of one kernel.
summary::HeatUse heatSummary(std::span<const analysis::LaunchHeat> Launches,
                             const HeatObjects &Objects);

/// Returns the number of blocks of a launch that its context was to record.
uint64_t blocksSelected(const profile::HeatContext &C, const profile::Launch &L);

/// Adds the coverage of all sampled launches.
void addHeatCoverage(const profile::Profile &P, const std::vector<analysis::LaunchHeat> &Uses,
                     summary::Coverage &To);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_HEATSUMMARY_H
