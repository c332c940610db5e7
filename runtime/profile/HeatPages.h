//===- HeatPages.h - Makes the heat maps of a launch ------------*- C++ -*-===//
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

#ifndef GMPROF_PROFILE_HEATPAGES_H
#define GMPROF_PROFILE_HEATPAGES_H

#include "gmprof/abi.h"
#include "profile/Records.h"
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gmprof {

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

inline constexpr size_t MostHeatRuns = size_t(1) << 19;

/// Makes the runs of one object.
class HeatRunMaker {
public:
  /// FirstPage is the number of the object's first page, which Base is in. Where there are more
  /// than MostRuns, those that begin in the same group of sectors become one.
  HeatRunMaker(uint64_t Base, uint64_t FirstPage, size_t MostRuns = MostHeatRuns)
      : Base(Base), FirstPage(FirstPage), MostRuns(MostRuns) {}

  /// Pages of that object, in any order, behind those that came before.
  void add(std::span<const HeatPage> Pages);
  HeatRuns finish() &&;

private:
  uint64_t Base, FirstPage;
  size_t MostRuns;
  unsigned Shift = 0; ///< logarithm of the sectors in a group
  std::vector<log::HeatRun> Runs;
};

/// Pages of a range that a clone has noted, with what they refer to.
struct NotedPages {
  std::vector<HeatPage> Pages;
  std::vector<GmprofHeatPage> Contents;
};

/// As the log has them. First: the number of the range's first page.
std::vector<std::byte> compressHeatPages(std::span<const HeatPage> Pages, uint64_t First,
                                         log::HeatPagesRecord &Record);
/// Nothing if Compressed is damaged, or of another number of pages or contents. Numbers are
/// from the range's first page.
std::optional<NotedPages> decompressHeatPages(std::span<const std::byte> Compressed, uint64_t Pages,
                                              uint64_t Contents);

HeatRuns heatRuns(std::span<const HeatPage> Pages, uint64_t Base, uint64_t FirstPage,
                  size_t MostRuns = MostHeatRuns);

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATPAGES_H
