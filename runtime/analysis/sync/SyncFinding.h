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

/// Creates a finding about one of S.Sites, without kind, evidence and text. Benefit is in ns.
Finding syncFinding(const SyncRuns &Runs, const SyncProblems &S, const SyncSite &Site,
                    const char *Pattern, uint64_t Benefit);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_SYNCFINDING_H
