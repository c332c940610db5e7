//===- MergeCommand.cpp - gmreport merge ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/StatusLine.h"
#include "report/check/Merge.h"
#include "report/files/ResultWriter.h"
#include "report/files/UnfinishedFile.h"
#include "report/tool/Tool.h"
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace gmprof::tool {
namespace {

std::atomic<bool> Interrupted = false;

struct MergeCommand {
  std::vector<std::string> Paths;
  std::string Output = "merged", Share;
  MergeOptions Options;

  int run();
};

/// One of several shares of the summaries.
struct MergeShare {
  size_t Index = 0, Count = 1;

  /// Returns the folder of the share in another one. Folders sort as shares do.
  std::string folderIn(const std::string &Output) const {
    return fmt::format("{}/{:0{}}", Output, Index, std::to_string(Count - 1).size());
  }
};

std::optional<size_t> numberOf(std::string_view Text) {
  size_t Number = 0;
  const auto [End, Failure] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  return Failure == std::errc() && End == Text.data() + Text.size() ? std::optional(Number)
                                                                    : std::nullopt;
}

/// Reads --share: R/N, or auto, the rank that a launcher gave this process.
Result<MergeShare> parseShare(const std::string &Text) {
  std::string_view Rank = Text, Size;
  if (Text == "auto") {
    // Open MPI, MPICH and others with PMI, Slurm.
    for (const auto &[OfRank, OfSize] :
         {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
          std::pair("PMI_RANK", "PMI_SIZE"), std::pair("SLURM_PROCID", "SLURM_NTASKS")})
      if (const char *R = std::getenv(OfRank), *S = std::getenv(OfSize); R && S && Size.empty()) {
        Rank = R;
        Size = S;
      }
    if (Size.empty())
      return Error{"--share auto: neither Open MPI, MPICH nor Slurm has started gmreport, which "
                   "tell a process its rank: give the share as 0/4"};
  } else if (const size_t Slash = Text.find('/'); Slash != std::string::npos) {
    Size = Rank.substr(Slash + 1);
    Rank = Rank.substr(0, Slash);
  }
  const std::optional<size_t> Index = numberOf(Rank), Count = numberOf(Size);
  constexpr size_t MostShares = 1 << 24;
  if (!Index || !Count || *Index >= *Count || *Count > MostShares)
    return Error{fmt::format("--share: '{}' of '{}' is not a share, such as 0/4 to 3/4, or auto",
                             Rank, Size)};
  return MergeShare{*Index, *Count};
}

int MergeCommand::run() {
  Result<std::vector<std::string>> Summaries = summariesIn(Paths);
  if (!Summaries)
    return fail(BadInput, Summaries.error());
  if (!Share.empty()) {
    const Result<MergeShare> Of = parseShare(Share);
    if (!Of)
      return fail(BadUsage, Of.error());
    *Summaries = shareOf(*Summaries, Of->Index, Of->Count);
    if (Summaries->empty()) {
      std::printf("share %zu of %zu has no summaries\n", Of->Index, Of->Count);
      return Ok;
    }
    ::mkdir(Output.c_str(), 0700); // writing the summary reports a failure
    Output = Of->folderIn(Output);
  }
  if (Options.Threads == 0)
    Options.Threads = std::max(std::thread::hardware_concurrency(), 1u);
  // The first interrupt merges what was read so far; the second ends the process.
  Options.Stop = &Interrupted;
  struct sigaction Action = {};
  Action.sa_handler = [](int) {
    Interrupted = true;
    endWhenInterrupted("gmreport: interrupted\n");
  };
  Action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &Action, nullptr);
  Result<summary::Summary> Merged = mergeSummaries(*Summaries, Options);
  if (!Merged)
    return fail(BadInput, Merged.error());
  const size_t Count = Merged->processes->list.size();
  const Result<std::string> Written = writeMergedSummary(std::move(*Merged), Output);
  if (!Written)
    return fail(BadInput, Written.error());
  cli::clearStatusLine();
  std::printf("wrote %s, of %s%s: gmreport %s shows it\n", Written->c_str(),
              plural(Count, "process").c_str(), Count < Summaries->size() ? ", but not of all" : "",
              Output.c_str());
  return Interrupted ? Stopped : Ok;
}

} // namespace

Command addMerge(CLI::App &App) {
  auto C = std::make_shared<MergeCommand>();
  CLI::App *Sub = App.add_subcommand(
      "merge", "Merge the summaries of many processes, such as the ranks of an MPI job");
  Sub->add_option("summaries", C->Paths,
                  "Summaries, or folders with one or with folders that have one")
      ->required()
      ->type_name("FILE");
  Sub->add_option("-o,--output", C->Output, "The folder for the merged summary")
      ->type_name("DIR")
      ->capture_default_str();
  Sub->add_option(
         "--share", C->Share,
         "Merge only share R of N, from 0 on, to a folder in the output folder, for "
         "thousands of summaries: merge those folders then. auto: the rank of this process "
         "among those that mpirun or srun started")
      ->type_name("R/N");
  Sub->add_flag("--skip-broken", C->Options.SkipBroken,
                "Leave out unreadable summaries, and list them in the merged one");
  Sub->add_option("--jobs", C->Options.Threads, "Summaries to read at a time; 0: as many as cores")
      ->check(CLI::Range(0u, 256u));
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
