//===- AtomicContention.h - Atomics of many threads on one word -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomics on one address are executed one after the other in the L2 cache. If the kernel only
// accumulates, each block can have a copy in shared memory (SharedMemoryCandidate.h). If the kernel
// uses an atomic's result, as an index into a list, or if the operation is no sum (atomicExch,
// atomicCAS, atomicInc), a copy would change results. A warp can still reserve values for all its
// lanes by one atomicAdd: Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics,
// 2014.
//
// Reports objects whose elements a block updates at least 32 times each, the number of lanes of a
// warp, by at least 5 % of the kernel's accesses to global memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBAL_ATOMICCONTENTION_H
#define GMPROF_ANALYSIS_GLOBAL_ATOMICCONTENTION_H

#include "analysis/Finding.h"
#include "analysis/global/GlobalMemoryUse.h"

namespace gmprof::analysis {

struct AtomicContentionOptions {
  /// Updates of an element by a block.
  double MinUpdates = 32;
  /// Share of the kernel's accesses to global memory.
  double MinShare = 0.05;
  double MediumShare = 0.25;
};

/// Returns whether all atomics that may update the object only accumulate
/// (GmprofSiteDesc::reduction).
bool isOnlyAccumulated(const profile::Descriptor &Desc, const GlobalObjectUse &O);

/// Returns the sentence about the order of additions that advice to accumulate elements of the type
/// in parts ends with; empty for integers.
const char *orderOfAdditions(const std::string &Type);

/// Advice for atomics whose results are used, with its condition.
extern const char *const AggregatePerWarp;

std::vector<Finding> atomicContention(const profile::Profile &P,
                                      const std::vector<KernelGlobalUse> &Uses,
                                      const AtomicContentionOptions &Options = {});

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GLOBAL_ATOMICCONTENTION_H
