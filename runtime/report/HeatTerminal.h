//===- HeatTerminal.h - Heat maps for the terminal --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of global memory a row is a run of sectors: where, how many, the temperatures of the sector and
// of its eight words, the accesses, and the lines of the program that make them. Of shared
// memory it is a word of each of the 32 banks. What repeats itself is shown once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_HEATTERMINAL_H
#define GMPROF_REPORT_HEATTERMINAL_H

#include "report/HeatViews.h"
#include "report/SourceText.h"
#include "report/TextReport.h"
#include <string>
#include <vector>

namespace gmprof {

/// Of launches of one kernel the first. Options.Top is of the rows of each map.
std::string heatText(const std::vector<HeatLaunch> &Launches, HeatOf Of, SourceText &Source,
                     const TextOptions &Options);

/// Rows that repeat what is before them: with the Period rows from First on, Times more.
struct HeatRepeat {
  size_t First = 0, Period = 1, Times = 0;

  size_t end() const { return First + Period * (1 + Times); }
};

/// The best one that begins at First; at least two rows are to be saved.
HeatRepeat repeatAt(const std::vector<HeatRow> &Rows, size_t First);

inline constexpr size_t MaxHeatPeriod = 64;

} // namespace gmprof

#endif // GMPROF_REPORT_HEATTERMINAL_H
