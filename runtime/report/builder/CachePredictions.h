//===- CachePredictions.h - Effects of changes on traffic -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the traffic of kernels whose data is evicted from caches before it is reused. In the
// trace of the launch that refetches most, x and y of the thread indices are swapped, in the grid
// or in each block, or blocks get other shapes with as many threads (cache/WhatIf.h, which refuses
// if the trace does not determine the result). Original and changed trace are simulated from empty
// caches. To take seconds only, launches with too many requests are skipped, and predictions stop
// at a total.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_CACHEPREDICTIONS_H
#define GMPROF_REPORT_BUILDER_CACHEPREDICTIONS_H

#include "analysis/cache/PoorCacheLocality.h"
#include "report/builder/CacheProfile.h"

namespace gmprof {

inline constexpr uint64_t MostRequestsPredicted = uint64_t(1) << 19,
                          MostRequestsPredictedTogether = uint64_t(1) << 21;

/// Predicts for the kernels with poor cache locality, those with the largest savings first.
std::vector<analysis::CachePrediction> predictChanges(const profile::Profile &P,
                                                      const CacheProfile &Caches);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_CACHEPREDICTIONS_H
