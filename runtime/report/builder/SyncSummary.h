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
#include "report/files/SyncStages.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

class SyncSummary {
public:
  /// Prepares the summary of P, the run named memory. Problems: of Runs; none if Runs has no trace.
  /// Stages may be null. All must outlive this.
  SyncSummary(const profile::Profile &P, const SyncStages *Stages, const analysis::SyncRuns &Runs,
              const analysis::SyncProblems &Problems)
      : P(P), Stages(Stages), Runs(Runs), Problems(Problems) {}

  /// Requires that Objects has filled objects[].
  void addTo(summary::Summary &S, ObjectsSummary &Objects) const;

private:
  summary::SyncSite site(const analysis::SyncSite &Of, ObjectsSummary &Objects) const;
  std::optional<summary::Source> sourceAt(const profile::Profile &Of, uint32_t Path) const;
  void addStages(summary::Sync &To) const;
  void addMigrations(summary::Sync &To, ObjectsSummary &Objects) const;

  const profile::Profile &P;
  const SyncStages *Stages;
  const analysis::SyncRuns &Runs;
  const analysis::SyncProblems &Problems;
};

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_SYNCSUMMARY_H
