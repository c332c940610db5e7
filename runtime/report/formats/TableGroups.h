//===- TableGroups.h - The tables of each part of a summary -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for the tables of each part of a summary. tablesOf (Tables.h) joins their results.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_TABLEGROUPS_H
#define GMPROF_REPORT_FORMATS_TABLEGROUPS_H

#include "report/formats/Tables.h"

namespace gmprof {

inline constexpr ColumnType Int = ColumnType::Integer, Real = ColumnType::Real,
                            Text = ColumnType::Text;

inline Cell fileOf(const std::optional<summary::Source> &S) { return S ? Cell(S->file) : Cell(); }
inline Cell lineOf(const std::optional<summary::Source> &S) {
  return S && S->line ? Cell(S->line) : Cell();
}

std::vector<DataTable> runTables(const summary::Summary &S); ///< with findings
std::vector<DataTable> memoryTables(const summary::Summary &S);
std::vector<DataTable> kernelTables(const summary::Summary &S);
std::vector<DataTable> requestTables(const summary::Summary &S); ///< profiles heat and cache
std::vector<DataTable> syncTables(const summary::Summary &S);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_TABLEGROUPS_H
