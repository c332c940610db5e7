//===- Analyze.h - All analyses of a profile --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ANALYZE_H
#define GMPROF_ANALYSIS_ANALYZE_H

#include "analysis/Finding.h"
#include "analysis/KernelTimes.h"
#include "analysis/cache/PoorCacheLocality.h"
#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/heat/HeatUse.h"
#include "analysis/objects/ObjectAnalysis.h"
#include "analysis/shared/SharedMemoryUse.h"
#include "analysis/sync/SyncProblems.h"
#include "cache/Simulator.h"
#include <vector>

namespace gmprof::analysis {

/// Input of the analyses in addition to the profile.
struct AnalysisInput {
  /// The runs of a profile of synchronisation. Nothing is analysed if there is no trace.
  SyncRuns Sync;
  const cache::SimulationResults *Caches = nullptr;      ///< null: the caches were not simulated
  const std::vector<CachePrediction> *Changes = nullptr; ///< simulated changes; null: none
};

/// Results of all analyses of a profile; empty where the profile has no data for one.
struct Analyses {
  std::vector<KernelSharedUse> Shared;
  std::vector<KernelGlobalUse> Global;
  std::vector<LaunchHeat> Heat; ///< ordered by kernel
  std::vector<KernelCacheUse> Caches;
  ObjectAnalysis Objects;
  SyncProblems Sync;
  /// By kernel; empty if there are none.
  std::vector<std::optional<KernelTime>> KernelTimes;
  std::vector<Finding> Findings; ///< of all patterns, in no order
};

/// Runs all analyses.
Analyses analyze(const profile::Profile &P, const AnalysisInput &In = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ANALYZE_H
