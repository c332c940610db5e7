//===- SummaryBuilder.h - From a Profile to a Summary -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SUMMARYBUILDER_H
#define GMPROF_REPORT_SUMMARYBUILDER_H

#include "profile/Profile.h"
#include "report/Summary.h"
#include <optional>

namespace gmprof {

/// What is too large for summary.json, by the name of its file.
struct SideFile {
  summary::File Description;
  std::string Content;
};

struct SummaryAndFiles {
  summary::Summary Content;
  std::vector<SideFile> Files;
};

/// Runs all analyses. ExitStatus, if given, is what the program ended with; else
/// it is what the event log says.
struct SyncStages;
struct CacheProfile;

/// Stages: all runs of a profile of synchronisation, of which P is the one named memory. Caches:
/// of a run whose memory accesses were traced.
SummaryAndFiles buildSummary(const profile::Profile &P, std::optional<int> ExitStatus = {},
                             const SyncStages *Stages = nullptr,
                             const CacheProfile *Caches = nullptr);

/// First line of shared_counts.csv.
inline constexpr char SharedCountsHeader[] = "kernel,object,index,accesses,blocks_at_threshold\n";

} // namespace gmprof

#endif // GMPROF_REPORT_SUMMARYBUILDER_H
