//===- GlobalSummary.h - The global profile in summary.json -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_GLOBALSUMMARY_H
#define GMPROF_REPORT_GLOBALSUMMARY_H

#include "analysis/GlobalMemoryUse.h"
#include "profile/Profile.h"
#include "report/Summary.h"
#include <functional>
#include <string>

namespace gmprof {

/// First line of global_counts.csv.
inline constexpr char GlobalCountsHeader[] =
    "kernel,object,first,last,reads,writes,atomics,at_threshold\n";

/// Lines of global_counts.csv in one run.
inline constexpr uint64_t MaxGlobalCountLines = 1 << 20;

/// What Use says, and in Counts the lines for global_counts.csv. IndexOf gives the
/// index in objects[] of a profile::Object::Id. LinesLeft is what may still be added.
summary::GlobalUse globalUse(const profile::Profile &P, const analysis::KernelGlobalUse &Use,
                             const std::function<uint32_t(uint64_t)> &IndexOf, std::string &Counts,
                             uint64_t &LinesLeft);

/// Profiled launches that had something to count, of which no counts were read.
uint64_t launchesWithoutGlobalCounts(const profile::Profile &P);

} // namespace gmprof

#endif // GMPROF_REPORT_GLOBALSUMMARY_H
