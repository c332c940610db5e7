//===- ResultWriter.cpp - Writes the results of a run ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/ResultWriter.h"
#include "profile/Progress.h"
#include "report/files/UnfinishedFile.h"
#include "report/model/SummaryJson.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof {
namespace {

/// A file to write, and how to recognise an existing one as ours.
struct Output {
  std::string Path, Content;
  std::string BeginsWith; ///< without white space
};

std::string failure(const std::string &What, const std::string &Path) {
  return "cannot " + What + " '" + Path + "': " + std::strerror(errno);
}

/// Returns the first columns of a table, which identify it; other versions may have more columns.
std::string firstColumns(const std::string &Table) {
  constexpr unsigned Columns = 3;
  size_t End = 0;
  for (unsigned I = 0; I < Columns; ++I)
    End = Table.find(',', End) + 1;
  return Table.substr(0, End);
}

/// Returns why O.Path must not be replaced; empty if it may.
std::string whyNotReplace(const Output &O) {
  struct stat Status = {};
  if (::lstat(O.Path.c_str(), &Status) != 0)
    return errno == ENOENT ? "" : failure("write", O.Path);
  std::string Refusal = "refusing to replace '" + O.Path +
                        "', which GMProf did not write: choose another output folder";
  if (!S_ISREG(Status.st_mode))
    return Refusal;
  int Fd = ::open(O.Path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return failure("read", O.Path);
  char Buffer[256];
  ssize_t Got = ::read(Fd, Buffer, sizeof(Buffer));
  ::close(Fd);
  std::string Begin;
  for (ssize_t I = 0; I < Got; ++I)
    if (!std::strchr(" \t\r\n", Buffer[I]) || Buffer[I] == 0)
      Begin += Buffer[I];
  return Begin.rfind(O.BeginsWith, 0) == 0 ? "" : Refusal;
}

/// Writes all content, and closes the file.
std::string writeTo(int Fd, const Output &O) {
  const char *At = O.Content.data();
  size_t Left = O.Content.size();
  while (Left != 0) {
    ssize_t Written = ::write(Fd, At, Left);
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written < 0) {
      std::string Why = failure("write", O.Path);
      ::close(Fd);
      return Why;
    }
    At += Written;
    Left -= static_cast<size_t>(Written);
  }
  return ::close(Fd) == 0 ? "" : failure("write", O.Path);
}

/// Writes all files or none.
std::string writeAll(const std::vector<Output> &Outputs) {
  for (const Output &O : Outputs)
    if (std::string Why = whyNotReplace(O); !Why.empty())
      return Why;
  std::vector<UnfinishedFile> Files;
  for (const Output &O : Outputs) {
    progress("writing " + O.Path);
    UnfinishedFile &File = Files.emplace_back(O.Path);
    if (File.descriptor() < 0)
      return failure("write", O.Path);
    if (std::string Why = writeTo(File.descriptor(), O); !Why.empty())
      return Why;
  }
  for (size_t I = 0; I < Outputs.size(); ++I)
    if (!Files[I].finish())
      return failure("write", Outputs[I].Path);
  return "";
}

} // namespace

std::string pathFrom(const std::string &Folder, const std::string &Path) {
  std::error_code Failure;
  const std::filesystem::path File = std::filesystem::absolute(Path, Failure).lexically_normal();
  const std::filesystem::path Base = std::filesystem::absolute(Folder, Failure).lexically_normal();
  const std::string Relative = File.lexically_relative(Base).string();
  return Relative.empty() || Relative.starts_with("..") ? File.string() : Relative;
}

Result<std::string> writeResults(const SummaryAndFiles &Results, const std::string &OutDir) {
  if (::mkdir(OutDir.c_str(), 0700) != 0 && errno != EEXIST)
    return Error{failure("create the folder", OutDir)};
  std::vector<Output> Outputs;
  for (const SideFile &F : Results.Files)
    Outputs.push_back({OutDir + "/" + F.Description.path, F.Content, firstColumns(F.Content)});
  // Written last, so that the files it names exist when it appears.
  std::string Path = OutDir + "/summary.json";
  Outputs.push_back(
      {Path, toJson(Results.Content), std::string("{\"schema\":\"") + summary::SchemaPrefix});
  if (std::string Why = writeAll(Outputs); !Why.empty())
    return Error{Why};
  return Path;
}

Result<std::string> writeMergedSummary(summary::Summary S, const std::string &OutDir) {
  if (S.processes)
    for (summary::MergedProcess &P : S.processes->list)
      P.path = pathFrom(OutDir, P.path);
  return writeResults({std::move(S), {}}, OutDir);
}

} // namespace gmprof
