//===- Child.h - Runs the program -------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the program with the terminal, the signals and the exit status as if it were started
// directly.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_CHILD_H
#define GMPROF_TOOL_GMPROF_CHILD_H

#include "profile/Result.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace gmprof::host {

struct ChildExit {
  pid_t Pid = 0;
  int Status = 0; ///< its exit status, or 128 + the signal that killed it
};

/// Files that receive the program's output.
struct ChildStreams {
  std::string Out, Err;
};
inline const ChildStreams Nowhere = {"/dev/null", "/dev/null"};

/// Runs Path with these arguments (the first is its name) and environment to its
/// end.
Result<ChildExit> runChild(const std::string &Path, const std::vector<std::string> &Arguments,
                           const std::vector<std::string> &Environment,
                           const ChildStreams &Streams = {});

/// Returns the environment of this process, with Variables ("NAME=value") added or replaced.
std::vector<std::string> environmentWith(const std::vector<std::string> &Variables);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_CHILD_H
