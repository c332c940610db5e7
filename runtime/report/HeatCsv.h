//===- HeatCsv.h - Heat maps as comma-separated values ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first ten columns are those of cuThermo's files (cuThermo, 2025, Section IV.B.2): a sector's
// tag, which is its address divided by 32, the temperatures of its eight words, and its own.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_HEATCSV_H
#define GMPROF_REPORT_HEATCSV_H

#include "report/HeatViews.h"
#include <cstdio>
#include <vector>

namespace gmprof {

/// Sectors that are accessed.
uint64_t heatSectors(const std::vector<HeatLaunch> &Launches, HeatOf Of);

/// A line for each run of sectors that are alike; if Expand, for each sector. Sectors that are
/// not accessed have none. Returns whether all was written; errno says what went wrong.
bool writeHeatCsv(const std::vector<HeatLaunch> &Launches, HeatOf Of, bool Expand, std::FILE *To);

} // namespace gmprof

#endif // GMPROF_REPORT_HEATCSV_H
