//===- SyncSummary.cpp - Synchronisation in summary.json ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/SyncSummary.h"
#include "analysis/sync/SyncFinding.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace gmprof {

using analysis::seconds;
using profile::None;
using profile::Profile;

std::optional<summary::Source> SyncSummary::sourceAt(const Profile &Of, uint32_t Path) const {
  return Path == None ? std::nullopt : sourceOf(Of.CallPaths[Path]);
}

summary::SyncSite SyncSummary::site(const analysis::SyncSite &Of, ObjectsSummary &Objects) const {
  summary::SyncSite To;
  To.api = Of.Api;
  To.source = sourceAt(*Runs.Trace, Of.CallPath);
  if (Of.CallPath != None)
    To.call_path = Objects.callPath(Runs.Trace->CallPaths[Of.CallPath]);
  To.explicit_wait = Of.Explicit;
  To.calls = Of.Calls;
  To.waits = Of.Waits;
  To.blocked = Of.Waited;
  To.call_seconds = seconds(Of.CallNs);
  To.wait_seconds = seconds(Of.WaitNs);
  To.migrated_bytes = Of.Migration.Bytes;
  if (Of.Migration.WaitNs != 0)
    To.migration_share =
        static_cast<double>(Of.Migration.Ns) / static_cast<double>(Of.Migration.WaitNs);
  To.unnecessary = Of.Unnecessary;
  To.misplaced = Of.Misplaced;
  To.needed = Of.Needed;
  To.assumed_needed = Of.Assumed;
  To.orders_streams = Of.OrdersStreams;
  To.not_seen = Of.NotSeen;
  if (Of.FirstUses != 0)
    To.first_use_seconds = seconds(Of.FirstUseNs) / static_cast<double>(Of.FirstUses);
  To.unnecessary_instrumented = Of.UnnecessaryByCode;
  if (Of.Use != None) {
    const profile::HostUse &Use = Runs.Memory->Uses[Of.Use];
    To.first_use = sourceAt(*Runs.Memory, Use.CallPath);
    To.first_use_seen = Use.ByCode                       ? "instrumented"
                        : Use.Kind == log::UseKind::Call ? "call"
                                                         : "page";
  }
  To.unnecessary_benefit_seconds = seconds(Of.UnnecessaryBenefit);
  To.misplaced_benefit_seconds = seconds(Of.MisplacedBenefit);
  if (Of.ReplaySaving)
    To.replay_seconds = seconds(*Of.ReplaySaving);
  To.copies = Of.Copies;
  To.copied_bytes = Of.CopiedBytes;
  To.duplicates = Of.Duplicates;
  To.duplicate_bytes = Of.DuplicateBytes;
  To.destination_unchanged = Of.Identical;
  To.duplicate_benefit_seconds = seconds(Of.DuplicateBenefit);
  if (Of.DuplicateSaving)
    To.duplicate_replay_seconds = seconds(*Of.DuplicateSaving);
  To.first_copy = sourceAt(*Runs.Trace, Of.FirstCopy);
  return To;
}

void SyncSummary::addStages(summary::Sync &To) const {
  if (!Stages)
    return;
  auto Differs = [&](summary::SyncStage &Stage, const analysis::CallMatch &M) {
    Stage.same_calls = M.Equal;
    Stage.missing_calls = M.Missing;
    Stage.additional_calls = M.Additional;
    if (M.Equal)
      return;
    Stage.first_difference = fmt::format("call {}, {}", M.FirstDifference + 1, M.Api);
    if (const std::optional<summary::Source> Source = sourceAt(*Runs.Trace, M.CallPath))
      Stage.first_difference += fmt::format(
          " at {}:{}", std::filesystem::path(Source->file).filename().string(), Source->line);
  };
  for (const SyncStageRun &Run : Stages->Runs) {
    summary::SyncStage &Stage = To.stages.emplace_back();
    Stage.name = Run.Name;
    Stage.seconds = Run.Seconds;
    Stage.exit_status = Run.ExitStatus;
    Stage.calls = Run.Name == "memory" ? P.Calls.size() : Run.Content.Calls.size();
    if (Run.Name == "memory")
      Differs(Stage, Problems.MemoryMatch);
    else if (Run.Name == "use")
      Differs(Stage, Problems.UseMatch);
    else if (Run.Name == "baseline")
      Differs(Stage, analysis::matchCalls(*Runs.Trace, analysis::buildSyncTrace(*Runs.Trace),
                                          Run.Content, analysis::buildSyncTrace(Run.Content)));
  }
}

void SyncSummary::addMigrations(summary::Sync &To, ObjectsSummary &Objects) const {
  if (!Problems.Migrated)
    return;
  To.migrations.emplace();
  for (const analysis::MigratedObject &M : *Problems.Migrated) {
    if (To.migrations->size() == MaxInline)
      break;
    summary::SyncMigration &Of = To.migrations->emplace_back();
    if (M.Object != 0)
      Of.object = Objects.indexOf(M.Object);
    Of.to_device_bytes = M.ToDeviceBytes;
    Of.to_host_bytes = M.ToHostBytes;
    Of.to_device_seconds = seconds(M.ToDeviceNs);
    Of.to_host_seconds = seconds(M.ToHostNs);
  }
}

void SyncSummary::addTo(summary::Summary &S, ObjectsSummary &Objects) const {
  if (!Runs.Trace)
    return;
  summary::Sync &To = S.sync.emplace();
  if (Runs.WallNs != 0)
    To.wall_seconds = seconds(Runs.WallNs);
  addStages(To);
  addMigrations(To, Objects);
  To.calls = Problems.Calls;
  To.gpu_times_known = Problems.GpuTimesKnown;
  To.uses_seen = Problems.UsesSeen;
  To.uses_page = Problems.UsesByPage;
  To.uses_instrumented = Problems.UsesByCode;
  To.uses_assumed = Problems.UsesAssumed;
  // The remaining sites neither waited nor copied; they fill the free room.
  constexpr size_t MaxSites = 1024;
  for (const analysis::SyncSite &Site : Problems.Sites)
    if (To.sites.size() < MaxSites)
      To.sites.push_back(site(Site, Objects));
  To.sites_omitted = Problems.Sites.size() - To.sites.size();
  for (const analysis::SyncFold &F : Problems.Folds) {
    if (To.functions.size() == MaxInline)
      break;
    summary::SyncFold &Fold = To.functions.emplace_back();
    Fold.function = F.Function;
    Fold.api = F.Api;
    Fold.benefit_seconds = seconds(F.Benefit);
    std::copy_if(F.Sites.begin(), F.Sites.end(), std::back_inserter(Fold.sites),
                 [&](uint32_t Site) { return Site < To.sites.size(); });
  }
  for (const analysis::SyncSequence &Q : Problems.Sequences) {
    if (To.sequences.size() == MaxInline)
      break;
    summary::SyncSequence &Sequence = To.sequences.emplace_back();
    Sequence.count = Q.Count;
    Sequence.benefit_seconds = seconds(Q.Benefit);
    for (const analysis::SyncSequence::Entry &E : Q.Entries)
      if (E.Site < To.sites.size())
        Sequence.entries.push_back({E.Site, E.Waits, E.Copies});
  }
}

} // namespace gmprof
