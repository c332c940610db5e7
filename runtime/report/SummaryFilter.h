//===- SummaryFilter.h - Leaves out kernels ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SUMMARYFILTER_H
#define GMPROF_REPORT_SUMMARYFILTER_H

#include "profile/Result.h"
#include "report/Summary.h"
#include <string>

namespace gmprof {

/// Keeps the kernels whose name, mangled or demangled, contains a match of
/// Pattern (ECMAScript), their objects and their findings. It is an error if
/// there is none.
Result<summary::Summary> keepKernels(summary::Summary S, const std::string &Pattern);

} // namespace gmprof

#endif // GMPROF_REPORT_SUMMARYFILTER_H
