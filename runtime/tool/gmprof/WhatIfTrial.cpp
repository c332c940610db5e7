//===- WhatIfTrial.cpp - Runs with and without calls ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/WhatIfTrial.h"
#include "analysis/Wording.h"
#include <fmt/format.h>

namespace gmprof::host {

using Json = nlohmann::ordered_json;

namespace {

struct Times {
  double Median = 0, Least = 0, Most = 0;
};

Times timesOf(const std::vector<WhatIfRun> &Runs, double WhatIfRun::*Of) {
  std::vector<double> Sorted;
  for (const WhatIfRun &R : Runs)
    Sorted.push_back(R.*Of);
  std::sort(Sorted.begin(), Sorted.end());
  const size_t Middle = Sorted.size() / 2;
  return {Sorted.size() % 2 ? Sorted[Middle] : (Sorted[Middle - 1] + Sorted[Middle]) / 2,
          Sorted.front(), Sorted.back()};
}

Json toJson(const Times &T) {
  return {{"median_seconds", T.Median}, {"least_seconds", T.Least}, {"most_seconds", T.Most}};
}

std::string placeOf(const summary::Finding &F) {
  return F.source ? fmt::format("{}:{}", F.source->file.substr(F.source->file.rfind('/') + 1),
                                F.source->line)
                  : "";
}

} // namespace

Json toJson(const WhatIfTrial &T, const WhatIfCommand &Command) {
  Json J = {{"schema", "gmprof.whatif/1"},
            {"tool", {{"name", "gmprof"}, {"version", GMPROF_VERSION}}},
            {"command", Command.Program},
            {"findings", Json::array()},
            {"refused", T.Plan.Refusal.empty() ? Json() : Json(T.Plan.Refusal)},
            {"places", Json::array()}};
  for (const summary::Finding *F : T.Findings)
    J["findings"].push_back({{"id", F->id},
                             {"fingerprint", F->fingerprint},
                             {"pattern", F->pattern},
                             {"api", T.siteOf(*F) ? Json(T.siteOf(*F)->api) : Json()},
                             {"place", placeOf(*F)},
                             {"message", F->message}});
  for (size_t I = 0; I < T.Plan.Places.size(); ++I) {
    const analysis::SkipPlace &Place = T.Plan.Places[I];
    Json &To = J["places"].emplace_back();
    To = {{"site", Place.Site},
          {"api", Place.Api},
          {"calls", Place.Calls},
          {"to_leave_out", Place.Skipped},
          {"calls_made", T.numbers() ? Json(T.callsAt(I)) : Json()},
          {"stay", Json::array()}};
    for (const auto &[Why, Count] : Place.Left)
      To["stay"].push_back({{"reason", Why}, {"calls", Count}});
  }
  if (T.AsItIs.empty())
    return J;
  const auto Of = T.measured();
  const Times Before = timesOf(T.AsItIs, Of), After = timesOf(T.Without, Of);
  J["runs"] = Command.Runs;
  J["measured"] = Of == &WhatIfRun::Seconds ? "after_the_first_call" : "whole_process";
  J["as_it_is"] = toJson(Before);
  J["without"] = toJson(After);
  J["process_seconds"] = {{"as_it_is", timesOf(T.AsItIs, &WhatIfRun::WallSeconds).Median},
                          {"without", timesOf(T.Without, &WhatIfRun::WallSeconds).Median}};
  J["left_out"] = T.leftOut();
  J["late"] = Json();
  if (T.numbers() && T.numbers()->contains("late"))
    J["late"] = {{"moved", T.late("put_off")},
                 {"uses", T.late("uses")},
                 {"not_moved", Json(T.numbers()->at("late").at("at_once"))}};
  J["memory_used_again"] = T.counted("reused");
  J["memory_ran_out"] = T.counted("given_back");
  J["saving_seconds"] = Before.Median - After.Median;
  J["estimated_seconds"] = T.estimated();
  J["replay_seconds"] = T.replay() ? Json(*T.replay()) : Json();
  J["output"] = {{"same", T.Output.same()},
                 {"differences", T.Output.Differences},
                 {"not_compared", T.Output.Vary}};
  J["copies_checked"] = Json();
  if (T.Verification && T.Verification->Timed) {
    J["copies_checked"] = {};
    for (const char *Name : {"checked", "differ", "not_checked"})
      J["copies_checked"][Name] = T.Verification->Result.at(Name);
  }
  return J;
}

std::string toText(const WhatIfTrial &T) {
  std::string Text;
  for (const summary::Finding *F : T.Findings)
    Text += fmt::format("finding {}, {}{}{}\n", F->id, F->pattern,
                        T.siteOf(*F) ? " of " + T.siteOf(*F)->api : "",
                        F->source ? " at " + placeOf(*F) : "");
  if (!T.Plan.Refusal.empty())
    return Text + "  cannot be tried: " + T.Plan.Refusal + "\n";
  uint64_t Made = 0;
  for (size_t I = 0; I < T.Plan.Places.size(); ++I)
    Made += T.callsAt(I);
  if (T.onlyMoves())
    Text += fmt::format("  {} of {} moved to the first use, where the program waited {}",
                        T.late("put_off"), plural(Made, "call"), plural(T.late("uses"), "time"));
  else
    Text += fmt::format("  {} of {} left out", T.leftOut(), plural(Made, "call"));
  if (const uint64_t Reused = T.counted("reused"))
    Text += fmt::format("; memory was kept, and used again {}", plural(Reused, "time"));
  if (const uint64_t Times = T.counted("given_back"))
    Text += fmt::format("; it had to be released {}", plural(Times, "time"));
  Text += '\n';
  for (const auto &[Why, Count] : T.madeAtOnce())
    Text += fmt::format("  {} not moved: {}\n", plural(Count, "wait"), Why);
  if (T.unsafe())
    Text += "  CUDA used memory for which it had not waited: this run may be wrong\n";
  for (size_t I = 0; I < T.Plan.Places.size(); ++I) {
    const analysis::SkipPlace &Place = T.Plan.Places[I];
    for (const auto &[Why, Count] : Place.Left)
      Text += fmt::format("  {} stayed: {}\n", plural(Count, "call"), Why);
    if (T.numbers() && T.callsAt(I) != Place.Calls)
      Text += fmt::format("  the profiled run made {} of {} from there, this one {}\n",
                          plural(Place.Calls, "call"), Place.Api, T.callsAt(I));
  }
  const auto Of = T.measured();
  const Times Before = timesOf(T.AsItIs, Of), After = timesOf(T.Without, Of);
  auto Line = [&](const char *Name, const Times &Times) {
    Text += fmt::format("  {:<16} {:.6f} s ({:.6f} to {:.6f})\n", Name, Times.Median, Times.Least,
                        Times.Most);
  };
  Line("as it is", Before);
  Line(T.onlyMoves() ? "moved" : "without them", After);
  const double Saving = Before.Median - After.Median;
  Text +=
      fmt::format("  measured saving  {:.6f} s ({:.1f} %), of {} each, {}\n", Saving,
                  100 * Saving / std::max(Before.Median, 1e-9), plural(T.AsItIs.size(), "run"),
                  Of == &WhatIfRun::Seconds ? "from the first call on"
                                            : "of whole processes, as they do not end by exit()");
  Text += fmt::format("  estimated        {:.6f} s{}\n", T.estimated(),
                      T.replay() ? fmt::format(", {:.6f} s by replaying the run", *T.replay())
                                 : std::string());
  Text += T.Output.same() ? "  output           the same" : "  output           CHANGED";
  for (const std::string &Difference : T.Output.Differences)
    Text += "\n                   " + Difference;
  for (const std::string &Varies : T.Output.Vary)
    Text += "\n                   not compared, as it differs among runs as it is: " + Varies;
  Text += '\n';
  if (T.Verification && T.Verification->Timed) {
    const Json &V = T.Verification->Result;
    Text += fmt::format("  copies checked   {}, of which {} would have changed something",
                        V.at("checked").get<uint64_t>(), T.copiesThatDiffer());
    if (const uint64_t Not = V.at("not_checked").get<uint64_t>())
      Text += fmt::format("; {} could not be", Not);
    Text += '\n';
  }
  return Text;
}

} // namespace gmprof::host
