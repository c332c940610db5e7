//===- KernelSummary.h - Kernels and their launches -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_KERNELSUMMARY_H
#define GMPROF_REPORT_BUILDER_KERNELSUMMARY_H

#include "analysis/KernelTimes.h"
#include "profile/Profile.h"
#include "report/model/Summary.h"

namespace gmprof {

/// Returns true if launches in this mode are measured.
bool isProfiled(log::LaunchMode Mode);

/// Adds the kernels to kernels[], in the order of P.Kernels, with their launches in groups.
void addKernels(const profile::Profile &P, summary::Summary &S);

/// Adds times, by kernel or empty, to kernels[].
void addKernelTimes(const std::vector<std::optional<analysis::KernelTime>> &Times,
                    summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_KERNELSUMMARY_H
