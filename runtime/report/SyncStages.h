//===- SyncStages.h - Runs of a profile of synchronisation ---- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile of synchronisation comes of several runs of the program (Diogenes, SC'19, Figure
// 1), each with a log of its own. The run named memory is the one that a summary is of.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SYNCSTAGES_H
#define GMPROF_REPORT_SYNCSTAGES_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include "report/Summary.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// A run, and where its log is.
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

/// Reads the logs, with the functions and lines of those runs whose places are shown.
Result<SyncStages> readSyncStages(const std::vector<SyncStageLog> &Logs);

/// The logs that a summary from this folder names; only that of the run named memory if there
/// was one run only.
std::vector<SyncStageLog> syncStageLogs(const summary::Summary &S, const std::string &Folder);

/// What files[] calls a stage's log.
std::string logName(const std::string &Stage);

} // namespace gmprof

#endif // GMPROF_REPORT_SYNCSTAGES_H
