//===- CacheView.h - Sums of a cache simulation -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over the cells of a simulation, per object and per line, for one launch or several. As cells
// are disjoint, the rows of each view add up to the total (von Buelow et al., Equations 3 to 5).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_CACHEVIEW_H
#define GMPROF_REPORT_VIEWS_CACHEVIEW_H

#include "cache/Simulator.h"
#include "profile/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

struct CacheRow {
  std::string Name;
  int32_t Key = 0; ///< Cell::Object, in rows of objects
  cache::AccessCounts Counts;
  /// Standard errors of the hit rates if lines were sampled.
  std::optional<double> L1Error, L2Error;
  cache::GroupCounts Groups = {};
};

struct CacheView {
  std::vector<CacheRow> Objects, Lines; ///< those with the most transactions first
  CacheRow Whole;
};

struct CacheChoice {
  std::string Kernel;  ///< a regular expression; empty: all
  uint32_t Launch = 0; ///< one-based; 0: all
};

/// Returns the launches that match; fails if there are none.
Result<std::vector<uint32_t>> chosenLaunches(const cache::SimulationResults &R,
                                             const CacheChoice &Choice);

CacheView cacheView(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches);

/// Adds the counts of a cell. Call findErrors after the last one.
void addCell(CacheRow &To, const cache::SimulationResults &R, size_t Cell);
void findErrors(CacheRow &Row, const cache::SimulationResults &R);
/// Returns the name of a Cell::Object.
std::string cacheObjectName(const cache::SimulationResults &R, int32_t Object);

/// Returns 0 if there were no lookups.
double hitRate(uint64_t Hits, uint64_t Lookups);
/// Returns the bytes that lanes requested over those of the sectors.
double coalescingEfficiency(const cache::AccessCounts &C);

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_CACHEVIEW_H
