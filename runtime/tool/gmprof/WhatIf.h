//===- WhatIf.h - The whatif command ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the program unmodified and without a finding's calls (host/sync/WhatIf.h), alternately, so
// that other load of the machine affects both equally. Compares medians of the times, and the
// output and files of the program. Timed runs do not check what the left-out copies would have
// transferred, since that takes time; one more run, which is not timed, does.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_WHATIF_H
#define GMPROF_TOOL_GMPROF_WHATIF_H

#include "tool/gmprof/Run.h"

namespace gmprof::host {

/// Exit statuses in addition to those of gmprof.
enum WhatIfStatus {
  ExitRefused = 3, ///< leaving out the calls is not safe
  ExitChanged = 4, ///< the changed program behaves differently
};

struct WhatIfCommand {
  std::vector<std::string> Options; ///< as in RunCommand
  std::vector<std::string> Program; ///< empty: as profiled
  std::string From;                 ///< a summary or its directory; empty: profile first
  /// Numbers or fingerprints, of calls to be left out together; empty: the first finding about
  /// synchronisation or copies.
  std::vector<std::string> Findings;
  unsigned Runs = 5;
  std::vector<std::string> Compare; ///< files that the program writes
  std::string Ignore;               ///< lines that do not count
  std::string Output;               ///< empty: in the folder of the summary
  bool Json = false;                ///< to stdout, in the place of text
  bool Verify = true;
};

int runWhatIf(const WhatIfCommand &Command);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_WHATIF_H
