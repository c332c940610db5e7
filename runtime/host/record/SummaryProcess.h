//===- SummaryProcess.h - Has gmprof write a summary ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_RECORD_SUMMARYPROCESS_H
#define GMPROF_HOST_RECORD_SUMMARYPROCESS_H

#include <string>

namespace gmprof::host {

/// Writes Directory/summary.json: runs `gmprof recover` of the installation that this library
/// belongs to, and waits for its end. Returns why that failed; empty if it did not.
std::string writeSummaryOf(const std::string &LogPath, const std::string &Directory);

} // namespace gmprof::host

#endif // GMPROF_HOST_RECORD_SUMMARYPROCESS_H
