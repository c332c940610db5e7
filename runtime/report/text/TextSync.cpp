//===- TextSync.cpp - Waits and copies made again in the report -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Measures.h"
#include "report/text/TextPrinter.h"
#include <algorithm>
#include <set>
#include <utility>

namespace gmprof::text {

using namespace summary;

std::string Printer::placeOf(const SyncSite &Site) const {
  return Site.source ? shortPosition(Site.source) : "-";
}

/// Prints the consequences of a run that made other calls.
void Printer::syncDifference(const SyncStage &Stage) {
  uint64_t NotSeen = 0;
  for (const SyncSite &Site : S.sync->sites) {
    NotSeen += Site.not_seen;
  }
  std::string Text = fmt::format(
      "The calls differ from the traced run from {} on: {} are missing, {} are "
      "additional.",
      Stage.first_difference, grouped(Stage.missing_calls), grouped(Stage.additional_calls));
  if (Stage.name == "baseline")
    Text += " Shares refer to the time of these calls.";
  else if (Stage.name == "use")
    Text += " Calls that are missing here take the time of first use from the memory run.";
  else
    Text +=
        fmt::format(" Calls in both runs are analysed. {} not, because the calls up to the next "
                    "wait differ.",
                    NotSeen == 1 ? "1 wait is" : fmt::format("{} waits are", grouped(NotSeen)));
  paragraph("            ", Text);
}

void Printer::syncStages() {
  for (const SyncStage &Stage : S.sync->stages) {
    std::string Text =
        fmt::format("  {:<9} {:>9}, {}", Stage.name, secondsText(Stage.seconds.value_or(0)),
                    plural(Stage.calls, "call"));
    line("{}", Text);
    if (!Stage.same_calls)
      syncDifference(Stage);
  }
}

/// Lists the program's waits, and the unnecessary part of each.
void Printer::syncSites() {
  std::vector<const SyncSite *> Sites;
  for (const SyncSite &Site : S.sync->sites)
    if (Site.waits != 0 || Site.duplicates != 0)
      Sites.push_back(&Site);
  std::ranges::sort(Sites, {},
                    [](const SyncSite *Site) { return std::pair(-benefit(*Site), Site); });
  if (Sites.empty()) {
    line("\n  No call waits for the GPU.");
    return;
  }
  Text += '\n';
  Table T({0, 1});
  T.add({"call", "at", "calls", "blocked", "wait time", "redundant", "early", "copied again",
         "avoidable"});
  for (size_t I = 0; I < shown(Sites.size()); ++I) {
    const SyncSite &Site = *Sites[I];
    T.add({Site.api, placeOf(Site), grouped(Site.calls), grouped(Site.blocked),
           secondsText(Site.wait_seconds), grouped(Site.unnecessary), grouped(Site.misplaced),
           grouped(Site.duplicates), secondsText(benefit(Site))});
  }
  Text += T.text("  ");
  if (size_t Left = Sites.size() - shown(Sites.size()))
    line("  {} more", grouped(Left));
}

/// Managed memory that moved, and who waited for that.
void Printer::syncMigrations() {
  if (!S.sync->migrations || S.sync->migrations->empty())
    return;
  line("\n  Managed memory that migrates:");
  for (size_t I = 0; I < shown(S.sync->migrations->size()); ++I) {
    const SyncMigration &M = (*S.sync->migrations)[I];
    line("  {}: {} to the device, {} to the host",
         M.object ? label(*M.object) : "memory that is not known",
         plural(M.to_device_bytes, "byte"), plural(M.to_host_bytes, "byte"));
  }
  for (const SyncSite &Site : S.sync->sites)
    if (Site.migrated_bytes != 0)
      paragraph("  ", fmt::format("{} at {}: {} moved for {:.0f} % of the time that it waited; "
                                  "cudaMemPrefetchAsync moves them before they are needed",
                                  Site.api, placeOf(Site), plural(Site.migrated_bytes, "byte"),
                                  100 * Site.migration_share));
}

void Printer::syncGroups() {
  if (!S.sync->functions.empty()) {
    line("\n  By function:");
    for (size_t I = 0; I < shown(S.sync->functions.size()); ++I) {
      const SyncFold &F = S.sync->functions[I];
      line("  {:>9}  {} in {}, {}", secondsText(F.benefit_seconds), F.api,
           F.function.empty() ? "?" : F.function, plural(F.sites.size(), "call site"));
    }
  }
  for (size_t I = 0; I < shown(S.sync->sequences.size()); ++I) {
    const SyncSequence &Q = S.sync->sequences[I];
    if (Q.entries.empty())
      continue;
    line("\n  Sequence, {}: {} avoidable", plural(Q.count, "time"), secondsText(Q.benefit_seconds));
    for (size_t E = 0; E < Q.entries.size(); ++E) {
      const SyncSite &Site = S.sync->sites[Q.entries[E].site];
      line("  {:>4}. {} at {}{}{}", E + 1, Site.api, placeOf(Site),
           Q.entries[E].waits ? fmt::format(", {}", plural(Q.entries[E].waits, "wait")) : "",
           Q.entries[E].copies
               ? fmt::format(", copied again {}", plural(Q.entries[E].copies, "time"))
               : "");
    }
  }
}

void Printer::syncSitesAtFirstSight() {
  Table T({0, 1});
  T.add({"call", "at", "calls", "copied bytes", "host time", "wait time"});
  const size_t Shown = shown(S.sync->sites.size());
  for (size_t I = 0; I < Shown; ++I) {
    const SyncSite &Site = S.sync->sites[I];
    T.add({Site.api, placeOf(Site), grouped(Site.calls), grouped(Site.copied_bytes),
           secondsText(Site.call_seconds), secondsText(Site.wait_seconds)});
  }
  Text += T.text("  ");
  if (const size_t Left = S.sync->sites.size() - Shown)
    line("  {} more", grouped(Left));
}

void Printer::sync() {
  if (!S.sync)
    return;
  if (Profiles.syncAtFirstSight()) {
    line("\n{}", styled(Bold, "Transfers and waits"));
    return syncSitesAtFirstSight();
  }
  line("\n{}", styled(Bold, "Synchronisation"));
  syncStages();
  if (S.sync->uses_assumed)
    paragraph(
        "  ",
        fmt::format("{} of {} uses by the host are not observed, because the memory shares pages "
                    "with other data or is on a stack: the waits before them count as "
                    "needed. Build with --gmprof-host-accesses to observe them.",
                    grouped(S.sync->uses_assumed), grouped(S.sync->uses_seen)));
  if (!S.sync->gpu_times_known)
    line("  GPU times are not known: a wait is taken to be as long as its call.");
  syncSites();
  syncMigrations();
  syncGroups();
}

} // namespace gmprof::text
