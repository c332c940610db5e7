//===- Merge.h - Summaries of many processes as one -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ranks of an MPI job, forks, or the same program on many machines: findings that are the same
// by their fingerprints become one, coverage and launches add up, and of each number that
// describes a process (Measures.h) there are least, mean and greatest, and who is far off.
//
// Summaries are read by several threads, and each is cut down to what goes into the merged one
// before it is added, in the order of the paths: so the result does not depend on the threads,
// and memory not on how many summaries there are, but for a few numbers of each.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MERGE_H
#define GMPROF_REPORT_MERGE_H

#include "profile/Result.h"
#include "report/Summary.h"
#include <atomic>
#include <string>
#include <vector>

namespace gmprof {

/// The summaries of Paths: files, and folders with one, or with folders that have one. Each once.
Result<std::vector<std::string>> summariesIn(const std::vector<std::string> &Paths);

struct MergeOptions {
  unsigned Threads = 0; ///< to read with; 0: one
  /// Leave out what cannot be read, and say so in the coverage; else it is an error.
  bool SkipBroken = false;
  /// Set: leave out what was not read yet, and say so in the coverage.
  const std::atomic<bool> *Stop = nullptr;
};

/// Of at least one.
Result<summary::Summary> mergeSummaries(const std::vector<std::string> &Paths,
                                        const MergeOptions &Options);

/// Indexes of those values that lie further from the median than 3.5 times what is usual, by the
/// modified z-score (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993), and than 1 %
/// of it. None of fewer than 4.
std::vector<uint32_t> outliersOf(const std::vector<double> &Values);

/// How a process is called: rank 3, or host:pid.
std::string processName(const summary::MergedProcess &P);

/// Several of them, by their indexes in All.list: ranks 0-5, 7.
std::string processNames(const summary::Processes &All, const std::vector<uint32_t> &Which);

} // namespace gmprof

#endif // GMPROF_REPORT_MERGE_H
