//===- AccessSlices.h - Slices used in sequence -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.10: each API accesses a slice of the object, and slices do not
// overlap. Its purpose, smaller allocations "whose lifetimes do not overlap", defines slices here:
// time is cut wherever no element is accessed both before and after. The APIs between two cuts
// access one slice, so consecutive kernels that share elements form one slice. If every API is on
// its own, this is the paper's definition.
//
// Only an element's first and last access matter: it forbids the cuts between them. Elements are
// processed in windows; for most objects, the first window forbids all cuts.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_ACCESSSLICES_H
#define GMPROF_ANALYSIS_ELEMENTS_ACCESSSLICES_H

#include "profile/ElementRuns.h"
#include <optional>
#include <span>

namespace gmprof::analysis {

/// Elements that a group of APIs accesses. First and Last are the times of the first and the last
/// of these APIs; the elements are taken as accessed at both times.
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

/// Returns the slices in order of time: a single one if time cannot be cut, none if nothing is
/// accessed. Returns nothing if this takes more than Work steps, from which the steps taken are
/// subtracted.
std::optional<std::vector<AccessSlice>> accessSlices(std::span<const TimedAccess> Accesses,
                                                     uint64_t Elements, uint64_t &Work);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_ACCESSSLICES_H
