//===- NoReuseInLiveRange.h - Finds live ranges without reuse ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section V): an array in shared memory that is accessed often may have no
// reuse, because many pieces of data pass through it and each is used once. An array is reported if
// nearly all live ranges (LiveRanges.h) have at most
//
//   1 access    if data is moved in: it could be used where it was loaded
//   2 accesses  if results are only moved out: one store and the load that moves them, which a
//               register can replace
//
// If a word has one live range per block, the counts per block are equivalent, and
// UnderusedSharedMemory.h applies.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_NOREUSEINLIVERANGE_H
#define GMPROF_ANALYSIS_SHARED_NOREUSEINLIVERANGE_H

#include "analysis/Finding.h"
#include "analysis/shared/SharedMemoryUse.h"

namespace gmprof::analysis {

struct NoReuseInLiveRangeOptions {
  /// Minimum size of an array.
  uint64_t MinBytes = 512;
  /// Maximum share of live ranges with more accesses.
  double MaxReused = 1.0 / 64;
};

std::vector<Finding> noReuseInLiveRange(const profile::Profile &P,
                                        const std::vector<KernelSharedUse> &Uses,
                                        const NoReuseInLiveRangeOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_NOREUSEINLIVERANGE_H
