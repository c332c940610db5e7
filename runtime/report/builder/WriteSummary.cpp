//===- WriteSummary.cpp - Writes summary.json for an event log ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/WriteSummary.h"
#include "profile/EventLogReader.h"
#include "profile/Payload.h"
#include "profile/ProfileBuilder.h"
#include "profile/Progress.h"
#include "report/builder/CachePredictions.h"
#include "report/builder/SummaryBuilder.h"
#include "report/builder/SyncSummary.h"
#include "report/files/ResultWriter.h"
#include "report/files/SizeLimitSignal.h"
#include "report/symbols/Symbolizer.h"
#include <utility>

namespace gmprof {
namespace {

Result<WrittenSummary> write(SummaryAndFiles Built, const std::string &LogPath,
                             const std::string &OutDir) {
  const NoSizeLimitSignal Guard;
  Built.Content.files.push_back({"event_log", pathFrom(OutDir, LogPath), "gmlog",
                                 "what was recorded during the run; gmreport perfetto reads it"});

  Result<std::string> Path = writeResults(Built, OutDir);
  if (!Path)
    return Error{Path.error()};
  return WrittenSummary{std::move(*Path), std::move(Built.Content)};
}

} // namespace

Result<WrittenSummary> writeSummary(const std::string &LogPath, const std::string &OutDir,
                                    std::optional<int> ExitStatus,
                                    std::optional<CacheProfile> Caches, Symbols Known) {
  Result<profile::Profile> P = readProfile(LogPath);
  if (!P)
    return Error{P.error()};
  Known.name(*P);
  if (!P->TheRun.measures(profile::Measured::CachedMemory))
    Caches.reset(); // left by another run
  else if (!Caches)
    Caches = simulateTraceOf(LogPath);
  if (Caches)
    Caches->Predictions = predictChanges(*P, *Caches);
  progress("looking for patterns");
  SummaryAndFiles Built = buildSummary(*P, ExitStatus, nullptr, Caches ? &*Caches : nullptr);
  if (Caches)
    Built.Content.files.push_back({"memory_trace", pathFrom(OutDir, Caches->Path), "gmtrace",
                                   "the memory accesses of warps; gmreport simulate and gmreport "
                                   "cache read it"});
  return write(std::move(Built), LogPath, OutDir);
}

Result<WrittenSummary> writeSyncSummary(const std::vector<SyncStageLog> &Logs,
                                        const std::string &OutDir, int ExitStatus) {
  Result<SyncStages> Stages = readSyncStages(Logs);
  if (!Stages)
    return Error{Stages.error()};
  const SyncStageRun *Memory = Stages->find("memory");
  if (!Memory)
    return Error{"the run that watches memory left no log"};
  progress("looking for patterns");
  SummaryAndFiles Built = buildSummary(Memory->Content, ExitStatus, &*Stages);
  for (const SyncStageLog &Log : Logs)
    if (Log.Name != "memory")
      Built.Content.files.push_back({logName(Log.Name), pathFrom(OutDir, Log.LogPath), "gmlog",
                                     "what was recorded during the run named " + Log.Name});
  return write(std::move(Built), Memory->LogPath, OutDir);
}

bool hasManagedMemory(const std::string &Log) {
  Result<EventLogReader> Reader = EventLogReader::open(Log);
  if (!Reader)
    return false;
  while (std::optional<EventLogReader::Record> Each = Reader->next()) {
    log::ObjectRecord Object;
    if (Each->Kind == log::RecordKind::Object && take(Each->Payload, Object) &&
        Object.kind == log::ObjectKind::Managed)
      return true;
  }
  return false;
}

bool needsUseTimes(const std::string &TraceLog, const std::string &MemoryLog, double Seconds) {
  Result<profile::Profile> Trace = readProfile(TraceLog), Memory = readProfile(MemoryLog);
  if (!Trace || !Memory)
    return false;
  analysis::SyncRuns Runs;
  Runs.Trace = &*Trace;
  Runs.Memory = &*Memory;
  const analysis::SyncProblems Problems = analysis::syncProblems(Runs);
  uint64_t Ns = 0;
  for (const analysis::SyncSite &Site : Problems.Sites)
    Ns += Site.MisplacedBenefit;
  return Ns != 0 && static_cast<double>(Ns) >= Seconds * 1e9;
}

} // namespace gmprof
