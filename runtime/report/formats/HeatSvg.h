//===- HeatSvg.h - A heat map as SVG ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows cuThermo, 2025, Figure 4: sectors across, words down, the sector's temperature on top.
// Equal consecutive sectors are one column with their number.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_HEATSVG_H
#define GMPROF_REPORT_FORMATS_HEATSVG_H

#include "report/files/SourceText.h"
#include "report/views/HeatViews.h"
#include <string>

namespace gmprof {

/// Draws a launch's map of one object. MaxColumns: draws the first ones, and states the number of
/// the others; 0: all.
std::string heatSvg(const HeatLaunch &Launch, const HeatView &View, HeatOf Of, SourceText &Source,
                    size_t MaxColumns);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_HEATSVG_H
