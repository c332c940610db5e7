//===- RowPadding.cpp - Rows of shared arrays without conflicts -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/heat/RowPadding.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace gmprof::analysis {

/// Returns the wavefronts of a warp that accesses a[y][x], or a[x][y] by columns: the most words in
/// one bank.
static unsigned wavefronts(uint64_t RowWords, uint32_t Threads, bool ByColumns) {
  constexpr unsigned Lanes = 32, Banks = 32;
  std::array<unsigned, Banks> Words = {};
  for (unsigned Lane = 0; Lane < Lanes; ++Lane) {
    const uint64_t X = Lane % Threads, Y = Lane / Threads;
    ++Words[(ByColumns ? X * RowWords + Y : Y * RowWords + X) % Banks];
  }
  return *std::ranges::max_element(Words);
}

std::optional<RowPadding> rowPadding(uint64_t RowWords, uint32_t Threads,
                                     std::span<const RowAccess> Accesses) {
  constexpr uint64_t Most = 4;
  // Words of one position, such as a[1][0] and a[0][1] of rows of one word, are one.
  if (Threads == 0 || Threads >= 32 || RowWords < Threads || RowWords < 32 / Threads)
    return std::nullopt;
  const unsigned OfRows = wavefronts(RowWords, Threads, false),
                 OfColumns = wavefronts(RowWords, Threads, true);
  if (OfRows == OfColumns)
    return std::nullopt;
  uint64_t Rows = 0, Columns = 0;
  for (const RowAccess &A : Accesses) {
    const auto Is = [&](unsigned Wavefronts) { return std::abs(A.Wavefronts - Wavefronts) < 0.01; };
    if (!Is(OfRows) && !Is(OfColumns))
      return std::nullopt;
    (Is(OfColumns) ? Columns : Rows) += A.Requests;
  }
  const auto Mean = [&](uint64_t Padding) {
    const uint64_t Length = RowWords + Padding;
    return (static_cast<double>(Rows) * wavefronts(Length, Threads, false) +
            static_cast<double>(Columns) * wavefronts(Length, Threads, true)) /
           static_cast<double>(std::max<uint64_t>(Rows + Columns, 1));
  };
  RowPadding Best = {0, Mean(0), Mean(0)};
  for (uint64_t Padding = 1; Padding <= Most; ++Padding)
    if (const double After = Mean(Padding); After < Best.After)
      Best.Words = Padding, Best.After = After;
  if (Best.After > Best.Before / 2)
    return std::nullopt;
  return Best;
}

} // namespace gmprof::analysis
