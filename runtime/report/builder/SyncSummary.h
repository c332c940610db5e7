//===- SyncSummary.h - Synchronisation in summary.json ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The summary of several runs (SyncStages.h) describes the run named memory, with the calls and
// times of the run named trace.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_SYNCSUMMARY_H
#define GMPROF_REPORT_BUILDER_SYNCSUMMARY_H

#include "analysis/sync/SyncProblems.h"
#include "report/builder/ObjectsSummary.h"
#include "report/builder/SyncStages.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// Returns the runs to search for problems: P, the run named memory, and those of the other stages,
/// if any. Both must outlive the result.
analysis::SyncRuns syncRuns(const profile::Profile &P, const SyncStages *Stages);

class SyncSummary {
public:
  /// Prepares the summary. P and Stages must outlive this. Stages may be null.
  SyncSummary(const profile::Profile &P, const SyncStages *Stages);

  /// Returns true if there is something to report.
  bool any() const { return Runs.Trace != nullptr; }
  /// Requires that Objects has filled objects[].
  void addTo(summary::Summary &S, ObjectsSummary &Objects) const;
  /// Returns the findings with sources and fingerprints, unranked.
  std::vector<analysis::Finding> findings() const;
  const analysis::SyncProblems &problems() const { return Problems; }

private:
  summary::SyncSite site(const analysis::SyncSite &Of, ObjectsSummary &Objects) const;
  std::optional<summary::Source> sourceAt(const profile::Profile &Of, uint32_t Path) const;
  void addStages(summary::Sync &To) const;
  void addMigrations(summary::Sync &To, ObjectsSummary &Objects) const;

  const profile::Profile &P;
  const SyncStages *Stages;
  analysis::SyncRuns Runs;
  analysis::SyncProblems Problems;
};

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_SYNCSUMMARY_H
