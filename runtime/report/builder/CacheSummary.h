//===- CacheSummary.h - Simulated caches in summary.json --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over the cells of a simulation. Cells are disjoint: the sums of objects add up to the total,
// and so do those of lines, kernels and launches (von Buelow et al., Equations 3 to 5).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_CACHESUMMARY_H
#define GMPROF_REPORT_BUILDER_CACHESUMMARY_H

#include "cache/Simulator.h"
#include "profile/Profile.h"
#include "report/model/Summary.h"
#include <functional>
#include <string>

namespace gmprof {

/// Header of cache_accesses.csv.
inline constexpr char CacheAccessesHeader[] =
    "kernel,object,file,line,access,requests,sectors,bytes_used,l1_lookups,l1_hits,lost_to_fences,"
    "l2_reads,l2_writes,l2_atomics,l2_hits,fetched_again,fetched_again_by_block,"
    "dram_reads,dram_writes,"
    "dram_reads_again\n";

/// Maximum number of lines of cache_accesses.csv per run; those with the most sectors are kept.
inline constexpr size_t MaxCacheLines = size_t(1) << 16;

struct CacheSummary {
  summary::Cache Content;
  std::string Lines; ///< of cache_accesses.csv
  uint64_t LinesOmitted = 0;
};

/// Returns the object in objects[] with a profile::Object::Id, or null.
using CacheObjectOf = std::function<const summary::Object *(uint64_t)>;

CacheSummary cacheSummary(const profile::Profile &P, const cache::SimulationResults &R,
                          const CacheObjectOf &ObjectOf);

/// Adds the parts of the run that the trace does not cover.
void addCacheCoverage(const profile::Profile &P, const cache::SimulationResults &R,
                      summary::Coverage &To);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_CACHESUMMARY_H
