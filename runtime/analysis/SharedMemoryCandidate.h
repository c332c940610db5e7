//===- SharedMemoryCandidate.h - Finds data that earns shared memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section VI.D, EM): which arrays a kernel keeps in shared memory
// is a knapsack problem, except that arrays can be partitioned. The knapsack is the
// shared memory that a block can use without fewer blocks being resident. An item is
// an array; its weight is what one block needs of it, its value the accesses of
// device memory that its place in shared memory saves: what the block accesses, less
// one load and, if it is written, one store of each element. As items can be
// partitioned, taking them by value per byte is optimal (Dantzig, Discrete-Variable
// Extremum Problems, 1957); it is also what the paper's authors did by hand.
//
// What a block needs of an array in device memory follows from closed forms, which
// are evaluated for single blocks. Of an array that counted accesses go to, a block
// may need all of what the launch touches.
//
// Proposed is what a block accesses at least three times per element and that the
// kernel either only reads (a table, a stencil's input, tiles of a matrix) or only
// accumulates atomically (a histogram, of which each block can keep its own). What is
// written and read may be how blocks talk to each other, and is left alone; so is what atomics
// return values of, of which copies per block would return others (AtomicContention.h).
//
// Arrays that are in shared memory already compete, where the profile has their
// counts: one that is worth less per byte than what could take its place is to move
// out. Without counts they stay, and the suggestion says how often they have to be
// used to earn their place.
//
// A small table that no kernel writes, and of which all threads of a block read the same element
// at a time, needs no shared memory: constant memory and kernel parameters are made for that.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHAREDMEMORYCANDIDATE_H
#define GMPROF_ANALYSIS_SHAREDMEMORYCANDIDATE_H

#include "analysis/Finding.h"
#include "analysis/GlobalMemoryUse.h"
#include "analysis/SharedMemoryUse.h"

namespace gmprof::analysis {

struct SharedMemoryCandidateOptions {
  /// Accesses per element and block that are worth a copy: the four neighbours of a
  /// stencil are, a value that is read and written is not.
  double MinReuse = 3;
  /// Of the kernel's accesses of global memory; what has a smaller share is no gain.
  double MinShare = 0.05;
  /// Share of the accesses saved from which on a finding is of medium severity.
  double MediumShare = 0.25;
  /// Shared memory of a block that needs no opting in.
  uint64_t BlockBytes = 48 << 10;
  /// What a kernel's parameters can hold on all GPUs.
  uint64_t ConstantBytes = 4 << 10;
};

std::vector<Finding> sharedMemoryCandidates(const profile::Profile &P,
                                            const std::vector<KernelGlobalUse> &Global,
                                            const std::vector<KernelSharedUse> &Shared,
                                            const SharedMemoryCandidateOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHAREDMEMORYCANDIDATE_H
