//===- BlocksRun.h - The run that records where blocks run ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_BLOCKSRUN_H
#define GMPROF_TOOL_GMPROF_BLOCKSRUN_H

#include "tool/gmprof/Preparation.h"

namespace gmprof::host {

/// Runs the program without a trace. Returns the file with the places and times of its blocks,
/// which stays with the results; empty if the program launched no kernel, or several of its
/// processes did. Removes the event logs.
Result<std::string> recordBlocks(const RunCommand &Command, const Preparation &P,
                                 const std::vector<std::string> &Environment);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_BLOCKSRUN_H
