//===- CacheJson.h - Simulation results of caches as JSON -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_CACHEJSON_H
#define GMPROF_REPORT_FORMATS_CACHEJSON_H

#include "report/views/CacheView.h"

namespace gmprof {

/// Returns the results in the format that docs/cache-model.md describes.
std::string cacheJson(const cache::SimulationResults &R, const std::vector<uint32_t> &Launches);

/// Returns both results, and the change between them.
std::string cacheComparisonJson(const cache::SimulationResults &Before,
                                const cache::SimulationResults &After,
                                const std::vector<uint32_t> &Launches, const std::string &What);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_CACHEJSON_H
