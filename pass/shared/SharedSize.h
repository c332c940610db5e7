//===- SharedSize.h - Hides the counters from the program -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host enlarges dynamic shared memory by the counters. A clone that reads the size of its
// shared memory gets the original's size.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_SHAREDSIZE_H
#define GMPROF_PASS_SHARED_SHAREDSIZE_H

#include "pass/core/Clone.h"
#include <string>

namespace gmprof {

/// Returns why the size that F, a kernel or a device function that it calls, reads cannot be
/// corrected, or an empty string.
std::string obstacleToSharedSize(const llvm::Function &F);

/// Corrects the size that a completed clone of a kernel with counters in shared memory reads.
void correctSharedSize(const Clone &C);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_SHAREDSIZE_H
