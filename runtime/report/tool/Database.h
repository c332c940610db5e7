//===- Database.h - A summary in SQLite -------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TOOL_DATABASE_H
#define GMPROF_REPORT_TOOL_DATABASE_H

#include "profile/Result.h"
#include "report/formats/Tables.h"
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace gmprof::tool {

/// Result of a query.
struct QueryResult {
  std::vector<std::string> Columns;
  std::vector<std::vector<Cell>> Rows;
};

/// In-memory tables that can be saved.
class Database {
public:
  static Result<Database> make(const std::vector<DataTable> &Tables);

  /// Returns the result of a statement; of several, the last one's.
  Result<QueryResult> query(const std::string &Sql);

  /// Writes Path; an existing file is replaced only if save created it.
  Result<bool> save(const std::string &Path);

private:
  struct Close {
    void operator()(sqlite3 *Db) const;
  };
  std::string addTable(const DataTable &T);

  std::unique_ptr<sqlite3, Close> Db;
};

} // namespace gmprof::tool

#endif // GMPROF_REPORT_TOOL_DATABASE_H
