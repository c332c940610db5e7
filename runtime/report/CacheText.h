//===- CacheText.h - What caches did, for the terminal ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CACHETEXT_H
#define GMPROF_REPORT_CACHETEXT_H

#include "report/CacheView.h"
#include "report/TextReport.h"

namespace gmprof {

/// The GPU, then for all launches, and for each where there are several: objects and lines.
std::string cacheText(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches,
                      const TextOptions &Options);

/// Figure 4 of von Buelow et al.: for each row a bar of its hit rate, and marks of its share
/// of the transactions and of its coalescing efficiency.
std::string cacheChart(const std::vector<CacheRow> &Rows, const CacheRow &Whole,
                       const TextOptions &Options);

/// What a change of the program makes of its traffic, of all and of each object. What: the
/// change.
std::string cacheComparison(const CacheView &Before, const CacheView &After,
                            const std::string &What, const TextOptions &Options);

/// Sizes and policies of the caches, in a line.
std::string cacheGeometry(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches);

/// How much of launches is in their trace that reached its limit (cache::TraceLaunchEnd).
std::string limitedTrace(uint64_t Blocks, uint64_t BlocksBeyond, uint64_t RequestsBeyond);

/// What the trace lacks, in lines, or nothing.
std::string cacheGaps(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches);

} // namespace gmprof

#endif // GMPROF_REPORT_CACHETEXT_H
