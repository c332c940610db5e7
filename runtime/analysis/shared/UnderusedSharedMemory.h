//===- UnderusedSharedMemory.h - Finds underused shared memory --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section I.B) looks for infrequently accessed locations in shared memory. Four
// kinds, by decreasing certainty:
//
//  never_touched   No counted block accessed the array.
//  partly_touched  Parts of it were never accessed, except columns that only keep rows on different
//                  banks (tile[32][33]).
//  one_access      Its elements are accessed at most once per block: stored data is not read, or
//                  the array is far larger than a block needs.
//  no_reuse        At most twice: one store and one load. This is useful in a transposition and
//                  unnecessary elsewhere; counts cannot distinguish them, so this is only Info.
//
// Arrays that may have uncounted accesses are not reported.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_UNDERUSEDSHAREDMEMORY_H
#define GMPROF_ANALYSIS_SHARED_UNDERUSEDSHAREDMEMORY_H

#include "analysis/Finding.h"
#include "analysis/shared/SharedMemoryUse.h"

namespace gmprof::analysis {

struct UnderusedSharedMemoryOptions {
  /// Minimum number of unused bytes, and minimum share of the array.
  uint64_t MinUnusedBytes = 128;
  double MinUnusedShare = 1.0 / 16;
  /// Minimum size of an array judged by access counts.
  uint64_t MinReuseBytes = 512;
  /// Maximum accesses per element and block without reuse: one store, one load.
  double NoReuse = 2;
  /// Minimum unused bytes for severity Medium even if no more blocks fit.
  uint64_t MediumBytes = 4096;
};

std::vector<Finding> underusedSharedMemory(const profile::Profile &P,
                                           const std::vector<KernelSharedUse> &Uses,
                                           const UnderusedSharedMemoryOptions &Options = {});

/// Returns why some accesses of A were not counted; empty if all were.
std::string uncountedAccesses(const profile::Descriptor &Desc, const SharedArray &A);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_UNDERUSEDSHAREDMEMORY_H
