//===- StatusLine.h - What a command is doing -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line of the terminal that the standard error is, written over and removed in the end. To a
// file or a pipe, or a terminal that is dumb (TERM), nothing is written.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_STATUSLINE_H
#define GMPROF_CLI_STATUSLINE_H

namespace gmprof::cli {

/// Shows what profile/Progress.h is told: "gmreport: reading events.gmlog, 40 %".
void showProgressOf(const char *Command);

/// Before anything else is written, and in the end.
void clearStatusLine();

} // namespace gmprof::cli

#endif // GMPROF_CLI_STATUSLINE_H
