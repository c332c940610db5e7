//===- Outliers.h - Values far from the others ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_CHECK_OUTLIERS_H
#define GMPROF_REPORT_CHECK_OUTLIERS_H

#include <cstdint>
#include <vector>

namespace gmprof {

/// Returns the indices of values whose distance from the median exceeds both 3.5 estimated standard
/// deviations, by the modified z-score (Iglewicz and Hoaglin, How to Detect and Handle Outliers,
/// 1993), and 1 % of the median. Fewer than 4 values have no outliers.
std::vector<uint32_t> outliersOf(const std::vector<double> &Values);

} // namespace gmprof

#endif // GMPROF_REPORT_CHECK_OUTLIERS_H
