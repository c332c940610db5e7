//===- CacheView.h - What caches did, to be shown ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over the cells of a simulation: by object and by line, of one launch or of several. As
// cells are disjoint, the sums of any view's rows are those of the whole (von Buelow et al.,
// Equations 3 to 5).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CACHEVIEW_H
#define GMPROF_REPORT_CACHEVIEW_H

#include "cache/Simulator.h"
#include "profile/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

struct CacheRow {
  std::string Name;
  int32_t Key = 0; ///< of an object: Cell::Object
  cache::AccessCounts Counts;
  /// Standard errors of the hit rates, if lines were sampled.
  std::optional<double> L1Error, L2Error;
  cache::GroupCounts Groups = {};
};

struct CacheView {
  std::vector<CacheRow> Objects, Lines; ///< those with most transactions first
  CacheRow Whole;
};

struct CacheChoice {
  std::string Kernel;  ///< a regular expression; empty: all
  uint32_t Launch = 0; ///< 1 and so on; 0: all
};

/// Launches that match; an error if none does.
Result<std::vector<uint32_t>> chosenLaunches(const cache::SimulationResults &R,
                                             const CacheChoice &Choice);

CacheView cacheView(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches);

/// Adds what a cell has. When all are added, findErrors is due.
void addCell(CacheRow &To, const cache::SimulationResults &R, size_t Cell);
void findErrors(CacheRow &Row, const cache::SimulationResults &R);
/// Of an object: Cell::Object.
std::string cacheObjectName(const cache::SimulationResults &R, int32_t Object);

/// 0 where nothing was looked up.
double hitRate(uint64_t Hits, uint64_t Lookups);
/// Bytes that lanes asked for, of those of the sectors.
double coalescingEfficiency(const cache::AccessCounts &C);

} // namespace gmprof

#endif // GMPROF_REPORT_CACHEVIEW_H
