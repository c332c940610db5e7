//===- AccessSlices.h - Parts of an object that are used one after the other -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.10: each API accesses a slice of the object, and
// these do not overlap. What it is for, smaller allocations "whose lifetimes do not
// overlap", decides what a slice is here: time is cut wherever no element is accessed
// both before and after. Between two cuts lie the APIs of one slice. So kernels that
// follow each other and share a slice are in one; and where each API is by itself,
// this is the definition.
//
// An element's first and last access are all that matters: it forbids the cuts between
// them. Elements are looked at in windows, and the first window of most objects forbids
// all cuts.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ACCESSSLICES_H
#define GMPROF_ANALYSIS_ACCESSSLICES_H

#include "profile/ElementRuns.h"
#include <optional>
#include <span>

namespace gmprof::analysis {

/// What some APIs together access of an object. First and Last are the times of the first
/// and the last of them; the elements are taken as accessed at both.
struct TimedAccess {
  uint32_t First = 0, Last = 0;
  std::vector<ElementRuns> Progressions;
  std::vector<ElementRun> Runs;
};

struct AccessSlice {
  uint32_t First = 0, Last = 0; ///< times
  uint64_t Elements = 0;

  bool operator==(const AccessSlice &) const = default;
};

/// In the order of their times; one where time cannot be cut, and none where nothing is
/// accessed. Nothing if it takes more than Work steps to find out; these are taken off.
std::optional<std::vector<AccessSlice>> accessSlices(std::span<const TimedAccess> Accesses,
                                                     uint64_t Elements, uint64_t &Work);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ACCESSSLICES_H
