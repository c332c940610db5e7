//===- GlobalSummary.h - The global profile in summary.json -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_GLOBALSUMMARY_H
#define GMPROF_REPORT_BUILDER_GLOBALSUMMARY_H

#include "analysis/global/GlobalMemoryUse.h"
#include "profile/Profile.h"
#include "report/model/Summary.h"
#include <functional>
#include <string>

namespace gmprof {

/// Header of global_counts.csv.
inline constexpr char GlobalCountsHeader[] =
    "kernel,object,first,last,reads,writes,atomics,at_threshold\n";

/// Maximum number of lines of global_counts.csv per run.
inline constexpr uint64_t MaxGlobalCountLines = 1 << 20;

/// Converts Use, and appends lines for global_counts.csv to Counts. IndexOf returns the index in
/// objects[] of a profile::Object::Id. LinesLeft: number of lines that may still be added.
summary::GlobalUse globalUse(const profile::Profile &P, const analysis::KernelGlobalUse &Use,
                             const std::function<uint32_t(uint64_t)> &IndexOf, std::string &Counts,
                             uint64_t &LinesLeft);

/// Returns the number of profiled launches with counters that were not read.
uint64_t launchesWithoutGlobalCounts(const profile::Profile &P);

/// Returns the number of objects that ElementUse.h skips in a profile of elements.
uint64_t objectsWithoutElements(const profile::Profile &P);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_GLOBALSUMMARY_H
