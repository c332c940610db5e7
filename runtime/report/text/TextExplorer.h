//===- TextExplorer.h - Explores problems of synchronisation -- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to see the same: with commands, one at a time, that are read from a terminal
// or a pipe; all of it as text; all of it as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_TEXTEXPLORER_H
#define GMPROF_REPORT_TEXT_TEXTEXPLORER_H

#include "report/text/TextReport.h"
#include "report/views/SyncExplorer.h"
#include <cstdio>

namespace gmprof {

/// Returns all groups, expanded.
std::string exploredText(const summary::Summary &S, const TextOptions &Options);
/// Returns {"kind", "title", "seconds", "share" (of the program's time), "site", "sequence",
/// "notes", "groups": [the same]}.
std::string exploredJson(const summary::Summary &S);

/// Describes a part of a sequence and its saving.
Result<std::string> subsequenceText(const summary::Summary &S, SubsequenceEstimates &Estimates,
                                    const SyncSubsequence &Part, const TextOptions &Options);
/// Returns {"sequence", "first", "last", "entries", "seconds", "share", "replay_seconds"}.
Result<std::string> subsequenceJson(const summary::Summary &S, SubsequenceEstimates &Estimates,
                                    const SyncSubsequence &Part);

/// Reads commands until there are no more, or one says to stop.
void explore(const summary::Summary &S, SubsequenceEstimates &Estimates, const TextOptions &Options,
             std::FILE *In, std::FILE *Out);

} // namespace gmprof

#endif // GMPROF_REPORT_TEXT_TEXTEXPLORER_H
