//===- Process.h - Running other programs -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_PROCESS_H
#define GMPROF_DRIVER_PROCESS_H

#include <string>
#include <vector>

namespace gmprof::driver {

/// Runs a command and waits for it. Returns its exit status, 128 + the signal
/// that ended it, or 127 if it could not be started.
int run(const std::vector<std::string> &Command);

/// Returns the standard output of a command; empty if the command failed.
std::string capture(const std::vector<std::string> &Command);

/// Returns the command quoted for the shell.
std::string quoted(const std::vector<std::string> &Command);

/// A folder for temporary files, removed with its contents, also when the process is told to stop.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  /// Returns the path of the folder; empty if it could not be made.
  const std::string &path() const { return Path; }

private:
  std::string Path;
};

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_PROCESS_H
