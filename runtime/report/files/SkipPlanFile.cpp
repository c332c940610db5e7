//===- SkipPlanFile.cpp - Plans of calls to skip --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SkipPlanFile.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <filesystem>

namespace gmprof {

using analysis::SkipPlan;
using profile::Profile;

static Result<Profile> readLog(const std::string &Path) {
  Result<EventLogReader> Log = EventLogReader::open(Path);
  if (!Log)
    return Error{Log.error()};
  return buildProfile(*Log, Path);
}

Result<SkipPlan> planSkips(const std::vector<const summary::Finding *> &Findings,
                           const summary::Summary &S, const std::string &Directory) {
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
  Result<Profile> Memory = readLog(Directory + "/events.gmlog");
  if (!Memory)
    return Error{Memory.error()};
  std::optional<Profile> Trace, Use;
  for (auto [Name, To] : {std::pair("trace", &Trace), std::pair("use", &Use)}) {
    const std::string Path = Directory + "/events-" + Name + ".gmlog";
    if (!std::filesystem::exists(Path))
      continue;
    Result<Profile> P = readLog(Path);
    if (!P)
      return Error{P.error()};
    *To = std::move(*P);
  }
  analysis::SyncRuns Runs;
  Runs.Trace = Trace ? &*Trace : &*Memory;
  Runs.Memory = &*Memory;
  Runs.Use = Use ? &*Use : nullptr;
  SkipPlan Plan = analysis::planSkips(Runs, Wishes);
  for (const analysis::SkipPlace &Place : Plan.Places)
    if (Place.Api != S.sync->sites[Place.Site].api)
      return Error{"'" + Directory + "' holds other event logs than its summary is of"};
  return Plan;
}

} // namespace gmprof
