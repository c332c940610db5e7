//===- OutputDirectory.cpp - Where a run's results go ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/record/OutputDirectory.h"
#include "cache/TraceFormat.h"
#include "profile/CompressedLog.h"
#include "profile/Records.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

/// Makes Path and the directories above it. Returns false and errno.
bool makeDirectories(const std::string &Path) {
  for (size_t Slash = Path.find('/', 1); Slash != std::string::npos;
       Slash = Path.find('/', Slash + 1))
    if (mkdir(Path.substr(0, Slash).c_str(), 0777) != 0 && errno != EEXIST && errno != EROFS &&
        errno != EACCES)
      return false;
  return mkdir(Path.c_str(), 0700) == 0 || errno == EEXIST;
}

/// Returns the beginning of a regular file; empty if it is none. Follows no links.
std::string readFile(const std::string &Path, size_t Limit) {
  int Fd = ::open(Path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (Fd < 0)
    return "";
  std::string Text;
  struct stat Facts = {};
  if (fstat(Fd, &Facts) == 0 && S_ISREG(Facts.st_mode)) {
    Text.resize(std::min<size_t>(Limit, Facts.st_size));
    ssize_t Got = read(Fd, Text.data(), Text.size());
    Text.resize(Got < 0 ? 0 : Got);
  }
  close(Fd);
  return Text;
}

template <size_t N> bool beginsWith(const std::string &Path, const char (&Magic)[N]) {
  return readFile(Path, N) == std::string(Magic, N);
}
bool isLog(const std::string &Path) {
  return beginsWith(Path, log::Magic) || beginsWith(Path, CompressedLog::Magic);
}
bool isTrace(const std::string &Path) { return beginsWith(Path, cache::TraceMagic); }

bool isSummary(const std::string &Path) {
  return readFile(Path, 4096).find("\"gmprof.summary/") != std::string::npos;
}

/// Returns the files that have the name of an event log, or another ending.
std::vector<std::string> candidates(const std::string &Path, std::string_view Ending = ".gmlog") {
  std::vector<std::string> Names;
  DIR *Directory = opendir(Path.c_str());
  if (!Directory)
    return Names;
  while (dirent *Entry = readdir(Directory)) {
    std::string Name = Entry->d_name;
    if (Name.starts_with("events") && Name.ends_with(Ending))
      Names.push_back(Path + "/" + Name);
  }
  closedir(Directory);
  std::sort(Names.begin(), Names.end());
  return Names;
}

/// Returns whether all users may replace files in the folder, which belongs to another user.
bool isOpenToAll(int Folder) {
  struct stat Facts = {};
  return fstat(Folder, &Facts) == 0 && Facts.st_uid != geteuid() && Facts.st_uid != 0 &&
         (Facts.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH;
}

bool exists(const std::string &Path) {
  struct stat Facts = {};
  return lstat(Path.c_str(), &Facts) == 0;
}

} // namespace

Result<std::unique_ptr<OutputDirectory>> OutputDirectory::openAndLock(const std::string &Path,
                                                                      bool Lock) {
  std::string Trimmed = Path;
  while (Trimmed.size() > 1 && Trimmed.back() == '/')
    Trimmed.pop_back();
  if (!makeDirectories(Trimmed))
    return Error{"cannot make the output directory '" + Trimmed + "': " + std::strerror(errno) +
                 "; choose another one"};
  int Fd = ::open(Trimmed.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Fd < 0)
    return Error{"cannot open the output directory '" + Trimmed + "': " + std::strerror(errno) +
                 "; choose another one"};
  if (isOpenToAll(Fd)) {
    close(Fd);
    return Error{"the output directory '" + Trimmed +
                 "' belongs to another user and everyone can write to it; choose another one"};
  }
  bool Exclusive = Lock && flock(Fd, LOCK_EX | LOCK_NB) == 0;
  std::unique_ptr<OutputDirectory> Directory(new OutputDirectory(Trimmed, Fd, Exclusive));
  if (faccessat(Fd, ".", W_OK | X_OK, 0) != 0)
    return Error{"cannot write to the output directory '" + Trimmed + "': " + std::strerror(errno) +
                 "; choose another one"};
  return Directory;
}

Result<std::unique_ptr<OutputDirectory>> OutputDirectory::openForLog(const std::string &Path) {
  return openAndLock(Path, /*Lock=*/false);
}

Result<std::unique_ptr<OutputDirectory>> OutputDirectory::open(const std::string &Path) {
  auto Directory = openAndLock(Path, /*Lock=*/true);
  if (Directory && !(*Directory)->Exclusive)
    Directory = openAndLock(Path + "/" + std::to_string(getpid()), /*Lock=*/true);
  if (!Directory)
    return Directory;
  if (std::string Why = (*Directory)->removeOldResults(); !Why.empty())
    return Error{Why};
  return Directory;
}

OutputDirectory::~OutputDirectory() { close(Fd); }

void OutputDirectory::makeAbsolute() {
  std::error_code Failed;
  std::filesystem::path Absolute = std::filesystem::absolute(Path, Failed);
  if (!Failed)
    Path = Absolute.string();
}

std::string OutputDirectory::newLogPath() const {
  std::string Base = Exclusive ? "events" : "events-" + std::to_string(getpid());
  std::string Name = Base;
  const auto IsTaken = [&] {
    const std::string Log = join(Name + ".gmlog");
    return exists(Log) || exists(cache::tracePathOf(Log));
  };
  for (int Next = 2; IsTaken(); ++Next)
    Name = Base + "-" + std::to_string(Next);
  return join(Name + ".gmlog");
}

std::vector<std::string> OutputDirectory::logsIn(const std::string &Path) {
  std::vector<std::string> Names = candidates(Path);
  std::erase_if(Names, [](const std::string &Name) { return !isLog(Name); });
  return Names;
}

std::string OutputDirectory::removeOldResults() const {
  std::vector<std::string> Old = candidates(Path);
  const std::vector<std::string> Traces = candidates(Path, ".gmtrace");
  std::string Summary = join("summary.json");
  auto Foreign = std::find_if_not(Old.begin(), Old.end(), isLog);
  auto ForeignTrace = std::find_if_not(Traces.begin(), Traces.end(), isTrace);
  if (Foreign != Old.end() || ForeignTrace != Traces.end() ||
      (exists(Summary) && !isSummary(Summary)))
    return "'" +
           (Foreign != Old.end()           ? *Foreign
            : ForeignTrace != Traces.end() ? *ForeignTrace
                                           : Summary) +
           "' is not a result of GMProf and is not overwritten: choose another output "
           "directory, or move the file away";
  Old.insert(Old.end(), Traces.begin(), Traces.end());
  if (exists(Summary))
    Old.push_back(Summary);
  for (const std::string &File : Old)
    if (unlink(File.c_str()) != 0)
      return "cannot replace '" + File + "': " + std::strerror(errno);
  return "";
}

} // namespace gmprof::host
