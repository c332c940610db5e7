//===- UnderusedSharedMemory.h - Finds shared memory of no use --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section I.B) asks which locations in shared memory are
// infrequently accessed. Four answers, from the surest to the least sure:
//
//  never_touched   No block that was counted accessed the array.
//  partly_touched  Parts of it were never accessed. Columns that only keep rows
//                  on different banks (tile[32][33]) are not such parts.
//  one_access      Its elements are accessed at most once per block: what is
//                  stored is not read, or the array is far larger than what a
//                  block needs of it.
//  no_reuse        At most twice: one store and one load. That is what a
//                  transposition does, rightly, and what a needless detour
//                  does; counts cannot tell them apart, so this is only a note.
//
// Nothing is claimed of an array that accesses which could not be counted may
// go to.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_UNDERUSEDSHAREDMEMORY_H
#define GMPROF_ANALYSIS_UNDERUSEDSHAREDMEMORY_H

#include "analysis/Finding.h"
#include "analysis/SharedMemoryUse.h"

namespace gmprof::analysis {

struct UnderusedSharedMemoryOptions {
  /// Unused bytes that are worth reporting, and their share of the array.
  uint64_t MinUnusedBytes = 128;
  double MinUnusedShare = 1.0 / 16;
  /// Smaller arrays are not judged by how often they are accessed.
  uint64_t MinReuseBytes = 512;
  /// Accesses per element and block that are no reuse: one store, one load.
  double NoReuse = 2;
  /// Unused bytes that are at least Medium even if no more blocks would fit.
  uint64_t MediumBytes = 4096;
};

std::vector<Finding> underusedSharedMemory(const profile::Profile &P,
                                           const std::vector<KernelSharedUse> &Uses,
                                           const UnderusedSharedMemoryOptions &Options = {});

/// Why not all accesses of A were counted; empty if they were.
std::string uncountedAccesses(const profile::Descriptor &Desc, const SharedArray &A);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_UNDERUSEDSHAREDMEMORY_H
