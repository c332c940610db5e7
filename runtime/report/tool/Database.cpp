//===- Database.cpp - A summary in SQLite ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/tool/Database.h"
#include "report/files/UnfinishedFile.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gmprof::tool {
namespace {

/// "GMpf" in the file header, by which save recognises its own files.
constexpr int ApplicationId = 0x474d7066;

using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

Result<Statement> prepare(sqlite3 *Db, const char *Sql, const char **Rest = nullptr) {
  sqlite3_stmt *Made = nullptr;
  if (sqlite3_prepare_v2(Db, Sql, -1, &Made, Rest) != SQLITE_OK)
    return Error{sqlite3_errmsg(Db)};
  return Statement(Made, sqlite3_finalize);
}

void bind(sqlite3_stmt *To, int Index, const Cell &C) {
  if (const auto *N = std::get_if<int64_t>(&C.Value))
    sqlite3_bind_int64(To, Index, *N);
  else if (const auto *X = std::get_if<double>(&C.Value))
    sqlite3_bind_double(To, Index, *X);
  else if (const auto *Text = std::get_if<std::string>(&C.Value))
    sqlite3_bind_text64(To, Index, Text->data(), Text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  else
    sqlite3_bind_null(To, Index);
}

Cell cellAt(sqlite3_stmt *Of, int Index) {
  switch (sqlite3_column_type(Of, Index)) {
  case SQLITE_INTEGER:
    return int64_t(sqlite3_column_int64(Of, Index));
  case SQLITE_FLOAT:
    return sqlite3_column_double(Of, Index);
  case SQLITE_NULL:
    return {};
  default: {
    const void *Bytes = sqlite3_column_blob(Of, Index);
    const auto Size = static_cast<size_t>(sqlite3_column_bytes(Of, Index));
    return Bytes ? std::string(static_cast<const char *>(Bytes), Size) : std::string();
  }
  }
}

} // namespace

void Database::Close::operator()(sqlite3 *Db) const { sqlite3_close_v2(Db); }

std::string Database::addTable(const DataTable &T) {
  static constexpr const char *Types[] = {"INTEGER", "REAL", "TEXT"};
  std::string Columns, Marks;
  for (const TableColumn &C : T.Columns) {
    Columns += fmt::format("{}\"{}\" {}", Columns.empty() ? "" : ", ", C.Name,
                           Types[static_cast<size_t>(C.Type)]);
    Marks += Marks.empty() ? "?" : ", ?";
  }
  if (sqlite3_exec(Db.get(), fmt::format("CREATE TABLE \"{}\" ({})", T.Name, Columns).c_str(),
                   nullptr, nullptr, nullptr) != SQLITE_OK)
    return sqlite3_errmsg(Db.get());
  Result<Statement> Insert =
      prepare(Db.get(), fmt::format("INSERT INTO \"{}\" VALUES ({})", T.Name, Marks).c_str());
  if (!Insert)
    return Insert.error();
  for (const std::vector<Cell> &Row : T.Rows) {
    for (size_t I = 0; I < Row.size(); ++I)
      bind(Insert->get(), static_cast<int>(I) + 1, Row[I]);
    if (sqlite3_step(Insert->get()) != SQLITE_DONE || sqlite3_reset(Insert->get()) != SQLITE_OK)
      return sqlite3_errmsg(Db.get());
  }
  return "";
}

Result<Database> Database::make(const std::vector<DataTable> &Tables) {
  Database D;
  sqlite3 *Opened = nullptr;
  const int Status = sqlite3_open(":memory:", &Opened);
  D.Db.reset(Opened);
  if (Status != SQLITE_OK)
    return Error{sqlite3_errstr(Status)};
  const std::string Begin = fmt::format("PRAGMA application_id = {}; BEGIN", ApplicationId);
  sqlite3_exec(D.Db.get(), Begin.c_str(), nullptr, nullptr, nullptr);
  for (const DataTable &T : Tables)
    if (std::string Why = D.addTable(T); !Why.empty())
      return Error{Why};
  sqlite3_exec(D.Db.get(), "COMMIT", nullptr, nullptr, nullptr);
  return D;
}

Result<QueryResult> Database::query(const std::string &Sql) {
  QueryResult Answer;
  bool Any = false;
  for (const char *Rest = Sql.c_str(); *Rest;) {
    Result<Statement> Made = prepare(Db.get(), Rest, &Rest);
    if (!Made)
      return Error{Made.error()};
    sqlite3_stmt *Next = Made->get();
    if (!Next) // only white space, or a comment
      continue;
    Any = true;
    Answer = {};
    const int Columns = sqlite3_column_count(Next);
    for (int I = 0; I < Columns; ++I)
      Answer.Columns.emplace_back(sqlite3_column_name(Next, I));
    int Status = 0;
    while ((Status = sqlite3_step(Next)) == SQLITE_ROW) {
      std::vector<Cell> Row;
      for (int I = 0; I < Columns; ++I)
        Row.push_back(cellAt(Next, I));
      Answer.Rows.push_back(std::move(Row));
    }
    if (Status != SQLITE_DONE)
      return Error{sqlite3_errmsg(Db.get())};
  }
  if (!Any)
    return Error{"there is no statement"};
  return Answer;
}

/// Returns true if save created the file.
static bool isOurs(const std::string &Path) {
  unsigned char Header[72] = {};
  std::FILE *File = std::fopen(Path.c_str(), "rbe");
  if (!File)
    return false;
  const size_t Got = std::fread(Header, 1, sizeof(Header), File);
  std::fclose(File);
  const uint32_t Id = uint32_t(Header[68]) << 24 | uint32_t(Header[69]) << 16 |
                      uint32_t(Header[70]) << 8 | Header[71];
  return Got == sizeof(Header) && std::memcmp(Header, "SQLite format 3", 16) == 0 &&
         Id == static_cast<uint32_t>(ApplicationId);
}

Result<bool> Database::save(const std::string &Path) {
  struct stat Status = {};
  if (::lstat(Path.c_str(), &Status) == 0 && (!S_ISREG(Status.st_mode) || !isOurs(Path)))
    return Error{"refusing to replace '" + Path +
                 "', which gmreport sql did not write: choose another name"};
  UnfinishedFile File(Path);
  if (File.descriptor() < 0)
    return Error{"cannot write '" + Path + "': " + std::strerror(errno)};
  ::close(File.descriptor());
  Result<Statement> Save = prepare(Db.get(), "VACUUM INTO ?");
  if (Save)
    sqlite3_bind_text(Save->get(), 1, File.path().c_str(), -1, SQLITE_TRANSIENT);
  std::string Why = !Save                                      ? Save.error()
                    : sqlite3_step(Save->get()) != SQLITE_DONE ? sqlite3_errmsg(Db.get())
                                                               : "";
  if (Why.empty() && !File.finish())
    Why = std::strerror(errno);
  if (Why.empty())
    return true;
  return Error{"cannot write '" + Path + "': " + Why};
}

} // namespace gmprof::tool
