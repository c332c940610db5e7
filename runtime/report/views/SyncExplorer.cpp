//===- SyncExplorer.cpp - A tree of synchronisation problems --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/SyncExplorer.h"
#include "report/model/CallPaths.h"
#include "report/model/Measures.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace gmprof {

using namespace summary;
using Kind = SyncProblemGroup::Kind;
using text::shortPosition;

namespace {

std::string copies(uint64_t N) { return N == 1 ? "1 copy" : text::grouped(N) + " copies"; }

std::string callAt(const SyncSite &Site) {
  return Site.source ? Site.api + " at " + shortPosition(Site.source) : Site.api;
}

void addWaits(const SyncSite &Site, std::vector<std::string> &Notes) {
  if (Site.waits == 0)
    return;
  Notes.push_back(fmt::format("{} in {}, of which {} found work outstanding; {:.6f} s in all",
                              plural(Site.waits, "wait"), plural(Site.calls, "call"),
                              text::grouped(Site.blocked), Site.wait_seconds));
  if (Site.migrated_bytes != 0)
    Notes.push_back(fmt::format("for {:.0f} % of that time managed memory moved, {}",
                                100 * Site.migration_share, plural(Site.migrated_bytes, "byte")));
  if (Site.unnecessary == Site.waits)
    Notes.push_back(fmt::format("unnecessary: the host used nothing that {} before the next wait; "
                                "{:.6f} s expected to be saved",
                                Site.waits == 1 ? "it protects" : "they protect",
                                Site.unnecessary_benefit_seconds));
  else if (Site.unnecessary != 0)
    Notes.push_back(fmt::format(
        "conditionally unnecessary: {} of the waits, {:.6f} s expected to be saved; the others "
        "were needed, so the call can only go, or move, where what tells them apart is known",
        text::grouped(Site.unnecessary), Site.unnecessary_benefit_seconds));
  if (Site.misplaced != 0)
    Notes.push_back(fmt::format("too early: {}, {:.6f} s expected to be saved by waiting at the "
                                "first use",
                                plural(Site.misplaced, "wait"), Site.misplaced_benefit_seconds));
  if (Site.needed != 0)
    Notes.push_back(fmt::format(
        "needed: {}{}{}", plural(Site.needed, "wait"),
        Site.first_use ? ", the first for " + shortPosition(Site.first_use) : "",
        Site.first_use_seconds
            ? fmt::format("; first use after {:.6f} s on average", *Site.first_use_seconds)
            : ""));
  if (Site.assumed_needed != 0)
    Notes.push_back(fmt::format("taken as needed: {} before uses that could not be watched",
                                plural(Site.assumed_needed, "wait")));
  if (Site.orders_streams != 0)
    Notes.push_back(fmt::format("needed: {} keep streams in order, which an event would, too",
                                plural(Site.orders_streams, "wait")));
  if (Site.not_seen != 0)
    Notes.push_back(fmt::format("not known: {} that the run which watched memory did not have",
                                plural(Site.not_seen, "wait")));
  if (Site.replay_seconds)
    Notes.push_back(
        fmt::format("{:.6f} s saved in the run, replayed without them", *Site.replay_seconds));
}

void addCopies(const SyncSite &Site, std::vector<std::string> &Notes) {
  if (Site.duplicates == 0)
    return;
  Notes.push_back(fmt::format(
      "copied again: {} of {}, {}; {:.6f} s expected to be saved", text::grouped(Site.duplicates),
      copies(Site.copies), plural(Site.duplicate_bytes, "byte"), Site.duplicate_benefit_seconds));
  if (Site.first_copy)
    Notes.push_back("first copied at " + shortPosition(Site.first_copy));
  Notes.push_back(fmt::format("the destination still had the same bytes in {} of them",
                              text::grouped(Site.destination_unchanged)));
  if (Site.duplicate_replay_seconds)
    Notes.push_back(fmt::format("{:.6f} s saved in the run, replayed without them",
                                *Site.duplicate_replay_seconds));
}

/// Adds the call path, innermost frame first.
void addCallPath(const Summary &S, const SyncSite &Site, std::vector<std::string> &Notes) {
  for (const Frame &F : summary::callPath(S, Site.call_path)) {
    if (F.function.empty() && !F.source)
      continue;
    Notes.push_back(fmt::format("called in {}{}", F.function.empty() ? "?" : F.function,
                                F.source ? ", " + shortPosition(F.source) : ""));
  }
}

SyncProblemGroup functionGroup(const Summary &S, const SyncFold &Fold) {
  SyncProblemGroup G;
  G.Is = Kind::Function;
  G.Title = Fold.function.empty() ? "unknown function" : Fold.function;
  G.Seconds = Fold.benefit_seconds;
  uint64_t Conditionally = 0;
  for (uint32_t Site : Fold.sites) {
    const SyncSite &Of = S.sync->sites[Site];
    Conditionally += Of.unnecessary != 0 && Of.unnecessary != Of.waits;
    G.Groups.push_back(syncPlace(S, Site));
  }
  if (Conditionally != 0)
    G.Notes.emplace_back("conditionally unnecessary: expand it for the conditions");
  return G;
}

/// Groups folds by API (left side of Figure 7), and within an API by function (right side).
std::vector<SyncProblemGroup> apiGroups(const Summary &S) {
  std::vector<SyncProblemGroup> Groups;
  std::vector<std::string> Names;
  for (const SyncFold &Fold : S.sync->functions) {
    size_t I = static_cast<size_t>(std::find(Names.begin(), Names.end(), Fold.api) - Names.begin());
    if (I == Names.size()) {
      Names.push_back(Fold.api);
      Groups.emplace_back().Is = Kind::Api;
    }
    Groups[I].Seconds = Groups[I].Seconds.value_or(0) + Fold.benefit_seconds;
    Groups[I].Groups.push_back(functionGroup(S, Fold));
  }
  for (size_t I = 0; I < Groups.size(); ++I)
    Groups[I].Title =
        fmt::format("Fold on {}, {}", Names[I], plural(Groups[I].Groups.size(), "function"));
  return Groups;
}

} // namespace

SyncProblemGroup syncPlace(const Summary &S, uint32_t Site) {
  const SyncSite &Of = S.sync->sites[Site];
  SyncProblemGroup G;
  G.Is = Kind::Place;
  G.Site = Site;
  G.Title = callAt(Of);
  G.Seconds = estimatedBenefit(Of);
  addWaits(Of, G.Notes);
  addCopies(Of, G.Notes);
  addCallPath(S, Of, G.Notes);
  for (const Finding &F : S.findings)
    if (F.site == Site)
      G.Notes.push_back(fmt::format("finding {}, {}: {}", F.id, F.pattern, F.suggestion));
  return G;
}

SyncProblemGroup syncSequence(const Summary &S, uint32_t Index) {
  const summary::SyncSequence &Of = S.sync->sequences[Index];
  SyncProblemGroup G;
  G.Is = Kind::Sequence;
  G.Sequence = Index;
  G.Seconds = Of.benefit_seconds;
  uint64_t Waits = 0, Copies = 0;
  for (const SyncEntry &E : Of.entries) {
    SyncProblemGroup &Entry = G.Groups.emplace_back();
    Entry.Is = Kind::Entry;
    Entry.Site = E.site;
    Entry.Title = callAt(S.sync->sites[E.site]);
    if (E.waits != 0)
      Entry.Title += ", " + plural(E.waits, "wait");
    if (E.copies != 0)
      Entry.Title += ", " + copies(E.copies);
    Waits += E.waits;
    Copies += E.copies;
  }
  G.Title = fmt::format("Sequence {} of {}, run {}, from {} on", Index + 1,
                        plural(Of.entries.size(), "call site"), plural(Of.count, "time"),
                        callAt(S.sync->sites[Of.entries.front().site]));
  G.Notes.push_back(fmt::format("{} that nothing needs, {} made again; no needed wait in between",
                                plural(Waits, "wait"), copies(Copies)));
  return G;
}

SyncProblemGroup syncProblemGroups(const Summary &S) {
  SyncProblemGroup All;
  All.Groups = apiGroups(S);
  for (uint32_t I = 0; I < S.sync->sequences.size(); ++I)
    if (!S.sync->sequences[I].entries.empty())
      All.Groups.push_back(syncSequence(S, I));
  std::sort(All.Groups.begin(), All.Groups.end(),
            [](const SyncProblemGroup &A, const SyncProblemGroup &B) {
              return std::tie(B.Seconds, A.Title) < std::tie(A.Seconds, B.Title);
            });
  All.Title = All.Groups.empty() ? "No call waits for the GPU, or copies, without need"
                                 : "Problems, by what solving them could save";
  return All;
}

Result<bool> SubsequenceEstimates::read() {
  Result<SyncStages> Read = Results.stages();
  if (!Read)
    return Error{Read.error()};
  Stages = std::move(*Read);
  const SyncStageRun *Memory = Stages.find("memory");
  if (!Memory || (!S.sync->stages.empty() && Stages.Runs.size() != S.sync->stages.size()))
    return Error{"the summary does not name the event logs that parts of sequences are "
                 "computed from"};
  Sequences = std::make_unique<analysis::SyncSubsequences>(
      syncRuns(Memory->Content, S.sync->stages.empty() ? nullptr : &Stages));
  return true;
}

Result<analysis::SubsequenceBenefit> SubsequenceEstimates::of(const SyncSubsequence &Part) {
  if (Part.Sequence == 0 || Part.Sequence > S.sync->sequences.size())
    return Error{fmt::format("there is no sequence {}: there are {}", Part.Sequence,
                             S.sync->sequences.size())};
  const size_t Entries = S.sync->sequences[Part.Sequence - 1].entries.size();
  if (Part.First == 0 || Part.First > Part.Last || Part.Last > Entries)
    return Error{fmt::format("sequence {} has no part from {} to {}: it has {}", Part.Sequence,
                             Part.First, Part.Last, Entries)};
  if (!Sequences)
    if (Result<bool> Done = read(); !Done)
      return Error{Done.error()};
  // The logs may be those of another run, or may have changed.
  const auto &Found = Sequences->problems().Sequences;
  if (Part.Sequence > Found.size() || Found[Part.Sequence - 1].Entries.size() != Entries)
    return Error{"the event logs are not those that the summary was made of"};
  return Sequences->of(Part.Sequence - 1, Part.First - 1, Part.Last - 1);
}

} // namespace gmprof
