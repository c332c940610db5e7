//===- SyncExplorer.h - Problems of synchronisation, to expand  -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Diogenes (SC'19, Section 5.1, Figures 6 to 8) lets its user explore: the problems,
// those that cost most first, put together by the GPU API that has them, below that by the
// function that calls it (without template arguments), and below that by place; and
// sequences, of which any part can be chosen. It is made of a summary; only what a part of a
// sequence saves has to be computed from the event logs that the summary names.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SYNCEXPLORER_H
#define GMPROF_REPORT_SYNCEXPLORER_H

#include "analysis/SyncProblems.h"
#include "report/SyncStages.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// A line of the explorer, and what it expands to.
struct SyncProblemGroup {
  enum class Kind { Run, Api, Function, Place, Sequence, Entry };
  Kind Is = Kind::Run;
  std::string Title;
  std::optional<double> Seconds;  ///< that could be saved
  std::vector<std::string> Notes; ///< what is known of it
  std::vector<SyncProblemGroup> Groups;
  std::optional<uint32_t> Site;     ///< in summary::Sync::sites, of places and entries
  std::optional<uint32_t> Sequence; ///< in summary::Sync::sequences
};

/// All problems. S.sync is there.
SyncProblemGroup syncProblemGroups(const summary::Summary &S);

/// All that is known of a place.
SyncProblemGroup syncPlace(const summary::Summary &S, uint32_t Site);

/// One of summary::Sync::sequences; its groups are its entries.
SyncProblemGroup syncSequence(const summary::Summary &S, uint32_t Index);

/// A part of a sequence: entries First to Last, counted from 1, both included.
struct SyncSubsequence {
  uint32_t Sequence = 0; ///< counted from 1
  size_t First = 0, Last = 0;
};

/// Reads the logs when it is asked for the first time.
class SubsequenceEstimates {
public:
  /// Folder: of the summary.
  SubsequenceEstimates(const summary::Summary &S, std::string Folder)
      : S(S), Folder(std::move(Folder)) {}

  Result<analysis::SubsequenceBenefit> of(const SyncSubsequence &Part);

private:
  Result<bool> read();

  const summary::Summary &S;
  const std::string Folder;
  SyncStages Stages;
  std::unique_ptr<analysis::SyncSubsequences> Sequences;
};

} // namespace gmprof

#endif // GMPROF_REPORT_SYNCEXPLORER_H
