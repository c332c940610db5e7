//===- OutputComparison.h - Whether a program did the same ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is run as it is several times, and in another way. What differs among the runs as
// it is, like times that it prints, tells nothing: such lines are left out, and counted.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_OUTPUTCOMPARISON_H
#define GMPROF_TOOL_GMPROF_OUTPUTCOMPARISON_H

#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::host {

/// What a run leaves behind.
struct RunOutput {
  int Status = 0;
  std::string Out, Err;
  std::vector<std::string> Files; ///< contents of those to compare
};

struct OutputComparison {
  /// One line each: what is different, and how.
  std::vector<std::string> Differences;
  /// What differs among the runs as they are, and so was not compared.
  std::vector<std::string> Vary;

  bool same() const { return Differences.empty(); }
};

/// As: of the program as it is, one at least. Ignore: an extended regular expression of lines
/// that do not count; empty: none. Names: of the files.
OutputComparison compareOutputs(const std::vector<RunOutput> &As,
                                const std::vector<RunOutput> &Changed, const std::string &Ignore,
                                const std::vector<std::string> &Names);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_OUTPUTCOMPARISON_H
