//===- HeatSummary.h - Heat profiles in summary.json ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers only: the maps themselves stay in the event log, where 'gmreport heat' finds them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_HEATSUMMARY_H
#define GMPROF_REPORT_HEATSUMMARY_H

#include "analysis/HeatUse.h"
#include "report/Summary.h"
#include <functional>
#include <span>

namespace gmprof {

/// What gives indices in objects[].
struct HeatObjects {
  std::function<uint32_t(uint64_t)> OfId; ///< profile::Object::Id
  std::function<uint32_t(const analysis::ArrayHeat &)> OfArray;
};

/// Of all launches of one kernel that were noted.
summary::HeatUse heatSummary(std::span<const analysis::LaunchHeat> Launches,
                             const HeatObjects &Objects);

/// Blocks of a launch that its context was to note.
uint64_t blocksSelected(const profile::HeatContext &C, const profile::Launch &L);

/// Of all launches that were noted.
void addHeatCoverage(const profile::Profile &P, const std::vector<analysis::LaunchHeat> &Uses,
                     summary::Coverage &To);

} // namespace gmprof

#endif // GMPROF_REPORT_HEATSUMMARY_H
