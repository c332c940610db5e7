//===- SyncStages.h - Runs of a synchronisation profile ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A synchronisation profile consists of several runs of the program (Diogenes, SC'19, Figure 1),
// each with its own log. The summary describes the run named memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_SYNCSTAGES_H
#define GMPROF_REPORT_FILES_SYNCSTAGES_H

#include "analysis/sync/SyncProblems.h"
#include "profile/Profile.h"
#include "profile/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// A run and its log.
struct SyncStageLog {
  std::string Name; ///< baseline, trace, memory or use
  std::string LogPath;
  std::optional<double> Seconds; ///< from start to exit
  std::optional<int> ExitStatus;
};

struct SyncStageRun : SyncStageLog {
  profile::Profile Content;
};

struct SyncStages {
  std::vector<SyncStageRun> Runs;

  const SyncStageRun *find(const std::string &Name) const;
};

/// Reads the logs, with functions and lines for the runs whose call paths are shown.
Result<SyncStages> readSyncStages(const std::vector<SyncStageLog> &Logs);

/// Returns the name of a stage's log in files[].
std::string logName(const std::string &Stage);

/// Returns the runs to search for problems: P, the run named memory, and those of the other stages,
/// if any. Both must outlive the result.
analysis::SyncRuns syncRuns(const profile::Profile &P, const SyncStages *Stages);

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_SYNCSTAGES_H
