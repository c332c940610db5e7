//===- HeatPage.h - Heat maps as a web page ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file that needs no other: HeatPage.html, .css and .js beside this file, and the maps as JSON.
//
// Of each kind of accesses a map has its rows as a flat list, three numbers each: lines of memory,
// pattern, accesses. Patterns, which repeat, are kept once: digits of base 36 for the temperatures
// of the line and its words, who shares the words (of shared memory), the lines of the program,
// and whether several blocks (b) or unequal lines (m) are behind them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_HEATPAGE_H
#define GMPROF_REPORT_HEATPAGE_H

#include "report/HeatViews.h"
#include "report/SourceText.h"
#include <cstdio>
#include <string>
#include <vector>

namespace gmprof {

/// Rows of all maps of a page; what is left out is said there.
inline constexpr uint64_t MaxPageRows = 1'000'000;

/// The maps, as JSON without a "<". Of: the kind that is shown at first.
std::string heatPageData(const std::vector<HeatLaunch> &Launches, HeatOf Of,
                         const std::string &Command, SourceText &Source,
                         uint64_t MaxRows = MaxPageRows);

/// Returns whether all was written; errno says what went wrong.
bool writeHeatPage(const std::string &Data, std::FILE *To);

} // namespace gmprof

#endif // GMPROF_REPORT_HEATPAGE_H
