//===- SyncTables.cpp - Tables of synchronisation -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/TableGroups.h"
#include "report/model/Measures.h"

namespace gmprof {

using namespace summary;

static DataTable syncSitesTable(const Summary &S) {
  DataTable T = {"sync_sites",
                 "Call sites of GPU APIs (--profile sync).",
                 "sync.sites[]",
                 {{"id", Int, "index in the summary's sync.sites", ""},
                  {"api", Text, ""},
                  {"file", Text, "", "source.file"},
                  {"line", Int, "", "source.line"},
                  {"call_path", Int, "frames.call_path"},
                  {"calls", Int, ""},
                  {"waits", Int, "calls that can wait for the GPU"},
                  {"blocked", Int, "that had to"},
                  {"call_seconds", Real, "in the calls"},
                  {"wait_seconds", Real, "waiting"},
                  {"unnecessary", Int, "waits that nothing needs"},
                  {"misplaced", Int, "that come early"},
                  {"needed", Int, ""},
                  {"copies", Int, ""},
                  {"copied_bytes", Int, ""},
                  {"duplicates", Int, "copies of what was copied before"},
                  {"duplicate_bytes", Int, ""},
                  {"benefit_seconds", Real, "avoidable: the lower of estimate and replay", ""}},
                 {}};
  if (S.sync)
    for (const SyncSite &Site : S.sync->sites)
      T.Rows.push_back({T.Rows.size(), Site.api, fileOf(Site.source), lineOf(Site.source),
                        Site.call_path, Site.calls, Site.waits, Site.blocked, Site.call_seconds,
                        Site.wait_seconds, Site.unnecessary, Site.misplaced, Site.needed,
                        Site.copies, Site.copied_bytes, Site.duplicates, Site.duplicate_bytes,
                        benefit(Site)});
  return T;
}

static DataTable syncStagesTable(const Summary &S) {
  DataTable T = {"sync_stages",
                 "Runs of the program (--profile sync).",
                 "sync.stages[]",
                 {{"name", Text, "baseline, trace, memory or use"},
                  {"seconds", Real, ""},
                  {"exit_status", Int, ""},
                  {"calls", Int, "of GPU APIs"},
                  {"missing_calls", Int, "that the traced run has"},
                  {"additional_calls", Int, "that it does not have"}},
                 {}};
  if (S.sync)
    for (const SyncStage &Stage : S.sync->stages)
      T.Rows.push_back({Stage.name, Stage.seconds, Stage.exit_status, Stage.calls,
                        Stage.missing_calls, Stage.additional_calls});
  return T;
}

std::vector<DataTable> syncTables(const Summary &S) {
  return {syncSitesTable(S), syncStagesTable(S)};
}

} // namespace gmprof
