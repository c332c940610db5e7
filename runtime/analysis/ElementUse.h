//===- ElementUse.h - Which elements of objects are used, and when -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The intra-object part of DrGPUM (ASPLOS'23, Section 5.2), object by object:
//
//  * the elements that are accessed in its life. Accesses of kernels count, and copies
//    that read; a copy or set that only writes makes no use of what it writes. (The
//    definitions speak of all APIs, Section 5.2 of memory instructions alone.)
//  * how often each is accessed by a launch of a kernel. Elements that it does not
//    access are left out: how many those are is the first number.
//  * the slices that APIs access one after the other (AccessSlices.h), in one stream. There
//    all APIs count.
//
// Accesses are those of the profile of device memory (GlobalMemoryUse.h): closed forms
// say exactly what each launch accesses. Counters say it for launches of one context
// together, or for all launches of the kernel, of which each may then have accessed any
// of the elements.
//
// Objects that are parts of others, or have parts, are left out, and so are those that
// graphs allocate, each of which stands for several.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTUSE_H
#define GMPROF_ANALYSIS_ELEMENTUSE_H

#include "analysis/AccessSlices.h"
#include "analysis/ObjectHistory.h"
#include "analysis/SharedMemoryUse.h"
#include <string>

namespace gmprof::analysis {

/// How often launches of a kernel that agree in all arguments accessed the elements.
struct ElementFrequencies {
  uint32_t Kernel = 0;   ///< index in Profile::Kernels
  uint32_t Api = 0;      ///< the first of the launches
  uint64_t Launches = 0; ///< together
  uint64_t Elements = 0; ///< that were accessed
  double Min = 0;
  Bound Mean, Max, Variation;
  std::optional<double> HottestTenth; ///< see AccessFrequencies.h
};

/// How often a kernel accesses each of an object's slices.
struct SliceFrequencies {
  uint32_t Kernel = 0;
  uint32_t Api = 0;    ///< the first of its launches
  uint64_t Slices = 0; ///< that it accesses
  Bound Variation;
};

struct ElementUse {
  uint32_t Object = 0; ///< index in ApiTrace::Objects
  unsigned ElementBytes = 4;
  uint64_t Elements = 0, Accessed = 0;
  uint64_t Gaps = 0;     ///< runs of elements that are not accessed
  ElementRun LargestGap; ///< the first of the largest ones
  /// Why accesses may not have been seen; empty if all were, but for those of launches
  /// and blocks that were left out as a sample.
  std::string Unseen;
  bool Sampled = false;
  /// Launches that may access it.
  uint64_t Launches = 0, LaunchesProfiled = 0;
  std::vector<ElementFrequencies> Frequencies; ///< per kernel, the most uneven ones
  std::vector<AccessSlice> Slices;             ///< none: not known
  std::vector<SliceFrequencies> OfSlices;      ///< per kernel, if there are several slices

  double accessedShare() const {
    return static_cast<double>(Accessed) / static_cast<double>(Elements);
  }
  /// Formula 1: of what is not accessed, the share outside of the largest gap.
  double fragmentation() const {
    return Accessed == Elements ? 0
                                : 1 - static_cast<double>(LargestGap.Count) /
                                          static_cast<double>(Elements - Accessed);
  }
};

/// For objects that kernels of the profile access, in their order. The history's trace is
/// that of the profile. The result is the same for any number of threads.
std::vector<ElementUse> elementUse(const profile::Profile &P, const ObjectHistory &H,
                                   size_t Threads = 8);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTUSE_H
