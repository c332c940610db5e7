//===- HeatCsv.h - Heat maps as comma-separated values ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first ten columns match cuThermo's files (cuThermo, 2025, Section IV.B.2): a sector's tag
// (address / 32), the temperatures of its eight words, and the temperature of the sector.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_HEATCSV_H
#define GMPROF_REPORT_FORMATS_HEATCSV_H

#include "report/views/HeatViews.h"
#include <cstdio>
#include <vector>

namespace gmprof {

/// Returns the number of accessed sectors.
uint64_t heatSectors(const std::vector<HeatLaunch> &Launches, HeatOf Of);

/// Writes a line per run of equal sectors, or per sector if Expand; omits sectors without accesses.
/// Returns false with errno set if writing failed.
bool writeHeatCsv(const std::vector<HeatLaunch> &Launches, HeatOf Of, bool Expand, std::FILE *To);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_HEATCSV_H
