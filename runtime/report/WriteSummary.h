//===- WriteSummary.h - Writes summary.json for an event log ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files appear when they are whole (UnfinishedFile.h). What is there already is replaced only
// when it is of our making; otherwise nothing at all is written.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_WRITESUMMARY_H
#define GMPROF_REPORT_WRITESUMMARY_H

#include "profile/Result.h"
#include "report/CacheProfile.h"
#include "report/Summary.h"
#include "report/Symbolizer.h"
#include "report/SyncStages.h"
#include <optional>
#include <string>

namespace gmprof {

struct WrittenSummary {
  std::string Path; ///< of summary.json
  summary::Summary Content;
};

/// Analyses the event log LogPath and writes OutDir/summary.json and the files
/// that it names. OutDir is created if it is not there, its parent is not.
/// ExitStatus is the program's, if the caller knows it (128 + signal if it was
/// killed). Caches: of the trace beside the log, if it has been simulated. Known: of call paths,
/// what has been looked up.
Result<WrittenSummary> writeSummary(const std::string &LogPath, const std::string &OutDir,
                                    std::optional<int> ExitStatus = {},
                                    std::optional<CacheProfile> Caches = {}, Symbols Known = {});

/// The same of all its runs, of which one is named memory.
Result<WrittenSummary> writeSyncSummary(const std::vector<SyncStageLog> &Logs,
                                        const std::string &OutDir, int ExitStatus);

/// What gmreport merge made of several; paths of their summaries that are in OutDir become relative
/// to it. Returns the path of summary.json.
Result<std::string> writeMergedSummary(summary::Summary S, const std::string &OutDir);

/// Whether the program has managed memory.
bool hasManagedMemory(const std::string &Log);

/// Whether it takes another run to say when the host first uses what it waited for: by these two
/// runs, waits that come early may save as many seconds, and something.
bool needsUseTimes(const std::string &TraceLog, const std::string &MemoryLog, double Seconds);

} // namespace gmprof

#endif // GMPROF_REPORT_WRITESUMMARY_H
