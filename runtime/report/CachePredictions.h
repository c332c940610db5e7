//===- CachePredictions.h - What changes would do to traffic ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For kernels that lose data in their caches: of the launch that fetches most again, the trace is
// rewritten as if x and y of the threads' indices were swapped, in the grid or in each block, and
// as if its blocks had other shapes of as many threads (cache/WhatIf.h, which refuses where the
// trace does not tell), and simulated before and after, each time from empty caches. Launches of
// too many requests, and what is beyond so many of all together, are left out: this is to take
// seconds.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CACHEPREDICTIONS_H
#define GMPROF_REPORT_CACHEPREDICTIONS_H

#include "analysis/PoorCacheLocality.h"
#include "report/CacheProfile.h"

namespace gmprof {

inline constexpr uint64_t MostRequestsPredicted = uint64_t(1) << 19,
                          MostRequestsPredictedTogether = uint64_t(1) << 21;

/// For the kernels of the findings that there are without predictions.
std::vector<analysis::CachePrediction> predictChanges(const profile::Profile &P,
                                                      const CacheProfile &Caches);

} // namespace gmprof

#endif // GMPROF_REPORT_CACHEPREDICTIONS_H
