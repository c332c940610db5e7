//===- CallVerdicts.h - Verdicts of all stages on the traced calls *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transfers what the runs of the memory and use stages show about waits, copies and migrations to
// the same calls of the run that traced calls.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_CALLVERDICTS_H
#define GMPROF_ANALYSIS_SYNC_CALLVERDICTS_H

#include "analysis/sync/SyncProblems.h"

namespace gmprof::analysis {

/// One element per call of the traced run.
struct CallVerdicts {
  std::vector<SyncVerdict> Verdicts;
  std::vector<CopyVerdict> Copies;
  std::vector<MigrationWait> Migrations;
  /// Time until the thread's next release that waits for the device, in ns, the lesser of both
  /// runs; UINT64_MAX: none follows.
  std::vector<uint64_t> UntilRelease;
  std::vector<uint32_t> InMemory; ///< the same call in Profile::Calls of the memory run; None: none
};

/// Returns the verdicts. T: of Runs.Trace. Sets the matches of calls, the numbers of uses and the
/// migrated objects of S.
CallVerdicts callVerdicts(const SyncRuns &Runs, const SyncTrace &T, SyncProblems &S);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_CALLVERDICTS_H
