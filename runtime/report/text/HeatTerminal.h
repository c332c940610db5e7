//===- HeatTerminal.h - Heat maps as text -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For global memory, a row is a run of sectors: offset, number of sectors, temperatures of the
// sector and its eight words, accesses, and the source lines that make them. For shared memory, it
// is a row of the 32 banks. Repetitions are shown once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_HEATTERMINAL_H
#define GMPROF_REPORT_TEXT_HEATTERMINAL_H

#include "report/files/SourceText.h"
#include "report/text/TextReport.h"
#include "report/views/HeatViews.h"
#include <string>
#include <vector>

namespace gmprof {

/// Shows the first launch of each kernel. Options.Top limits the rows of each map.
std::string heatText(const std::vector<HeatLaunch> &Launches, HeatOf Of, SourceText &Source,
                     const TextOptions &Options);

/// A repetition: the Period rows from First occur Times more.
struct HeatRepeat {
  size_t First = 0, Period = 1, Times = 0;

  size_t end() const { return First + Period * (1 + Times); }
};

/// Returns the repetition at First that saves the most lines; it saves at least two rows.
HeatRepeat repeatAt(const std::vector<HeatRow> &Rows, size_t First);

inline constexpr size_t MaxHeatPeriod = 64;

} // namespace gmprof

#endif // GMPROF_REPORT_TEXT_HEATTERMINAL_H
