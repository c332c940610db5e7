//===- HeatPages.h - Converts heat pages to runs ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the warp masks of a launch's pages to runs of sectors with equal numbers of warps
// (cuThermo, 2025, Section IV.B). If an object has too many runs, groups of 2, 4, … sectors are
// merged, and each number becomes the maximum of the group.
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

/// A page of accesses of one kind. Several pages may share one content.
struct HeatPage {
  uint64_t Number = 0;
  uint32_t Kind = 0;
  uint32_t Block = 0; ///< replaces the blocks marked in Content; 0: those apply
  const GmprofHeatPage *Content = nullptr;
};

struct HeatRuns {
  std::vector<log::HeatRun> Runs; ///< in order, not overlapping
  uint64_t Merged = 0;            ///< number of sectors in merged runs
};

inline constexpr size_t MostHeatRuns = size_t(1) << 19;

/// Makes the runs of one object.
class HeatRunMaker {
public:
  /// FirstPage is the number of the page that holds Base, the object's address. Beyond MostRuns,
  /// runs that begin in the same group of sectors are merged.
  HeatRunMaker(uint64_t Base, uint64_t FirstPage, size_t MostRuns = MostHeatRuns)
      : Base(Base), FirstPage(FirstPage), MostRuns(MostRuns) {}

  /// Adds pages of the object, in any order, all behind those added before.
  void add(std::span<const HeatPage> Pages);
  HeatRuns finish() &&;

private:
  uint64_t Base, FirstPage;
  size_t MostRuns;
  unsigned Shift = 0; ///< binary logarithm of the sectors per group
  std::vector<log::HeatRun> Runs;
};

/// The recorded pages of a range, and the contents they refer to.
struct NotedPages {
  std::vector<HeatPage> Pages;
  std::vector<GmprofHeatPage> Contents;
};

/// Compresses pages for the log. First is the number of the range's first page.
std::vector<std::byte> compressHeatPages(std::span<const HeatPage> Pages, uint64_t First,
                                         log::HeatPagesRecord &Record);
/// Returns nothing if `Compressed` is damaged or holds other numbers of pages or contents. Page
/// numbers count from the range's first page.
std::optional<NotedPages> decompressHeatPages(std::span<const std::byte> Compressed, uint64_t Pages,
                                              uint64_t Contents);

HeatRuns heatRuns(std::span<const HeatPage> Pages, uint64_t Base, uint64_t FirstPage,
                  size_t MostRuns = MostHeatRuns);

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATPAGES_H
