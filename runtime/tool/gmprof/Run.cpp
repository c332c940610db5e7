//===- Run.cpp - The run and recover commands -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program writes an event log; this file makes the summary from it after the program has ended,
// normally or not.
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/Run.h"
#include "cache/TraceFormat.h"
#include "cli/StatusLine.h"
#include "host/core/DeviceChoice.h"
#include "host/core/Options.h"
#include "host/instrument/CloneCache.h"
#include "host/record/OutputDirectory.h"
#include "host/record/OutputName.h"
#include "host/record/Recorder.h"
#include "profile/CompressedLog.h"
#include "profile/EventLogReader.h"
#include "profile/Progress.h"
#include "report/builder/WriteSummary.h"
#include "report/check/CombineRuns.h"
#include "report/files/ResultWriter.h"
#include "report/files/SizeLimitSignal.h"
#include "report/files/UnfinishedFile.h"
#include "report/model/SummaryJson.h"
#include "report/text/Terminal.h"
#include "tool/gmprof/BlocksRun.h"
#include "tool/gmprof/Child.h"
#include "tool/gmprof/Preparation.h"
#include "tool/gmprof/TraceFollower.h"
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

TextOptions textOptions(const std::string &Summary) {
  TextOptions O = terminalOptions(STDERR_FILENO);
  O.FitScreen = true;
  O.Path = Summary.substr(0, Summary.rfind('/'));
  O.AllFindings = "gmreport " + O.Path + " --top 0";
  return O;
}

/// Prints the overview of a summary, unless it is of a Further rank of a job, and where it is.
void say(const WrittenSummary &Written, bool Quiet, bool Further = false) {
  cli::clearStatusLine();
  if (Quiet)
    return;
  if (const std::optional<int> Rank = Written.Content.run.rank; Rank && Further) {
    std::fprintf(stderr, "gmprof: wrote %s, of rank %d\n", Written.Path.c_str(), *Rank);
    return;
  }
  std::string Overview = textOverview(Written.Content, textOptions(Written.Path));
  // The exit status is the program's, also if nobody reads the overview (2>&1 | head).
  struct sigaction Before = {}, Ignore = {};
  Ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &Ignore, &Before);
  std::fprintf(stderr, "%s%sgmprof: wrote %s\n", Overview.c_str(),
               Overview.empty() || Overview.back() == '\n' ? "" : "\n", Written.Path.c_str());
  sigaction(SIGPIPE, &Before, nullptr);
}

/// Ends gmprof with a hint when it is interrupted. The program has ended; its records stay even if
/// the summary fails.
void endWhenInterruptedWith(const std::string &Hint) {
  static std::string Message;
  Message = "gmprof: interrupted; " + Hint + "\n";
  endWhenInterrupted(Message.c_str());
}

/// Writes the summary of a log and, unless Quiet, prints its overview. Further: other processes of
/// the run come before.
Result<bool> summarise(const std::string &Log, const std::string &Directory,
                       std::optional<int> Status, bool Quiet, bool Further,
                       TraceFollower::Results Known = {}) {
  Result<WrittenSummary> Written =
      writeSummary(Log, Directory, Status, std::move(Known.Caches), std::move(Known.Names));
  if (!Written)
    return Error{Written.error()};
  say(*Written, Quiet, Further);
  return true;
}

/// Says how to see all processes of a run together.
void sayMerge(size_t Processes, const std::string &Directory, bool Quiet) {
  if (Processes > 1 && !Quiet)
    std::fprintf(
        stderr, "gmprof: %zu processes were profiled: gmreport merge %s makes one report of them\n",
        Processes, Directory.c_str());
}

/// Compresses the log of a process that has ended. A log without End record, and one that cannot be
/// compressed, stays as it is.
void compressLog(const std::string &Path) {
  Result<EventLogReader> Reader = EventLogReader::open(Path);
  bool Ended = false;
  while (std::optional<EventLogReader::Record> Each = Reader ? Reader->next() : std::nullopt)
    Ended |= Each->Kind == log::RecordKind::End;
  if (!Ended)
    return;
  const std::vector<std::byte> File = CompressedLog::compress(Reader->log());
  if (File.empty())
    return;
  const NoSizeLimitSignal Guard;
  UnfinishedFile To(Path);
  const int Descriptor = To.descriptor();
  if (Descriptor < 0)
    return;
  const bool Written = write(Descriptor, File.data(), File.size()) == ssize_t(File.size());
  if (close(Descriptor) == 0 && Written)
    To.finish();
}

int prepareOutput(Preparation &P) {
  std::string Name = P.Program.substr(P.Program.rfind('/') + 1);
  const Result<std::string> Path = expandOutput(P.TheOptions.Output, outputFacts(Name));
  if (!Path)
    return fail(ExitUsage, Path.error());
  auto Directory = OutputDirectory::open(*Path);
  if (!Directory)
    return fail(ExitOwnFailure, Directory.error());
  P.Directory = std::move(*Directory);
  return 0;
}

std::vector<std::string> environmentOf(const Preparation &P, SyncStage Stage = SyncStage::Single,
                                       bool Migrations = false) {
  Options O = P.TheOptions;
  O.Stage = Stage;
  O.Migrations = Migrations;
  O.LogOnly = true;
  // The program may change its directory, and the name is final.
  O.Output = literalOutput(realPath(P.Directory->path()));
  std::vector<std::string> Variables = {"GMPROF_OPTIONS=" + formatOptions(O),
                                        "LD_PRELOAD=" + P.Preload, "PYTHONPATH=" + P.PythonPath};
  // The machine code that CuPy kept of runs without GMProf has no PTX that clones are made of.
  const std::filesystem::path Clones = CloneCache::defaultDirectory();
  if (!getenv("CUPY_CACHE_DIR") && !Clones.empty())
    Variables.push_back("CUPY_CACHE_DIR=" + (Clones.parent_path() / "cupy").string());
  return environmentWith(Variables);
}

/// Writes the log of a run without records, and returns its path.
Result<std::string> emptyLog(const RunCommand &Command, const Preparation &P, pid_t Pid) {
  auto Log = EventLogWriter::create(P.Directory->newLogPath());
  if (!Log)
    return Error{Log.error()};
  std::string Path = (*Log)->path();
  Recorder Record(std::move(*Log));
  Record.run(P.TheOptions, P.OnCpu ? "cpu" : "gpu", Command.Program, Pid);
  Record.gap("programs",
             !P.TheOptions.Profiles.empty() ? "it launched no CUDA kernel that GMProf could see"
                                            : "profiling was off",
             1);
  Record.end({}, 0);
  return Path;
}

/// Moves the log of the program itself to the front.
void orderLogs(std::vector<std::string> &Logs, const std::string &Directory, pid_t Child) {
  std::string Own = Directory + "/events-" + std::to_string(Child) + ".gmlog";
  auto It = std::find(Logs.begin(), Logs.end(), Own);
  if (It != Logs.end())
    std::rotate(Logs.begin(), It, It + 1);
}

/// Sorts logs by the start of their processes.
void orderByStart(std::vector<std::string> &Logs) {
  std::map<std::string, uint64_t> Start;
  for (const std::string &Log : Logs) {
    Start[Log] = UINT64_MAX;
    Result<EventLogReader> Reader = EventLogReader::open(Log);
    std::optional<EventLogReader::Record> First;
    if (!Reader || !(First = Reader->next()) || First->Kind != log::RecordKind::Run)
      continue;
    auto *Text = reinterpret_cast<const char *>(First->Payload.data());
    const auto Json = nlohmann::json::parse(Text, Text + First->Payload.size(), nullptr, false);
    if (Json.is_object() && Json.value("steady_start_ns", nlohmann::json()).is_number_unsigned())
      Start[Log] = Json["steady_start_ns"].get<uint64_t>();
  }
  std::sort(Logs.begin(), Logs.end(), [&](const std::string &A, const std::string &B) {
    return std::pair(Start[A], A) < std::pair(Start[B], B);
  });
}

/// Makes the folder for the log of a process other than the first: events-<pid>.gmlog belongs to
/// <pid>/.
std::string directoryForLog(const std::string &Directory, const std::string &Stem) {
  const std::string Path = Directory + "/" + Stem.substr(Stem.find('-') + 1);
  mkdir(Path.c_str(), 0700);
  return Path;
}

int finish(const RunCommand &Command, const Preparation &P, const ChildExit &Exit,
           TraceFollower *Follower = nullptr) {
  const std::string &Directory = P.Directory->path();
  endWhenInterruptedWith("'gmprof recover " + Directory + "' writes the summary");
  std::vector<std::string> Logs = P.Directory->logs();
  bool Quiet = P.TheOptions.Quiet;
  if (Logs.empty()) {
    Result<std::string> Empty = emptyLog(Command, P, Exit.Pid);
    if (!Empty)
      return fail(ExitOwnFailure, Empty.error());
    if (!P.TheOptions.Profiles.empty() && !Quiet)
      fail(0, "warning: '" + P.Program +
                  "' launched no CUDA kernel that GMProf could see: is it a CUDA program, linked "
                  "with the shared libcudart?");
    Logs.push_back(*Empty);
  }
  orderLogs(Logs, Directory, Exit.Pid);

  std::string Failure;
  for (size_t I = 0; I < Logs.size(); ++I) {
    std::string Stem = Logs[I].substr(Directory.size() + 1);
    Stem = Stem.substr(0, Stem.size() - std::string(".gmlog").size());
    const std::string Target = I > 0 ? directoryForLog(Directory, Stem) : Directory;
    std::string Log = Target + "/events.gmlog";
    TraceFollower::Results Known;
    if (Follower)
      Known = Follower->take(Logs[I]);
    if (rename(Logs[I].c_str(), Log.c_str()) != 0)
      Log = Logs[I];
    else
      rename(cache::tracePathOf(Logs[I]).c_str(), cache::tracePathOf(Log).c_str());
    if (Known.Caches)
      Known.Caches->Path = cache::tracePathOf(Log);
    Result<bool> Done = summarise(Log, Target, I == 0 ? std::optional(Exit.Status) : std::nullopt,
                                  Quiet, /*Further=*/I > 0, std::move(Known));
    if (!Done)
      Failure = Done.error() + "; the events are in " + Log + ", and 'gmprof recover " + Target +
                "' writes the summary";
    else if (I == 0) // others may still run
      compressLog(Log);
  }
  sayMerge(Logs.size(), Directory, Quiet);
  if (!Failure.empty())
    return fail(Exit.Status ? Exit.Status : ExitOwnFailure, Failure);
  return Exit.Status;
}

//===----------------------------------------------------------------------===//
// Profiles of synchronisation
//===----------------------------------------------------------------------===//

/// A run of the program for one stage. Its log gets the stage's name.
struct StageRun {
  SyncStageLog Log;
  bool Logged = false;
};

Result<StageRun> runStage(const RunCommand &Command, const Preparation &P, SyncStage Stage,
                          const std::string &Name, bool Silent, bool Migrations) {
  if (Silent)
    progress("running the program again, for the stage " + Name);
  const uint64_t Begin = steadyNs();
  Result<ChildExit> Exit = runChild(P.Program, Command.Program, environmentOf(P, Stage, Migrations),
                                    Silent ? Nowhere : ChildStreams{});
  if (!Exit)
    return Error{Exit.error()};
  StageRun Run;
  Run.Log.Name = Name;
  Run.Log.Seconds = static_cast<double>(steadyNs() - Begin) / 1e9;
  Run.Log.ExitStatus = Exit->Status;
  const std::string Directory = P.Directory->path();
  const std::string Own = Directory + "/events-" + std::to_string(Exit->Pid) + ".gmlog";
  // The log of the run that the summary describes has the same name as in other profiles.
  Run.Log.LogPath =
      Directory + (Stage == SyncStage::Memory ? "/events.gmlog" : "/events-" + Name + ".gmlog");
  Run.Logged = rename(Own.c_str(), Run.Log.LogPath.c_str()) == 0;
  return Run;
}

/// Runs the feed-forward stages (Diogenes, SC'19, Figure 1), each in a run of the program.
int runStages(const RunCommand &Command, const Preparation &P) {
  const Input TheInput;
  std::vector<SyncStageLog> Logs;
  int Status = 0;
  auto Run = [&](SyncStage Stage, const char *Name) -> Result<StageRun> {
    TheInput.again();
    // CUPTI takes two seconds to end where there is no managed memory.
    const bool Migrations = Stage == SyncStage::Memory && hasManagedMemory(Logs.back().LogPath);
    Result<StageRun> Done =
        runStage(Command, P, Stage, Name, /*Silent=*/P.Repeated || !Logs.empty(), Migrations);
    if (Done && Done->Logged)
      Logs.push_back(Done->Log);
    return Done;
  };
  for (auto [Stage, Name] :
       {std::pair(SyncStage::Baseline, "baseline"), std::pair(SyncStage::Trace, "trace"),
        std::pair(SyncStage::Memory, "memory")}) {
    Result<StageRun> Done = Run(Stage, Name);
    if (!Done)
      return fail(ExitCannotRun, Done.error());
    if (Stage == SyncStage::Baseline)
      Status = Done->Log.ExitStatus.value_or(0);
    if (!Done->Logged)
      return finish(Command, P, {0, Status});
  }
  endWhenInterruptedWith("the logs of its runs are in " + P.Directory->path());
  const double Least = Logs[0].Seconds.value_or(0) * P.TheOptions.LateShare / 100;
  if (needsUseTimes(Logs[1].LogPath, Logs[2].LogPath, Least))
    if (Result<StageRun> Done = Run(SyncStage::Use, "use"); !Done)
      return fail(ExitCannotRun, Done.error());

  endWhenInterruptedWith("the logs of its runs are in " + P.Directory->path());
  Result<WrittenSummary> Written = writeSyncSummary(Logs, P.Directory->path(), Status);
  if (!Written)
    return fail(Status ? Status : ExitOwnFailure, Written.error());
  say(*Written, P.TheOptions.Quiet);
  return Status;
}

/// Runs the program once, and writes a summary for each of its processes.
int runOnce(const RunCommand &Command, const Preparation &P) {
  std::optional<TraceFollower> Follower;
  if (P.TheOptions.Profiles.has(ProfileChoice::Cache))
    Follower.emplace(P.Directory->path());
  Result<ChildExit> Exit =
      runChild(P.Program, Command.Program, environmentOf(P), P.Repeated ? Nowhere : ChildStreams{});
  if (!Exit)
    return fail(ExitCannotRun, Exit.error());
  return finish(Command, P, *Exit, Follower ? &*Follower : nullptr);
}

/// Traces the program, with its blocks where an untraced run has them.
int runPlaced(const RunCommand &Command, Preparation &P) {
  const Input TheInput;
  P.TheOptions.CacheRun = CacheStage::Blocks;
  const Result<std::string> Blocks = recordBlocks(Command, P, environmentOf(P));
  P.TheOptions.CacheRun = CacheStage::Trace;
  if (!Blocks)
    return fail(ExitCannotRun, Blocks.error());
  P.TheOptions.Placement = *Blocks;
  P.Repeated = true;
  progress("running the program again, with a trace");
  TheInput.again();
  return runOnce(Command, P);
}

int runProfiles(const RunCommand &Command, Preparation &P) {
  if (P.TheOptions.Profiles == ProfileChoice::Sync)
    return runStages(Command, P);
  // The CPU device has no SMs on which a trace could move blocks.
  const bool IsPlaced =
      Command.PlaceBlocks && !P.OnCpu && P.TheOptions.Profiles == ProfileChoice::Cache;
  return IsPlaced ? runPlaced(Command, P) : runOnce(Command, P);
}

//===----------------------------------------------------------------------===//
// All profiles, each in runs of its own
//===----------------------------------------------------------------------===//

/// Returns the profiles of the further runs after the overview: those that do not fit in its run.
/// The profiles of the overview take turns, so that a kernel that was launched once can have left
/// no launch for shared memory.
std::vector<ProfileChoice> furtherRuns(const summary::Summary &Overview) {
  std::vector<ProfileChoice> Runs;
  for (const summary::ProfileCoverage &P : Overview.coverage.profiles)
    if (P.profile == nameOf(ProfileChoice::Shared) && !P.never_counted.empty())
      Runs.push_back(ProfileChoice::Shared);
  Runs.insert(Runs.end(), {ProfileChoice::Elements, ProfileChoice::Cache, ProfileChoice::Sync});
  return Runs;
}

/// Runs the program again with another profile. Returns its summary.
Result<summary::Summary> runAgain(const RunCommand &Command, const Preparation &Of,
                                  ProfileChoice Profile, const std::string &Name) {
  progress("running the program again, with --profile " + Name);
  Preparation P = {Of.TheOptions, Of.Program,    Of.Facts, Of.OnCpu,
                   Of.Preload,    Of.PythonPath, nullptr,  true};
  P.TheOptions.Profiles = Profile;
  P.TheOptions.Quiet = true;
  auto Directory = OutputDirectory::open(Of.Directory->path() + "/" + Name);
  if (!Directory)
    return Error{Directory.error()};
  P.Directory = std::move(*Directory);
  runProfiles(Command, P);
  return readSummary(P.Directory->path() + "/summary.json", SummaryText::AsItIs);
}

/// Runs the program with the overview, and again with each further profile, and combines the
/// summaries of runs that do not differ.
int runFull(const RunCommand &Command, Preparation &P) {
  const bool Quiet = P.TheOptions.Quiet;
  if (!Quiet)
    fail(0, "--full runs the program 6 to 8 times: overview, shared memory if need be, elements, "
            "cache, and sync in 3 or 4 runs");
  const Input TheInput;
  P.TheOptions.Profiles = OverviewProfiles;
  P.TheOptions.Quiet = true;
  const int Status = runOnce(Command, P);
  const std::string &Path = P.Directory->path();
  Result<summary::Summary> All = readSummary(Path + "/summary.json", SummaryText::AsItIs);
  if (!All)
    return Status;
  std::vector<std::string> Warnings;
  for (const ProfileChoice Profile : furtherRuns(*All)) {
    const std::string Name = nameOf(Profile);
    TheInput.again();
    Result<summary::Summary> More = runAgain(Command, P, Profile, Name);
    std::string Why = More ? differenceOfRuns(*All, *More) : More.error();
    if (Why.empty()) {
      combineRuns(*All, std::move(*More), Name);
      continue;
    }
    if (More)
      Why = "runs differ: " + Why;
    if (More && !TheInput.canBeReadAgain())
      Why += " (the input comes from a pipe, which can be read once: redirect it from a file)";
    Warnings.push_back(std::string("--profile ") + Name + " is left out: " + Why);
    All->coverage.gaps.push_back({"runs", Warnings.back(), 1});
    All->coverage.whole = false;
  }
  cli::clearStatusLine();
  Result<std::string> Written = writeMergedSummary(*All, Path);
  if (!Written)
    return fail(Status ? Status : ExitOwnFailure, Written.error());
  say({*Written, std::move(*All)}, Quiet);
  for (const std::string &Warning : Warnings)
    fail(0, "warning: " + Warning);
  return Status;
}

} // namespace

int runProgram(const RunCommand &Command) {
  if (Command.Full && std::ranges::any_of(Command.Options, [](const std::string &Option) {
        return Option.starts_with("profile=");
      }))
    return fail(ExitUsage, "--full includes all profiles: leave out --profile");
  Preparation P;
  if (int Status = prepareOptions(Command, P.TheOptions))
    return Status;
  if (P.TheOptions.Quiet)
    setProgressReceiver(nullptr);
  if (int Status = prepareProgram(Command, P))
    return Status;
  if (int Status = prepareDevice(P))
    return Status;
  if (int Status = prepareOutput(P))
    return Status;
  return Command.Full ? runFull(Command, P) : runProfiles(Command, P);
}

int recoverLog(const std::string &Path, const std::string &OutputPath) {
  std::vector<std::string> Logs = {Path};
  if (std::filesystem::is_directory(Path))
    Logs = OutputDirectory::logsIn(Path);
  if (Logs.empty())
    return fail(ExitOwnFailure, std::filesystem::exists(Path + "/events.gmlog")
                                    ? "'" + Path + "/events.gmlog' is no event log"
                                    : "there is no event log in '" + Path + "'");
  orderByStart(Logs);
  endWhenInterruptedWith("no log was changed");
  int Status = 0;
  for (size_t I = 0; I < Logs.size(); ++I) {
    const std::filesystem::path Log = Logs[I];
    std::string Target = !OutputPath.empty()     ? OutputPath
                         : Log.has_parent_path() ? Log.parent_path().string()
                                                 : ".";
    if (I > 0)
      Target = directoryForLog(Target, Log.stem().string());
    if (Result<bool> Done = summarise(Log.string(), Target, {}, /*Quiet=*/false, I > 0); !Done)
      Status = fail(ExitOwnFailure, Done.error());
  }
  return Status;
}

} // namespace gmprof::host
