//===- SyncSummary.h - Synchronisation in summary.json ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The summary of several runs (SyncStages.h) is that of the run that watched memory, with
// the calls and times of the one that traced them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SYNCSUMMARY_H
#define GMPROF_REPORT_SYNCSUMMARY_H

#include "analysis/SyncProblems.h"
#include "report/ObjectsSummary.h"
#include "report/SyncStages.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// The runs that problems are found from: those of P, the run named memory, and of the other
/// stages, if any. Both have to stay as long as what is returned.
analysis::SyncRuns syncRuns(const profile::Profile &P, const SyncStages *Stages);

class SyncSummary {
public:
  /// Of the profile P, and the other runs, if any. Both have to stay as long as this.
  SyncSummary(const profile::Profile &P, const SyncStages *Stages);

  /// Whether there is anything to say.
  bool any() const { return Runs.Trace != nullptr; }
  /// After objects[] has been filled by Objects.
  void addTo(summary::Summary &S, ObjectsSummary &Objects) const;
  /// With sources and fingerprints; not ranked.
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

#endif // GMPROF_REPORT_SYNCSUMMARY_H
