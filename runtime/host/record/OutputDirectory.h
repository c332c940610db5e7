//===- OutputDirectory.h - Where a run's results go -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directory holds the results of one run: events.gmlog and summary.json. The
// process that uses it locks it; another one at the same time (a forked child,
// another rank) uses a directory in it that is named after its process id. Below
// `gmprof run`, which holds the lock, programs write event logs that are named
// after their process ids. Results of an earlier run are replaced, files of
// anybody else never.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_RECORD_OUTPUTDIRECTORY_H
#define GMPROF_HOST_RECORD_OUTPUTDIRECTORY_H

#include "profile/Result.h"
#include <memory>
#include <string>
#include <vector>

namespace gmprof::host {

class OutputDirectory {
public:
  /// Creates the directory if it is missing (0700), locks it and removes the results of an earlier
  /// run. Checks first that it overwrites only GMProf's own files.
  static Result<std::unique_ptr<OutputDirectory>> open(const std::string &Path);
  /// Opens the directory for a program whose results `gmprof run` merges.
  static Result<std::unique_ptr<OutputDirectory>> openForLog(const std::string &Path);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory &) = delete;
  OutputDirectory &operator=(const OutputDirectory &) = delete;

  const std::string &path() const { return Path; }
  /// Makes the path valid in any working directory.
  void makeAbsolute();
  int fd() const { return Fd; }
  /// Returns a path for this process at which no file exists.
  std::string newLogPath() const;
  /// Return the event logs in the directory, sorted by name.
  std::vector<std::string> logs() const { return logsIn(Path); }
  static std::vector<std::string> logsIn(const std::string &Path);

private:
  OutputDirectory(std::string Path, int Fd, bool Exclusive)
      : Path(std::move(Path)), Fd(Fd), Exclusive(Exclusive) {}
  static Result<std::unique_ptr<OutputDirectory>> openAndLock(const std::string &Path, bool Lock);
  std::string join(const std::string &Name) const { return Path + "/" + Name; }
  std::string removeOldResults() const;

  std::string Path;
  int Fd;
  bool Exclusive; ///< no other process uses it
};

} // namespace gmprof::host

#endif // GMPROF_HOST_RECORD_OUTPUTDIRECTORY_H
