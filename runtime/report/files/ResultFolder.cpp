//===- ResultFolder.cpp - Reads the results of a run ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/ResultFolder.h"
#include "profile/ProfileBuilder.h"
#include "report/symbols/Symbolizer.h"
#include <utility>
#include <vector>

namespace gmprof {

ResultFolder::ResultFolder(std::string Given, summary::Summary TheContent)
    : Path(std::move(Given)),
      Folder(std::filesystem::is_directory(Path) ? std::filesystem::path(Path)
                                                 : std::filesystem::path(Path).parent_path()),
      Content(std::move(TheContent)) {}

Result<ResultFolder> ResultFolder::open(const std::string &Path, SummaryText Strings) {
  Result<summary::Summary> S = readSummary(Path, Strings);
  if (!S)
    return Error{S.error()};
  return ResultFolder(Path, std::move(*S));
}

std::optional<std::string> ResultFolder::file(const std::string &Name) const {
  for (const summary::File &F : Content.files)
    if (F.name == Name)
      return (Folder / F.path).string();
  return std::nullopt;
}

Result<profile::Profile> ResultFolder::profile(const std::string &Use) const {
  const std::optional<std::string> Log = file(logName("memory"));
  if (!Log)
    return Error{"'" + Path + "' names no event log, from which " + Use + " made"};
  Result<profile::Profile> P = readProfile(*Log);
  if (P)
    Symbols().name(*P);
  return P;
}

Result<SyncStages> ResultFolder::stages() const {
  std::vector<SyncStageLog> Logs;
  const auto Add = [&](const std::string &Stage, std::optional<double> Seconds,
                       std::optional<int> ExitStatus) {
    if (std::optional<std::string> Log = file(logName(Stage)))
      Logs.push_back({Stage, std::move(*Log), Seconds, ExitStatus});
  };
  if (!Content.sync || Content.sync->stages.empty())
    Add("memory", std::nullopt, std::nullopt);
  else
    for (const summary::SyncStage &Stage : Content.sync->stages)
      Add(Stage.name, Stage.seconds, Stage.exit_status);
  return readSyncStages(Logs);
}

Result<std::string> ResultFolder::memoryTrace() const {
  if (std::optional<std::string> Trace = file("memory_trace"))
    return std::move(*Trace);
  return Error{"'" + Path +
               "' names no trace of memory accesses: make one with gmprof run --profile cache"};
}

} // namespace gmprof
