//===- HeatMaps.h - Makes the heat maps of a launch -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (cuThermo, 2025, Section IV.B.) From the masks of warps in the pages that a launch has used
// to runs of sectors with the same numbers of warps. Where an object would have too many
// runs, neighbouring sectors are put together, two, four, … at a time, and of
// each number the highest stands for all.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_HEATMAPS_H
#define GMPROF_HOST_HEATMAPS_H

#include "gmprof/abi.h"
#include "profile/Records.h"
#include <span>
#include <vector>

namespace gmprof::host {

/// A page of accesses of one kind. Several may have the same content.
struct HeatPage {
  uint64_t Number = 0;
  uint32_t Kind = 0;
  uint32_t Block = 0; ///< in the place of those in the content; 0: these are right
  const GmprofHeatPage *Content = nullptr;
};

struct HeatRuns {
  std::vector<log::HeatRun> Runs; ///< in order, not overlapping
  uint64_t Merged = 0;            ///< sectors in runs that stand for unequal ones
};

/// Runs of one object. Pages: of that object, any order; FirstPage is the number of its first one,
/// which Base is in.
HeatRuns heatRuns(std::span<const HeatPage> Pages, uint64_t Base, uint64_t FirstPage,
                  size_t MostRuns = size_t(1) << 19);

} // namespace gmprof::host

#endif // GMPROF_HOST_HEATMAPS_H
