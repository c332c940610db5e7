//===- HelperProcess.h - Runs another program of GMProf ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_HELPERPROCESS_H
#define GMPROF_PROFILE_HELPERPROCESS_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace gmprof {

/// Returns the real path of the folder of the executable or library that holds Address; empty if it
/// is not known.
std::string folderOf(const void *Address);

/// A process and the socket that is its standard input and output. It inherits the environment but
/// for LD_PRELOAD and no other open file, blocks no signals, and is in a process group of its own:
/// signals of the terminal do not reach it.
class HelperProcess {
public:
  enum class Errors { Discard, Read };

  /// Starts Program, a path.
  HelperProcess(const std::string &Program, const std::vector<std::string> &Arguments,
                Errors StandardError);
  /// Kills it if it still runs.
  ~HelperProcess();
  HelperProcess(const HelperProcess &) = delete;
  HelperProcess &operator=(const HelperProcess &) = delete;

  /// Returns false if the process has ended or never ran. Blocks while the process does not read.
  bool write(std::string_view Text) const;
  /// Returns the next line of its output, without its end; nothing if the process has ended.
  std::optional<std::string> readLine();

  using Time = std::chrono::steady_clock::time_point;
  /// Returns false if the process has ended, or has not read Text before Deadline.
  bool write(std::string_view Text, Time Deadline) const;
  /// Returns the next Count bytes of its output; nothing if the process ends, or does not write
  /// them before Deadline.
  std::optional<std::string> read(size_t Count, Time Deadline);
  /// Returns whether the socket is still the one that was opened: a program may close descriptors
  /// that it does not know, and open others in their place.
  bool hasSocket() const;
  /// Kills the process, which ends reading and writing by other threads.
  void kill() const;
  /// Leaves the process to the one that started it, of which this process is a fork.
  void abandon();

private:
  pid_t Pid = -1;
  int Socket = -1;
  uint64_t SocketNumber = 0; ///< inode
  std::string Read;          ///< output that readLine() has not returned yet
};

} // namespace gmprof

#endif // GMPROF_PROFILE_HELPERPROCESS_H
