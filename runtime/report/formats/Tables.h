//===- Tables.h - A summary as tables ---------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of the data in a summary and in the files beside it, for 'gmreport sql' and 'gmreport
// csv'. All tables always exist; those without data are empty. SummaryTables.cpp has those that
// hold members of the summary, and is generated from tables.json and the schema; docs/sql.md is
// generated from the descriptions of all.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_TABLES_H
#define GMPROF_REPORT_FORMATS_TABLES_H

#include "profile/Result.h"
#include "report/model/Summary.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gmprof {

/// A table cell: null, number or text.
struct Cell {
  std::variant<std::monostate, int64_t, double, std::string> Value;

  Cell() = default;
  Cell(bool B) : Value(int64_t(B)) {}
  Cell(int N) : Value(int64_t(N)) {}
  Cell(unsigned N) : Value(int64_t(N)) {}
  Cell(int64_t N) : Value(N) {}
  /// Converts numbers above INT64_MAX to floating point.
  Cell(uint64_t N) {
    if (N <= INT64_MAX)
      Value = static_cast<int64_t>(N);
    else
      Value = static_cast<double>(N);
  }
  Cell(double X) : Value(X) {}
  Cell(const char *Text) : Value(std::string(Text)) {}
  Cell(std::string Text) : Value(std::move(Text)) {}
  template <typename T> Cell(const std::optional<T> &Some) {
    if (Some)
      Value = Cell(*Some).Value;
  }
};

enum class ColumnType { Integer, Real, Text };

struct TableColumn {
  const char *Name;
  ColumnType Type;
  const char *Meaning;
  /// Path in summary.json of the member that it holds, from the row or from the root; empty: it is
  /// computed, or of a file.
  const char *Member = "";
};

struct DataTable {
  const char *Name, *Meaning;
  /// Paths in summary.json of the rows, or the CSV file beside it; empty: computed.
  const char *Of;
  std::vector<TableColumn> Columns;
  std::vector<std::vector<Cell>> Rows; ///< each with one cell per column
};

/// Returns the tables that hold members of a summary.
std::vector<DataTable> summaryTables(const summary::Summary &S);

/// Returns all tables of a summary. Folder: the summary's, whose CSV files become tables too.
Result<std::vector<DataTable>> tablesOf(const summary::Summary &S, const std::string &Folder);

/// Returns the chapter of docs/sql.md that describes the tables.
std::string describeTables(const std::vector<DataTable> &Tables);

/// Returns a header line, followed by a line per row.
std::string tableCsv(const std::vector<std::string> &Columns,
                     const std::vector<std::vector<Cell>> &Rows);

/// Returns the cell as text; empty if null.
std::string cellText(const Cell &C);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_TABLES_H
