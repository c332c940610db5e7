//===- SummaryBuilder.h - Builds a Summary from a Profile -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_SUMMARYBUILDER_H
#define GMPROF_REPORT_BUILDER_SUMMARYBUILDER_H

#include "profile/Profile.h"
#include "report/files/ResultWriter.h"
#include <optional>

namespace gmprof {

struct SyncStages;
struct CacheProfile;

/// Runs all analyses. ExitStatus: of the program; none: taken from the event log. Stages: all runs
/// of a synchronisation profile; P is the one named memory. Caches: of a run whose memory accesses
/// were traced.
SummaryAndFiles buildSummary(const profile::Profile &P, std::optional<int> ExitStatus = {},
                             const SyncStages *Stages = nullptr,
                             const CacheProfile *Caches = nullptr);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_SUMMARYBUILDER_H
