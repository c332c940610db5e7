//===- WhatIf.cpp - The whatif command ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/WhatIf.h"
#include "cli/StatusLine.h"
#include "host/core/KernelRegex.h"
#include "host/record/Recorder.h"
#include "host/sync/WhatIfPlan.h"
#include "profile/Progress.h"
#include "report/files/ResultFolder.h"
#include "report/files/SizeLimitSignal.h"
#include "report/files/SkipPlanFile.h"
#include "report/files/UnfinishedFile.h"
#include "tool/gmprof/Child.h"
#include "tool/gmprof/OutputComparison.h"
#include "tool/gmprof/Preparation.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace gmprof::host {
namespace {

using Json = nlohmann::ordered_json;
using analysis::SkipAs;
using analysis::SkipPlan;

std::string readFile(const std::string &Path) {
  std::ostringstream Text;
  Text << std::ifstream(Path, std::ios::binary).rdbuf();
  return std::move(Text).str();
}

/// A folder for the output of the runs, removed at the end.
class Scratch {
public:
  Scratch() {
    std::string Name = std::filesystem::temp_directory_path() / "gmprof-whatif-XXXXXX";
    if (mkdtemp(Name.data()))
      Path = Name;
  }
  ~Scratch() {
    std::error_code Ignored;
    if (!Path.empty())
      std::filesystem::remove_all(Path, Ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  bool made() const { return !Path.empty(); }
  std::string file(const std::string &Name) const { return Path + "/" + Name; }

private:
  std::string Path;
};

/// A run of the program.
struct Run {
  RunOutput Output;
  double Seconds = 0; ///< after the first call that needs the GPU
  double WallSeconds = 0;
  bool Timed = false; ///< Seconds is known
  Json Result;        ///< of host/sync/WhatIf.h
};

struct Times {
  double Median = 0, Least = 0, Most = 0;
};

Times timesOf(const std::vector<Run> &Runs, double Run::*Of) {
  std::vector<double> Sorted;
  for (const Run &R : Runs)
    Sorted.push_back(R.*Of);
  std::sort(Sorted.begin(), Sorted.end());
  const size_t Middle = Sorted.size() / 2;
  return {Sorted.size() % 2 ? Sorted[Middle] : (Sorted[Middle - 1] + Sorted[Middle]) / 2,
          Sorted.front(), Sorted.back()};
}

/// Writes the result with the permissions of a summary. Writes through pipes and links instead of
/// replacing them.
bool writeResult(const std::string &Path, const std::string &Text) {
  const NoSizeLimitSignal Guard;
  std::error_code Ignored;
  const auto There = std::filesystem::symlink_status(Path, Ignored);
  if (std::filesystem::exists(There) && !std::filesystem::is_regular_file(There))
    return static_cast<bool>(std::ofstream(Path) << Text << std::flush);
  UnfinishedFile File(Path);
  std::FILE *To = File.descriptor() < 0 ? nullptr : fdopen(File.descriptor(), "w");
  if (!To)
    return false;
  const bool Written = std::fwrite(Text.data(), 1, Text.size(), To) == Text.size();
  return std::fclose(To) == 0 && Written && File.finish();
}

class WhatIfRuns {
public:
  WhatIfRuns(const WhatIfCommand &Command, const Preparation &P, const Scratch &Files)
      : Command(Command), P(P), Files(Files) {}
  Result<Run> run(const WhatIfPlan &Plan);

private:
  const WhatIfCommand &Command;
  const Preparation &P;
  const Scratch &Files;
  const Input TheInput;
};

Result<Run> WhatIfRuns::run(const WhatIfPlan &Plan) {
  const std::string PlanPath = Files.file("plan");
  std::ofstream(PlanPath) << formatWhatIfPlan(Plan);
  Options O;
  O.Profiles = {};
  O.Device = P.TheOptions.Device;
  O.Quiet = true;
  O.Plan = PlanPath;
  TheInput.again();
  const ChildStreams Streams = {Files.file("out"), Files.file("err")};
  const uint64_t Begin = steadyNs();
  Result<ChildExit> Exit = runChild(
      P.Program, Command.Program,
      environmentWith({"GMPROF_OPTIONS=" + formatOptions(O), "LD_PRELOAD=" + P.Preload}), Streams);
  if (!Exit)
    return Error{Exit.error()};
  Run R;
  R.WallSeconds = static_cast<double>(steadyNs() - Begin) / 1e9;
  R.Output = {Exit->Status, readFile(Streams.Out), readFile(Streams.Err), {}};
  for (const std::string &File : Command.Compare) {
    if (!std::filesystem::exists(File))
      return Error{"the program leaves no file '" + File + "' to compare"};
    R.Output.Files.push_back(readFile(File));
  }
  const std::string ResultPath = fmt::format("{}-{}", Files.file("result"), Exit->Pid);
  R.Result = Json::parse(readFile(ResultPath), nullptr, /*allow_exceptions=*/false);
  R.Timed = R.Result.is_object() && R.Result.contains("seconds");
  if (R.Timed)
    R.Seconds = R.Result["seconds"];
  std::filesystem::remove(ResultPath);
  return R;
}

/// Findings, and the results of running without their calls.
struct Trial {
  const summary::Summary &S;
  const std::vector<const summary::Finding *> Findings;
  SkipPlan Plan;
  std::vector<Run> AsItIs, Without;
  std::optional<Run> Verification;
  OutputComparison Output;

  const summary::SyncSite *siteOf(const summary::Finding &F) const {
    return F.site ? &S.sync->sites[*F.site] : nullptr;
  }
  /// Returns the time to compare: process times if a run ended before it wrote its own time.
  double Run::*measured() const {
    auto Timed = [](const Run &R) { return R.Timed; };
    return std::all_of(AsItIs.begin(), AsItIs.end(), Timed) &&
                   std::all_of(Without.begin(), Without.end(), Timed)
               ? &Run::Seconds
               : &Run::WallSeconds;
  }
  double estimated() const {
    double Sum = 0;
    for (const summary::Finding *F : Findings)
      Sum += F->seconds_saved.value_or(0);
    return Sum;
  }
  std::optional<double> replay() const {
    return Plan.ReplaySaving ? std::optional(static_cast<double>(*Plan.ReplaySaving) / 1e9)
                             : std::nullopt;
  }
  /// The first run's numbers: null, if it left none.
  const Json *numbers() const {
    return Without.empty() || !Without.front().Timed ? nullptr : &Without.front().Result;
  }
  uint64_t counted(const char *What) const {
    return numbers() ? numbers()->at(What).get<uint64_t>() : 0;
  }
  uint64_t callsAt(size_t Place) const {
    return numbers() ? numbers()->at("calls").at(Place).get<uint64_t>() : 0;
  }
  uint64_t leftOut() const {
    uint64_t Sum = 0;
    if (numbers())
      for (const auto &[Name, Count] : numbers()->at("instead").items())
        Sum += Count.get<uint64_t>();
    return Sum;
  }
  /// Returns a number about deferred waits.
  uint64_t late(const char *What) const {
    return numbers() && numbers()->contains("late") ? numbers()->at("late").at(What).get<uint64_t>()
                                                    : 0;
  }
  std::vector<std::pair<std::string, uint64_t>> madeAtOnce() const {
    std::vector<std::pair<std::string, uint64_t>> All;
    if (numbers() && numbers()->contains("late"))
      for (const auto &[Why, Count] : numbers()->at("late").at("at_once").items())
        All.emplace_back(Why, Count.get<uint64_t>());
    return All;
  }
  /// Returns whether some use may not have waited, so that the program may have computed something
  /// else.
  bool unsafe() const {
    return std::any_of(Without.begin(), Without.end(), [](const Run &R) {
      return R.Timed && R.Result.contains("late") && R.Result["late"].at("gave_up").get<bool>();
    });
  }
  bool onlyMoves() const {
    return std::all_of(Findings.begin(), Findings.end(), [](const summary::Finding *F) {
      return F->pattern == "misplaced_synchronization";
    });
  }
  uint64_t copiesThatDiffer() const {
    return Verification && Verification->Timed ? Verification->Result.at("differ").get<uint64_t>()
                                               : 0;
  }
  bool leavesOutCopies() const {
    return std::any_of(Findings.begin(), Findings.end(), [](const summary::Finding *F) {
      return F->pattern == "duplicate_transfer";
    });
  }
  bool changed() const { return !Output.same() || copiesThatDiffer() != 0 || unsafe(); }
};

Json toJson(const Times &T) {
  return {{"median_seconds", T.Median}, {"least_seconds", T.Least}, {"most_seconds", T.Most}};
}

std::string placeOf(const summary::Finding &F) {
  return F.source ? fmt::format("{}:{}", F.source->file.substr(F.source->file.rfind('/') + 1),
                                F.source->line)
                  : "";
}

Json toJson(const Trial &T, const WhatIfCommand &Command) {
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
  J["measured"] = Of == &Run::Seconds ? "after_the_first_call" : "whole_process";
  J["as_it_is"] = toJson(Before);
  J["without"] = toJson(After);
  J["process_seconds"] = {{"as_it_is", timesOf(T.AsItIs, &Run::WallSeconds).Median},
                          {"without", timesOf(T.Without, &Run::WallSeconds).Median}};
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

std::string plural(uint64_t Count, const std::string &What) {
  return fmt::format("{} {}{}", Count, What, Count == 1 ? "" : "s");
}

std::string toText(const Trial &T) {
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
  Text += fmt::format("  measured saving  {:.6f} s ({:.1f} %), of {} each, {}\n", Saving,
                      100 * Saving / std::max(Before.Median, 1e-9), plural(T.AsItIs.size(), "run"),
                      Of == &Run::Seconds ? "from the first call on"
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

const summary::Finding *findFinding(const summary::Summary &S, const std::string &Wanted) {
  for (const summary::Finding &F : S.findings)
    if (Wanted.empty() ? F.origin == "diogenes"
                       : std::to_string(F.id) == Wanted || F.fingerprint == Wanted)
      return &F;
  return nullptr;
}

WhatIfPlan::Instead insteadOf(SkipAs As) {
  switch (As) {
  case SkipAs::Stays:
    return WhatIfPlan::Instead::AsItIs;
  case SkipAs::WaitLate:
    return WhatIfPlan::Instead::WaitLate;
  case SkipAs::NoWait:
    return WhatIfPlan::Instead::NoWait;
  case SkipAs::NoCopyButWait:
    return WhatIfPlan::Instead::NoCopyButWait;
  case SkipAs::NoCopy:
    return WhatIfPlan::Instead::NoCopy;
  }
  return WhatIfPlan::Instead::AsItIs;
}

/// Returns the plan of a run that leaves out calls. Result: the file that the run writes.
WhatIfPlan planOfRun(const SkipPlan &P, const std::string &Result, bool Verify) {
  WhatIfPlan Plan;
  Plan.Depth = P.Depth;
  Plan.Reuse = P.Reuse;
  Plan.Verify = Verify;
  Plan.KernelsAccessManaged = P.KernelsAccessManaged;
  Plan.KernelsAccessPinned = P.KernelsAccessPinned;
  Plan.ResultPath = Result;
  for (const analysis::SkipPlace &From : P.Places) {
    WhatIfPlan::Place &To = Plan.Places.emplace_back();
    To.Api = From.Api;
    To.Key = From.Place;
    for (const analysis::SkipPlace::Range &R : From.Ranges)
      To.Ranges.push_back({R.First, R.Last, insteadOf(R.As)});
  }
  return Plan;
}

/// Runs the unmodified and the changed program alternately. Returns 0, or an exit status.
int tryIt(Trial &T, WhatIfRuns &Runs, const WhatIfCommand &Command, const Scratch &Files) {
  const std::string Result = Files.file("result");
  const WhatIfPlan AsItIs = planOfRun(SkipPlan(), Result, /*Verify=*/false);
  const WhatIfPlan Without = planOfRun(T.Plan, Result, /*Verify=*/false);
  // The first one warms up.
  for (unsigned I = 0; I <= Command.Runs; ++I)
    for (auto [Plan, To] : {std::pair(&AsItIs, &T.AsItIs), std::pair(&Without, &T.Without)}) {
      progress("running the program", 2 * I + (To == &T.Without), 2 * (Command.Runs + 1));
      gmprof::Result<Run> R = Runs.run(*Plan);
      if (!R)
        return fail(ExitCannotRun, R.error());
      if (I != 0)
        To->push_back(std::move(*R));
    }
  if (Command.Verify && T.leavesOutCopies()) {
    gmprof::Result<Run> R = Runs.run(planOfRun(T.Plan, Result, /*Verify=*/true));
    if (!R)
      return fail(ExitCannotRun, R.error());
    T.Verification = std::move(*R);
  }
  std::vector<RunOutput> Before, After;
  for (const Run &R : T.AsItIs)
    Before.push_back(R.Output);
  for (const Run &R : T.Without)
    After.push_back(R.Output);
  T.Output = compareOutputs(Before, After, Command.Ignore, Command.Compare);
  if (T.numbers() && T.leftOut() == 0)
    return fail(ExitOwnFailure, "the program made none of these calls: is it the program that was "
                                "profiled, as it was built then?");
  if (T.numbers() && T.onlyMoves() && T.late("put_off") == 0) {
    T.Plan.Refusal = T.madeAtOnce().front().first;
    T.AsItIs.clear();
    T.Without.clear();
  }
  return 0;
}

} // namespace

int runWhatIf(const WhatIfCommand &Given) {
  WhatIfCommand Command = Given;
  if (std::string Why = checkRegex(Command.Ignore); !Why.empty())
    return fail(ExitUsage, "--ignore " + Why);
  if (Command.From.empty()) {
    Command.From = fmt::format("gmprof-whatif-{}", getpid());
    RunCommand Profile = {Command.Options, Command.Program};
    Profile.Options.push_back("profile=sync");
    Profile.Options.push_back("output=" + Command.From);
    const int Status = runProgram(Profile);
    if (!std::filesystem::exists(Command.From + "/summary.json"))
      return Status == 0 ? ExitOwnFailure : Status;
  }
  std::string Path = Command.From;
  if (std::filesystem::is_directory(Path))
    Path += "/summary.json";
  if (!std::filesystem::exists(Path))
    return fail(ExitUsage, "there is no '" + Path +
                               "': --from names the directory of gmprof run --profile sync");
  const Result<ResultFolder> Results = ResultFolder::open(Path, SummaryText::AsItIs);
  if (!Results)
    return fail(ExitOwnFailure, Results.error());
  const summary::Summary &S = Results->summary();
  std::vector<const summary::Finding *> Findings;
  if (Command.Findings.empty())
    Command.Findings.emplace_back();
  for (const std::string &Wanted : Command.Findings) {
    const summary::Finding *F = findFinding(S, Wanted);
    if (!F)
      return fail(ExitUsage, Wanted.empty() ? "there is no finding about synchronisation or copies "
                                              "in '" +
                                                  Path + "'"
                                            : "there is no finding '" + Wanted + "' in '" + Path +
                                                  "': gmreport shows their numbers");
    Findings.push_back(F);
  }
  if (Command.Program.empty())
    Command.Program = S.run.command;
  Result<SkipPlan> Plan = planSkips(Findings, *Results);
  if (!Plan)
    return fail(ExitOwnFailure, Plan.error());

  Trial T = {S, Findings, std::move(*Plan), {}, {}, {}, {}};
  if (T.Plan.Refusal.empty()) {
    Preparation P;
    const RunCommand AsRun = {Command.Options, Command.Program};
    if (int Status = prepareOptions(AsRun, P.TheOptions))
      return Status;
    if (int Status = prepareProgram(AsRun, P))
      return Status;
    if (int Status = prepareDevice(P))
      return Status;
    const Scratch Files;
    if (!Files.made())
      return fail(ExitOwnFailure, "there is no place for temporary files: set TMPDIR");
    WhatIfRuns Runs(Command, P, Files);
    if (int Status = tryIt(T, Runs, Command, Files))
      return Status;
  }
  cli::clearStatusLine();
  const std::string Text = toJson(T, Command).dump(2, ' ', false, Json::error_handler_t::replace);
  std::string Output = Command.Output;
  if (Output.empty()) {
    Output = (Results->folder() / "whatif").string();
    for (const summary::Finding *F : Findings)
      Output += fmt::format("-{}", F->id);
    Output += ".json";
  }
  if (!writeResult(Output, Text + '\n'))
    return fail(ExitOwnFailure, "cannot write '" + Output + "'");
  std::fputs(Command.Json ? (Text + '\n').c_str() : toText(T).c_str(), stdout);
  return !T.Plan.Refusal.empty() ? ExitRefused : T.changed() ? ExitChanged : 0;
}

} // namespace gmprof::host
