//===- StatusLine.h - Shows progress on a terminal --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line on standard error that is overwritten, and removed at the end. It stays empty if standard
// error is not a terminal, or is a dumb one (TERM).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_STATUSLINE_H
#define GMPROF_CLI_STATUSLINE_H

namespace gmprof::cli {

/// Shows the progress of profile/Progress.h: "gmreport: reading events.gmlog, 40 %".
void showProgressOf(const char *Command);

/// Removes the line; call before any other output, and at the end.
void clearStatusLine();

} // namespace gmprof::cli

#endif // GMPROF_CLI_STATUSLINE_H
