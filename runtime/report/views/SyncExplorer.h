//===- SyncExplorer.h - A tree of synchronisation problems ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data that Diogenes (SC'19, Section 5.1, Figures 6 to 8) lets users explore: problems, the
// most costly first, grouped by GPU API, then by calling function (without template arguments),
// then by call site; and sequences, of which parts can be selected. Built from a summary alone,
// except that the saving of part of a sequence is computed from the event logs that the summary
// names.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_SYNCEXPLORER_H
#define GMPROF_REPORT_VIEWS_SYNCEXPLORER_H

#include "analysis/sync/SyncProblems.h"
#include "report/files/ResultFolder.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// A line of the explorer, with its children.
struct SyncProblemGroup {
  enum class Kind { Run, Api, Function, Place, Sequence, Entry };
  Kind Is = Kind::Run;
  std::string Title;
  std::optional<double> Seconds;  ///< potential saving
  std::vector<std::string> Notes; ///< further details
  std::vector<SyncProblemGroup> Groups;
  std::optional<uint32_t> Site;     ///< index in summary::Sync::sites, for places and entries
  std::optional<uint32_t> Sequence; ///< index in summary::Sync::sequences
};

/// Returns all problems. Requires S.sync.
SyncProblemGroup syncProblemGroups(const summary::Summary &S);

/// Returns all details of a call site.
SyncProblemGroup syncPlace(const summary::Summary &S, uint32_t Site);

/// Returns a sequence of summary::Sync::sequences; its groups are its entries.
SyncProblemGroup syncSequence(const summary::Summary &S, uint32_t Index);

/// Part of a sequence: entries First to Last, one-based and inclusive.
struct SyncSubsequence {
  uint32_t Sequence = 0; ///< one-based
  size_t First = 0, Last = 0;
};

/// Reads the event logs on first use.
class SubsequenceEstimates {
public:
  /// Prepares estimates. Results must outlive this. Requires a summary with sync.
  explicit SubsequenceEstimates(const ResultFolder &Results)
      : Results(Results), S(Results.summary()) {}

  Result<analysis::SubsequenceBenefit> of(const SyncSubsequence &Part);

private:
  Result<bool> read();

  const ResultFolder &Results;
  const summary::Summary &S;
  SyncStages Stages;
  std::unique_ptr<analysis::SyncSubsequences> Sequences;
};

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_SYNCEXPLORER_H
