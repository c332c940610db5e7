//===- CacheSvg.h - What caches did, as a picture ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CACHESVG_H
#define GMPROF_REPORT_CACHESVG_H

#include "report/CacheView.h"

namespace gmprof {

/// Figure 4 of von Buelow et al.: for each level of cache bars of hit rates, and lines of the
/// share of the transactions and of the coalescing efficiency. Top: rows, 0 for all.
std::string cacheSvg(const std::vector<CacheRow> &Rows, const std::string &Title, size_t Top);

} // namespace gmprof

#endif // GMPROF_REPORT_CACHESVG_H
