//===- SyncFinding.h - Findings about calls ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What findings about synchronisation and copies have in common: the place of the calls,
// and a severity by how much of the program's time they cost.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNCFINDING_H
#define GMPROF_ANALYSIS_SYNCFINDING_H

#include "analysis/SyncProblems.h"

namespace gmprof::analysis {

template <typename T> double seconds(T Ns) { return static_cast<double>(Ns) / 1e9; }

/// File and line of a run's call path; empty: not known.
std::string placeOf(const profile::Profile &P, uint32_t CallPath);

/// "The wait", "All 3 waits", "2 of 3 waits"
std::string someOf(uint64_t Some, uint64_t All, const std::string &One);

/// About one of S.Sites, without kind, evidence and text. Benefit: in ns.
Finding syncFinding(const SyncRuns &Runs, const SyncProblems &S, const SyncSite &Site,
                    const char *Pattern, uint64_t Benefit);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNCFINDING_H
