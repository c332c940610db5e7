//===- SyncFinding.h - Findings about calls ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common parts of findings about synchronisation and copies: the call site, and a severity by the
// share of the program's time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_SYNCFINDING_H
#define GMPROF_ANALYSIS_SYNC_SYNCFINDING_H

#include "analysis/sync/SyncProblems.h"

namespace gmprof::analysis {

template <typename T> double seconds(T Ns) { return static_cast<double>(Ns) / 1e9; }

/// Returns file and line of a call path; empty if unknown.
std::string placeOf(const profile::Profile &P, uint32_t CallPath);

/// Returns "The wait", "All 3 waits", "2 of 3 waits".
std::string someOf(uint64_t Some, uint64_t All, const std::string &One);

/// The two estimates of what a change saves, in ns.
struct SyncSaving {
  uint64_t Expected = 0;         ///< Diogenes (SC'19), Section 3.5
  std::optional<int64_t> Replay; ///< of a replay of the run; nothing: the GPU's times are unknown

  /// Returns the lower estimate, by which findings are ranked.
  uint64_t least() const;
};

/// Creates a finding about one of S.Sites, without kind and text; its evidence begins with the
/// estimates of the saving.
Finding syncFinding(const SyncRuns &Runs, const SyncProblems &S, const SyncSite &Site,
                    const char *Pattern, const SyncSaving &Saving);

/// The calls of a function at a line of the program: copies of unrolled loops are several sites.
struct CallsOfLine {
  const SyncSite *First = nullptr;
  uint64_t Calls = 0, CallNs = 0, WaitNs = 0;
  bool UnnecessaryWaits = false; ///< a finding says so
};

/// Returns a key for calls of the function from the path's line; the same in all runs.
std::string lineKey(const profile::Profile &P, const std::string &Api, uint32_t CallPath);
std::map<std::string, CallsOfLine> callsByLine(const SyncRuns &Runs, const SyncProblems &S);

/// Appends to the finding's evidence.
inline void addEvidence(Finding &F, std::initializer_list<decltype(F.Evidence)::value_type> More) {
  F.Evidence.insert(F.Evidence.end(), More);
}

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_SYNCFINDING_H
