//===- SkipPlanFile.cpp - Plans of calls to skip --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SkipPlanFile.h"

namespace gmprof {

using analysis::SkipPlan;

Result<SkipPlan> planSkips(const std::vector<const summary::Finding *> &Findings,
                           const ResultFolder &Results) {
  const summary::Summary &S = Results.summary();
  std::vector<analysis::SkipWish> Wishes;
  SkipPlan Refused;
  for (const summary::Finding *F : Findings) {
    if (F->origin != "diogenes" || !S.sync)
      Refused.Refusal = "it is not about synchronisation or copies that are made again";
    else if (!F->site)
      Refused.Refusal = "the summary does not say of which place it is";
    else
      Wishes.push_back({F->pattern, *F->site});
  }
  if (!Refused.Refusal.empty())
    return Refused;
  const Result<SyncStages> Stages = Results.stages();
  if (!Stages)
    return Error{Stages.error()};
  const SyncStageRun *Memory = Stages->find("memory");
  if (!Memory)
    return Error{"'" + Results.folder().string() + "' has no event log"};
  const analysis::SyncRuns Runs = syncRuns(Memory->Content, &*Stages);
  SkipPlan Plan = analysis::planSkips(Runs, Wishes);
  for (const analysis::SkipPlace &Place : Plan.Places)
    if (Place.Api != S.sync->sites[Place.Site].api)
      return Error{"'" + Results.folder().string() +
                   "' holds other event logs than its summary is of"};
  return Plan;
}

} // namespace gmprof
