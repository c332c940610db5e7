//===- LiveRangeSummary.h - Live ranges in summary.json ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_LIVERANGESUMMARY_H
#define GMPROF_REPORT_BUILDER_LIVERANGESUMMARY_H

#include "analysis/shared/SharedMemoryUse.h"
#include "report/model/Summary.h"

namespace gmprof {

/// Returns the live ranges in a kernel's shared array; nothing if no data is moved to or from it.
std::optional<summary::LiveRanges> liveRangeSummary(const profile::Profile &P, uint32_t Kernel,
                                                    const analysis::SharedArray &A);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_LIVERANGESUMMARY_H
