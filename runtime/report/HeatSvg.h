//===- HeatSvg.h - A heat map as a picture ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As cuThermo draws it (cuThermo, 2025, Figure 4): sectors across, words down, the sector's own
// temperature on top; consecutive sectors that are alike are one column that says how many.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_HEATSVG_H
#define GMPROF_REPORT_HEATSVG_H

#include "report/HeatViews.h"
#include "report/SourceText.h"
#include <string>

namespace gmprof {

/// MaxColumns: the first ones are drawn, and how many there are is said; 0: all.
std::string heatSvg(const HeatLaunch &Launch, const HeatView &View, HeatOf Of, SourceText &Source,
                    size_t MaxColumns);

} // namespace gmprof

#endif // GMPROF_REPORT_HEATSVG_H
