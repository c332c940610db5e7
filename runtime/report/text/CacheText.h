//===- CacheText.h - Simulation results of caches as text -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_CACHETEXT_H
#define GMPROF_REPORT_TEXT_CACHETEXT_H

#include "report/text/TextReport.h"
#include "report/views/CacheView.h"

namespace gmprof {

/// Describes the GPU, then objects and lines of all launches together, and of each if there are
/// several.
std::string cacheText(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches,
                      const TextOptions &Options);

/// Draws Figure 4 of von Buelow et al.: per row a bar for the hit rate, and marks for the share of
/// transactions and the coalescing efficiency.
std::string cacheChart(const std::vector<CacheRow> &Rows, const CacheRow &Whole,
                       const TextOptions &Options);

/// Returns a table of the traffic before and after a change of the program, in total and per
/// object. What: the change.
std::string cacheComparison(const CacheView &Before, const CacheView &After,
                            const std::string &What, const TextOptions &Options);

/// Describes sizes and policies of the caches in one line.
std::string cacheGeometry(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches);

/// Says how much of its launches a trace contains that reached its limit (cache::TraceLaunchEnd).
std::string limitedTrace(uint64_t Blocks, uint64_t BlocksBeyond, uint64_t RequestsBeyond);

/// Lists the parts that the trace lacks, one per line; empty if none.
std::string cacheGaps(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches);

} // namespace gmprof

#endif // GMPROF_REPORT_TEXT_CACHETEXT_H
