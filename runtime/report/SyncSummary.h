//===- SyncSummary.h - Synchronisation in summary.json ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile of synchronisation comes of several runs of the program, each with a log of its
// own. The summary is that of the run that watched memory, with the calls and times of
// the one that traced them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SYNCSUMMARY_H
#define GMPROF_REPORT_SYNCSUMMARY_H

#include "analysis/SyncProblems.h"
#include "report/ObjectsSummary.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// A run of the program.
struct SyncStageRun {
  std::string Name; ///< baseline, trace, memory or use
  profile::Profile Content;
  std::optional<double> Seconds;
  std::optional<int> ExitStatus;
};

/// All runs there were. The one named memory is what a summary is built of.
struct SyncStages {
  std::vector<SyncStageRun> Runs;

  const SyncStageRun *find(const std::string &Name) const;
};

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

  const profile::Profile &P;
  const SyncStages *Stages;
  analysis::SyncRuns Runs;
  analysis::SyncProblems Problems;
};

} // namespace gmprof

#endif // GMPROF_REPORT_SYNCSUMMARY_H
