//===- RowPadding.h - Rows of shared arrays without conflicts ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries paddings of a shared array whose rows are shorter than a warp, so that a warp covers
// several of them: of 16 x 16 words, one word per row leaves conflicts that two avoid.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_HEAT_ROWPADDING_H
#define GMPROF_ANALYSIS_HEAT_ROWPADDING_H

#include <cstdint>
#include <optional>
#include <span>

namespace gmprof::analysis {

/// Requests of one access to a two-dimensional array of words.
struct RowAccess {
  uint64_t Requests = 0;
  double Wavefronts = 0; ///< per request
};

struct RowPadding {
  uint64_t Words = 0;           ///< further words of each row
  double Before = 0, After = 0; ///< wavefronts per request, on average
};

/// Returns the padding with the fewest wavefronts for blocks whose rows have Threads threads. A
/// warp accesses a part of rows (a[y][x]) or of columns (a[x][y]), which shows in its wavefronts.
/// Nothing if an access has others, or if no padding halves them.
std::optional<RowPadding> rowPadding(uint64_t RowWords, uint32_t Threads,
                                     std::span<const RowAccess> Accesses);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_HEAT_ROWPADDING_H
