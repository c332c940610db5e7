//===- CacheSvg.h - Cache hit rates as an SVG chart -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_CACHESVG_H
#define GMPROF_REPORT_FORMATS_CACHESVG_H

#include "report/views/CacheView.h"

namespace gmprof {

/// Draws Figure 4 of von Buelow et al.: bars of hit rates per cache level, with lines for the share
/// of transactions and the coalescing efficiency. Top: maximum number of rows; 0: all.
std::string cacheSvg(const std::vector<CacheRow> &Rows, const std::string &Title, size_t Top);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_CACHESVG_H
