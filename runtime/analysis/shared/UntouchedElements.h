//===- UntouchedElements.h - Elements that no block touches -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the elements of an array in shared memory that no block touches, tells padding from them,
// and describes them by rows, columns or indices.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_UNTOUCHEDELEMENTS_H
#define GMPROF_ANALYSIS_SHARED_UNTOUCHEDELEMENTS_H

#include "analysis/shared/SharedMemoryUse.h"

namespace gmprof::analysis {

/// Sets Touched, Pad, PaddingCounts, NeverTouched and UnusedBytes.
void findNeverTouched(SharedArray &A);

/// Returns true if A.Pad contains the count with this index.
bool isPadding(const SharedArray &A, uint64_t I);

/// Returns "rows 16-31", "elements 3, 7-9" and the like; nothing if all were touched.
std::string describeUntouched(const SharedArray &A);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_UNTOUCHEDELEMENTS_H
