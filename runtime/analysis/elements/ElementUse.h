//===- ElementUse.h - Use of objects' elements ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The intra-object analysis of DrGPUM (ASPLOS'23, Section 5.2). For each object, it computes
//
//  * the elements that are accessed during its lifetime. Kernel accesses and reading copies count;
//    a copy or set that only writes does not use its data. (The definitions include all APIs,
//    Section 5.2 only memory instructions.)
//  * how often a launch of a kernel accesses each element (ElementFrequencies.h). Elements without
//    accesses are left out, since the first result counts them.
//  * the slices that APIs of one stream access in sequence (ObjectSlices.h); all APIs count.
//  * the launches that overwrite all of it (OverwritingLaunches.h).
//
// The accesses come from the profile of global memory (ObjectAccesses.h): closed forms give the
// accesses of each launch. Counters cover the launches of one context together, or all launches of
// the kernel; each of these may have accessed any of the elements.
//
// Excludes objects that are parts of others or have parts, and graph allocations, each of which
// stands for several objects.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_ELEMENTUSE_H
#define GMPROF_ANALYSIS_ELEMENTS_ELEMENTUSE_H

#include "analysis/elements/ElementFrequencies.h"
#include "analysis/elements/ObjectSlices.h"
#include "analysis/objects/ObjectHistory.h"
#include <string>

namespace gmprof::analysis {

struct ElementUse {
  uint32_t Object = 0; ///< index in ApiTrace::Objects
  unsigned ElementBytes = 4;
  uint64_t Elements = 0, Accessed = 0;
  uint64_t Gaps = 0;     ///< number of runs of elements without accesses
  ElementRun LargestGap; ///< the first of the longest
  /// Why accesses may be unobserved; empty if all are known, except those of launches and blocks
  /// left out by sampling.
  std::string Unseen;
  bool Sampled = false;
  /// Number of launches that may access the object.
  uint64_t Launches = 0, LaunchesProfiled = 0;
  std::vector<ElementFrequencies> Frequencies; ///< per kernel, the most uneven one
  std::vector<AccessSlice> Slices;             ///< empty: unknown
  std::vector<SliceFrequencies> OfSlices;      ///< per kernel, if there are several slices
  /// Launches that write each byte and read none, ascending.
  std::vector<uint32_t> Overwrites;

  double accessedShare() const {
    return static_cast<double>(Accessed) / static_cast<double>(Elements);
  }
  /// Returns the share of the unaccessed elements outside the largest gap (DrGPUM, Formula 1).
  double fragmentation() const {
    return Accessed == Elements ? 0
                                : 1 - static_cast<double>(LargestGap.Count) /
                                          static_cast<double>(Elements - Accessed);
  }
};

/// Returns the use of all objects that the profile's kernels access, in order. The history must
/// belong to the profile's trace. The result does not depend on the number of threads.
std::vector<ElementUse> elementUse(const profile::Profile &P, const ObjectHistory &H,
                                   size_t Threads = 8);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_ELEMENTUSE_H
