//===- SkipPlanFile.cpp - Plans of calls to skip --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/SkipPlanFile.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <filesystem>
#include <nlohmann/json.hpp>

namespace gmprof {

using analysis::SkipAs;
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

std::string planJson(const SkipPlan &P, const std::string &Result, bool Verify) {
  auto Name = [](SkipAs As) {
    switch (As) {
    case SkipAs::WaitLate:
      return "wait_late";
    case SkipAs::NoCopy:
      return "no_copy";
    case SkipAs::NoCopyButWait:
      return "no_copy_but_wait";
    default:
      return "no_wait";
    }
  };
  nlohmann::json J = {
      {"depth", P.Depth},
      {"reuse", P.Reuse},
      {"verify", Verify},
      {"kernels_access", {{"managed", P.KernelsAccessManaged}, {"pinned", P.KernelsAccessPinned}}},
      {"result", Result},
      {"places", nlohmann::json::array()}};
  for (const analysis::SkipPlace &Place : P.Places) {
    nlohmann::json &To = J["places"].emplace_back();
    To = {{"api", Place.Api}, {"place", Place.Place}, {"calls", nlohmann::json::array()}};
    for (const analysis::SkipPlace::Range &R : Place.Ranges)
      To["calls"].push_back({R.First, R.Last, Name(R.As)});
  }
  return J.dump();
}

} // namespace gmprof
