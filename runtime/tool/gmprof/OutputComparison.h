//===- OutputComparison.h - Compares outputs of runs ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares runs of the unmodified program with a modified run. Lines that differ among the
// unmodified runs, such as times that the program prints, are not compared, but counted.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_OUTPUTCOMPARISON_H
#define GMPROF_TOOL_GMPROF_OUTPUTCOMPARISON_H

#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::host {

/// The output of a run.
struct RunOutput {
  int Status = 0;
  std::string Out, Err;
  std::vector<std::string> Files; ///< contents of the files to compare
};

struct OutputComparison {
  /// One line for each difference.
  std::vector<std::string> Differences;
  /// Outputs that differ among the unmodified runs, and so were not compared.
  std::vector<std::string> Vary;

  bool same() const { return Differences.empty(); }
};

/// Compares runs. As: unmodified runs, at least one. Ignore: an extended regular expression of
/// lines to ignore; empty: none. Names: the names of the files.
OutputComparison compareOutputs(const std::vector<RunOutput> &As,
                                const std::vector<RunOutput> &Changed, const std::string &Ignore,
                                const std::vector<std::string> &Names);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_OUTPUTCOMPARISON_H
