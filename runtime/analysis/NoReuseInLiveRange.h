//===- NoReuseInLiveRange.h - Finds shared data that is used once -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section V): an array in shared memory that is accessed often
// may still have no reuse, because each of many pieces of data that pass through it
// is used once. An array is found if in nearly all live ranges (LiveRanges.h) there
// is no more than
//
//   1 access    where data is moved in: it could be used where it was loaded
//   2 accesses  where results are moved out only: one store and the load that moves
//               them, which a register does
//
// Where a word has one live range per block the counts per block say the same, and
// UnderusedSharedMemory.h judges by them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_NOREUSEINLIVERANGE_H
#define GMPROF_ANALYSIS_NOREUSEINLIVERANGE_H

#include "analysis/Finding.h"
#include "analysis/SharedMemoryUse.h"

namespace gmprof::analysis {

struct NoReuseInLiveRangeOptions {
  /// Smaller arrays are not worth a word.
  uint64_t MinBytes = 512;
  /// Share of the live ranges that may have more accesses.
  double MaxReused = 1.0 / 64;
};

std::vector<Finding> noReuseInLiveRange(const profile::Profile &P,
                                        const std::vector<KernelSharedUse> &Uses,
                                        const NoReuseInLiveRangeOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_NOREUSEINLIVERANGE_H
