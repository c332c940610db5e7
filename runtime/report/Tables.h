//===- Tables.h - A summary as tables ---------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is tabular in a summary and in the files beside it, as 'gmreport sql' and 'gmreport csv'
// have it. All tables are always there, with no rows where the profile has nothing of the kind.
// docs/sql.md is made of their descriptions.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TABLES_H
#define GMPROF_REPORT_TABLES_H

#include "profile/Result.h"
#include "report/Summary.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gmprof {

/// In a table: null, a number or a text.
struct Cell {
  std::variant<std::monostate, int64_t, double, std::string> Value;

  Cell() = default;
  Cell(bool B) : Value(int64_t(B)) {}
  Cell(int N) : Value(int64_t(N)) {}
  Cell(unsigned N) : Value(int64_t(N)) {}
  Cell(int64_t N) : Value(N) {}
  /// One that is too large becomes a floating-point number.
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
};

struct DataTable {
  const char *Name, *Meaning;
  std::vector<TableColumn> Columns;
  std::vector<std::vector<Cell>> Rows; ///< each as long as Columns
};

/// Folder: of the summary, whose files become tables as well.
Result<std::vector<DataTable>> tablesOf(const summary::Summary &S, const std::string &Folder);

/// The chapter of docs/sql.md that describes them.
std::string describeTables(const std::vector<DataTable> &Tables);

/// With a line for each row below one with the names of the columns.
std::string tableCsv(const std::vector<std::string> &Columns,
                     const std::vector<std::vector<Cell>> &Rows);

/// A cell as text; null: nothing.
std::string cellText(const Cell &C);

} // namespace gmprof

#endif // GMPROF_REPORT_TABLES_H
