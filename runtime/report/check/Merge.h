//===- Merge.h - Merges summaries of many processes -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges the ranks of an MPI job, forks, or runs of one program on many machines. Findings with
// equal fingerprints become one, and coverage and launches are summed. Each measure of a process
// (Measures.h) gets its minimum, mean and maximum, and its outliers.
//
// A merged summary keeps the measures of each process, so it can be merged with others: merging the
// merged summaries of consecutive shares gives what merging all at once gives. Sums of seconds may
// differ in their last digit, and so may Kernel::launch_groups_omitted of a kernel with more than
// MaxInline launch groups, which each step counts.
//
// Threads read summaries and reduce each to the data that the merged one needs; the parts are added
// in the order of the paths. The result therefore does not depend on the number of threads, and a
// further summary adds only a few numbers to the memory in use.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_MERGE_H
#define GMPROF_REPORT_CHECK_MERGE_H

#include "profile/Result.h"
#include "report/model/Summary.h"
#include <atomic>
#include <string>
#include <vector>

namespace gmprof {

/// Returns the distinct summaries of Paths: files, folders with one, or folders whose subfolders
/// have one.
Result<std::vector<std::string>> summariesIn(const std::vector<std::string> &Paths);

/// Returns share Index of Count: consecutive paths; empty if there are fewer paths than shares.
std::vector<std::string> shareOf(const std::vector<std::string> &Paths, size_t Index, size_t Count);

struct MergeOptions {
  unsigned Threads = 0; ///< threads that read; 0: one
  /// Omits unreadable summaries and records them in the coverage; otherwise they are errors.
  bool SkipBroken = false;
  /// If set, omits the summaries not yet read, and records them in the coverage.
  const std::atomic<bool> *Stop = nullptr;
};

/// Paths must not be empty.
Result<summary::Summary> mergeSummaries(const std::vector<std::string> &Paths,
                                        const MergeOptions &Options);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_MERGE_H
