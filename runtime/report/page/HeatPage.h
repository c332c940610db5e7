//===- HeatPage.h - Heat maps as a web page ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A self-contained file: HeatPage.html, .css and .js beside this file, and the maps as JSON.
//
// For each kind of access, a map stores its rows as a flat list of three numbers each: lines of
// memory, pattern, accesses. Equal patterns are stored once: base-36 digits for the temperatures of
// the line and its words, the sharing of words (shared memory only), the source lines, and flags
// for several blocks (b) or merged unequal lines (m).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGE_HEATPAGE_H
#define GMPROF_REPORT_PAGE_HEATPAGE_H

#include "report/files/SourceText.h"
#include "report/views/HeatViews.h"
#include <cstdio>
#include <string>
#include <vector>

namespace gmprof {

/// Maximum number of rows in a page; the page states the number of the others.
inline constexpr uint64_t MaxPageRows = 1'000'000;

/// Returns the maps as JSON without "<". Of: the kind of access that is shown initially.
std::string heatPageData(const std::vector<HeatLaunch> &Launches, HeatOf Of,
                         const std::string &Command, SourceText &Source,
                         uint64_t MaxRows = MaxPageRows);

/// Returns false with errno set if writing failed.
bool writeHeatPage(const std::string &Data, std::FILE *To);

} // namespace gmprof

#endif // GMPROF_REPORT_PAGE_HEATPAGE_H
