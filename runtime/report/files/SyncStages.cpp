//===- SyncStages.cpp - Runs of a synchronisation profile -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SyncStages.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include "report/symbols/Symbolizer.h"
#include <algorithm>

namespace gmprof {

const SyncStageRun *SyncStages::find(const std::string &Name) const {
  for (const SyncStageRun &Run : Runs)
    if (Run.Name == Name)
      return &Run;
  return nullptr;
}

std::string logName(const std::string &Stage) {
  return Stage == "memory" ? "event_log" : "event_log_" + Stage;
}

Result<SyncStages> readSyncStages(const std::vector<SyncStageLog> &Logs) {
  SyncStages Stages;
  Symbols Names; // shared, as most call sites occur in all runs
  for (const SyncStageLog &Log : Logs) {
    Result<profile::Profile> P = readProfile(Log.LogPath);
    if (!P)
      return Error{P.error()};
    // Call paths of the other runs are compared, but not shown.
    if (Log.Name == "memory" || Log.Name == "trace")
      Names.name(*P);
    Stages.Runs.push_back({Log, std::move(*P)});
  }
  return Stages;
}

analysis::SyncRuns syncRuns(const profile::Profile &P, const SyncStages *Stages) {
  analysis::SyncRuns Runs;
  Runs.Trace = Runs.Memory = &P;
  Runs.WallNs = P.TheRun.SteadyEndNs - std::min(P.TheRun.SteadyEndNs, P.TheRun.SteadyStartNs);
  if (!Stages)
    return Runs;
  if (const SyncStageRun *Trace = Stages->find("trace"))
    Runs.Trace = &Trace->Content;
  if (const SyncStageRun *Use = Stages->find("use"))
    Runs.Use = &Use->Content;
  if (const SyncStageRun *Baseline = Stages->find("baseline"); Baseline && Baseline->Seconds)
    Runs.WallNs = static_cast<uint64_t>(*Baseline->Seconds * 1e9);
  return Runs;
}

} // namespace gmprof
