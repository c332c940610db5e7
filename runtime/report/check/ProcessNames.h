//===- ProcessNames.h - Names of merged processes ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_PROCESSNAMES_H
#define GMPROF_REPORT_CHECK_PROCESSNAMES_H

#include "report/model/Summary.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gmprof {

/// Returns a name for a process: rank 3, or host:pid.
std::string processName(const summary::MergedProcess &P);

/// Returns a name for several processes by their indices in All.list: ranks 0-5, 7.
std::string processNames(const summary::Processes &All, const std::vector<uint32_t> &Which);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_PROCESSNAMES_H
