//===- SharedMemoryCandidate.h - Finds data for shared memory ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section VI.D, EM): choosing the arrays that a kernel keeps in shared memory is
// a knapsack problem whose items can be partitioned. The knapsack is the shared memory that a block
// can use without reducing the number of resident blocks. An item is an array; its weight is the
// part that one block needs, its value the global memory accesses it saves: the block's accesses,
// minus one load and, if written, one store per element. For partitionable items, choosing by value
// per byte is optimal (Dantzig, Discrete-Variable Extremum Problems, 1957); the paper's authors did
// so by hand.
//
// The part of a global memory array that a block needs follows from closed forms, evaluated for
// single blocks. For an array with counted accesses, a block may need everything the launch
// touches.
//
// Proposes arrays that a block accesses at least three times per element and that the kernel either
// only reads (a table, a stencil's input, tiles of a matrix) or only accumulates atomically (a
// histogram, of which each block can keep its own). Arrays that are written and read are not
// proposed, because blocks may communicate through them; neither are arrays of atomics whose
// results are used, since copies per block would return other values (AtomicContention.h).
//
// Arrays that are in shared memory already compete if the profile has their counts: one with less
// value per byte than its replacement is to move out. Without counts they stay, and the suggestion
// states the use that justifies them.
//
// Elements that only one thread of a block accesses, however often, are no candidates: the thread
// can keep them in registers. Three threads are sampled, and only closed forms tell.
//
// A small table that no kernel writes, and of which all threads of a block read the same element at
// a time, belongs in constant memory or kernel parameters instead.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_SHAREDMEMORYCANDIDATE_H
#define GMPROF_ANALYSIS_SHARED_SHAREDMEMORYCANDIDATE_H

#include "analysis/Finding.h"
#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/shared/SharedMemoryUse.h"

namespace gmprof::analysis {

struct SharedMemoryCandidateOptions {
  /// Minimum accesses per element and block that justify a copy: the four neighbours of a stencil
  /// do, one read and one write do not.
  double MinReuse = 3;
  /// Number of requests per warp that a copy cannot reduce, where all lanes of each load the same
  /// element: a word of flags, the bounds of a warp's row.
  double FewRequests = 2;
  /// Minimum share of the kernel's global memory accesses.
  double MinShare = 0.05;
  /// Minimum share of saved accesses for severity Medium.
  double MediumShare = 0.25;
  /// Minimum loads of an element by a block for severity Medium: fewer are often as fast from L1.
  double MediumReuse = 16;
  /// Shared memory of a block without opt-in.
  uint64_t BlockBytes = 48 << 10;
  /// Size that kernel parameters can hold on all GPUs.
  uint64_t ConstantBytes = 4 << 10;
};

std::vector<Finding> sharedMemoryCandidates(const profile::Profile &P,
                                            const std::vector<KernelGlobalUse> &Global,
                                            const std::vector<KernelSharedUse> &Shared,
                                            const SharedMemoryCandidateOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_SHAREDMEMORYCANDIDATE_H
