//===- TableCells.h - Cells of the tables of a summary ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes cells of the members of a summary, for SummaryTables.cpp: cellOf unless tables.json names
// another function.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_TABLECELLS_H
#define GMPROF_REPORT_FORMATS_TABLECELLS_H

#include "report/formats/Tables.h"
#include "report/model/Measures.h"
#include "report/model/SummaryNames.h"
#include "report/text/TextReport.h"
#include "report/text/TextStyle.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gmprof {

template <typename T> Cell cellOf(const T &Value) { return Value; }
inline Cell cellOf(const summary::RawJson &Json) { return Json.text; }
/// Converts the place of an element in its array.
inline Cell cellOf(std::ptrdiff_t Index) { return static_cast<int64_t>(Index); }

/// Joins the words of a command line.
inline Cell words(const std::vector<std::string> &Words) {
  return fmt::format("{}", fmt::join(Words, " "));
}

inline Cell list(const std::vector<std::string> &Names) {
  return fmt::format("{}", fmt::join(Names, ", "));
}

template <typename T> Cell count(const std::vector<T> &Elements) { return Elements.size(); }

/// Returns a line of a source file; null if it is unknown.
inline Cell line(uint32_t Line) { return Line ? Cell(Line) : Cell(); }

inline Cell extent(const std::vector<uint32_t> &Extent) { return extentText(Extent); }

using text::dim3;
using text::inlinePath;

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_TABLECELLS_H
