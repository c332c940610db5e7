//===- WriteSummary.h - Writes summary.json for an event log ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files appear only when complete (UnfinishedFile.h). Existing files are replaced only if GMProf
// wrote them; otherwise nothing is written.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_WRITESUMMARY_H
#define GMPROF_REPORT_BUILDER_WRITESUMMARY_H

#include "profile/Result.h"
#include "report/builder/CacheProfile.h"
#include "report/files/SyncStages.h"
#include "report/model/Summary.h"
#include "report/symbols/Symbolizer.h"
#include <optional>
#include <string>

namespace gmprof {

struct WrittenSummary {
  std::string Path; ///< path of summary.json
  summary::Summary Content;
};

/// Analyses the event log LogPath, and writes OutDir/summary.json and the files that it names.
/// Creates OutDir, but not its parent. ExitStatus: the program's, if the caller knows it (128 +
/// signal if it was killed). Caches: results for the trace beside the log, if already simulated.
/// Known: call paths looked up before.
Result<WrittenSummary> writeSummary(const std::string &LogPath, const std::string &OutDir,
                                    std::optional<int> ExitStatus = {},
                                    std::optional<CacheProfile> Caches = {}, Symbols Known = {});

/// Writes the summary of all runs of a synchronisation profile, one of which is named memory.
Result<WrittenSummary> writeSyncSummary(const std::vector<SyncStageLog> &Logs,
                                        const std::string &OutDir, int ExitStatus);

/// Returns true if the program allocated managed memory.
bool hasManagedMemory(const std::string &Log);

/// Returns true if a further run, which times the host's first uses of data it waited for, may pay
/// off: moving misplaced waits may save at least this many seconds, and more than 0.
bool needsUseTimes(const std::string &TraceLog, const std::string &MemoryLog, double Seconds);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_WRITESUMMARY_H
