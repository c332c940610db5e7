//===- MisplacedSynchronization.cpp - Finds misplaced synchronization -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.4: the host first uses the protected data some time after the wait,
// and could work until then while the GPU does.
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SiteCallers.h"
#include "analysis/sync/SyncFinding.h"
#include <fmt/format.h>

namespace gmprof::analysis {

using profile::None;

/// Returns the source position of the first use.
static std::string placeOfUse(const SyncRuns &Runs, const SyncSite &Site) {
  return Site.Use == None ? "" : placeOf(*Runs.Memory, Runs.Memory->Uses[Site.Use].CallPath);
}

std::vector<Finding> misplacedSynchronizations(const SyncRuns &Runs, const SyncProblems &S) {
  std::vector<Finding> All;
  for (const SyncSite &Site : S.Sites) {
    if (Site.Misplaced == 0 || Site.Waited == 0)
      continue;
    Finding F = syncFinding(Runs, S, Site, "misplaced_synchronization",
                            {Site.MisplacedBenefit, Site.ReplaySaving});
    F.Kind = Site.Explicit ? "explicit" : "implicit";
    addEvidence(F, {{"waits", Site.Waits},
                    {"misplaced", Site.Misplaced},
                    {"blocked", Site.Waited},
                    {"wait_seconds", seconds(Site.WaitNs)},
                    {"first_use_seconds",
                     seconds(Site.FirstUseNs / std::max<uint64_t>(Site.FirstUses, 1))}});
    const std::string Use = placeOfUse(Runs, Site);
    if (!Use.empty())
      F.Evidence.emplace_back("first_use", Use);
    F.Message = fmt::format("{} of {} {} long before the host uses what {}.",
                            someOf(Site.Misplaced, Site.Waits, "wait"), Site.Api,
                            Site.Misplaced == 1 ? "comes" : "come",
                            Site.Misplaced == 1 ? "it protects" : "they protect") +
                callerSentence(Site);
    F.Suggestion = fmt::format("Wait right before the first use{}.",
                               Use.empty() ? "" : fmt::format(", {}", Use));
    All.push_back(std::move(F));
  }
  return All;
}

} // namespace gmprof::analysis
