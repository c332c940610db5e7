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
#include "report/files/UnfinishedFile.h"
#include "tool/gmprof/Child.h"
#include "tool/gmprof/Preparation.h"
#include "tool/gmprof/WhatIfTrial.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
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
  Result<WhatIfRun> run(const WhatIfPlan &Plan);

private:
  const WhatIfCommand &Command;
  const Preparation &P;
  const Scratch &Files;
  const Input TheInput;
};

Result<WhatIfRun> WhatIfRuns::run(const WhatIfPlan &Plan) {
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
  WhatIfRun R;
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
int tryIt(WhatIfTrial &T, WhatIfRuns &Runs, const WhatIfCommand &Command, const Scratch &Files) {
  const std::string Result = Files.file("result");
  const WhatIfPlan AsItIs = planOfRun(SkipPlan(), Result, /*Verify=*/false);
  const WhatIfPlan Without = planOfRun(T.Plan, Result, /*Verify=*/false);
  // The first one warms up.
  for (unsigned I = 0; I <= Command.Runs; ++I)
    for (auto [Plan, To] : {std::pair(&AsItIs, &T.AsItIs), std::pair(&Without, &T.Without)}) {
      progress("running the program", 2 * I + (To == &T.Without), 2 * (Command.Runs + 1));
      gmprof::Result<WhatIfRun> R = Runs.run(*Plan);
      if (!R)
        return fail(ExitCannotRun, R.error());
      if (I != 0)
        To->push_back(std::move(*R));
    }
  if (Command.Verify && T.leavesOutCopies()) {
    gmprof::Result<WhatIfRun> R = Runs.run(planOfRun(T.Plan, Result, /*Verify=*/true));
    if (!R)
      return fail(ExitCannotRun, R.error());
    T.Verification = std::move(*R);
  }
  std::vector<RunOutput> Before, After;
  for (const WhatIfRun &R : T.AsItIs)
    Before.push_back(R.Output);
  for (const WhatIfRun &R : T.Without)
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

  WhatIfTrial T = {S, Findings, std::move(*Plan), {}, {}, {}, {}};
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
