//===- SqlCommand.cpp - gmreport sql and csv ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/StatusLine.h"
#include "profile/Progress.h"
#include "report/files/ResultFolder.h"
#include "report/formats/Tables.h"
#include "report/text/TextStyle.h"
#include "report/tool/Database.h"
#include "report/tool/Tool.h"
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace gmprof::tool {
namespace {

Result<std::vector<DataTable>> tablesIn(const std::string &Path) {
  const Result<ResultFolder> Results = ResultFolder::open(Path, SummaryText::AsItIs);
  if (!Results)
    return Error{Results.error()};
  return tablesOf(Results->summary(), Results->folder().string());
}

struct SqlCommand {
  std::string Path, Sql, Output, Format = "text";
  bool Tables = false;

  int run();
  int answer(const QueryResult &Answer) const;
};

std::string asJson(const QueryResult &Answer) {
  nlohmann::ordered_json All = nlohmann::ordered_json::array();
  for (const std::vector<Cell> &Row : Answer.Rows) {
    nlohmann::ordered_json J = nlohmann::ordered_json::object();
    for (size_t I = 0; I < Row.size(); ++I) {
      nlohmann::ordered_json &To = J[Answer.Columns[I]];
      if (const auto *N = std::get_if<int64_t>(&Row[I].Value))
        To = *N;
      else if (const auto *X = std::get_if<double>(&Row[I].Value))
        To = *X;
      else if (const auto *Text = std::get_if<std::string>(&Row[I].Value))
        To = *Text;
    }
    All.push_back(std::move(J));
  }
  return All.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Aligns text to the left and numbers to the right.
std::string asText(const QueryResult &Answer) {
  std::set<size_t> Left;
  for (const std::vector<Cell> &Row : Answer.Rows)
    for (size_t I = 0; I < Row.size(); ++I)
      if (std::holds_alternative<std::string>(Row[I].Value))
        Left.insert(I);
  text::Table T(Left);
  std::vector<std::string> Head;
  for (const std::string &Name : Answer.Columns)
    Head.push_back(text::printable(Name));
  T.add(Head);
  for (const std::vector<Cell> &Row : Answer.Rows) {
    std::vector<std::string> Line;
    for (const Cell &C : Row)
      Line.push_back(text::printable(cellText(C)));
    T.add(std::move(Line));
  }
  return text::render(T.text(""), /*Color=*/false);
}

int SqlCommand::answer(const QueryResult &Answer) const {
  return writeFile(Output.empty() ? "-" : Output, Format == "json" ? asJson(Answer)
                                                  : Format == "csv"
                                                      ? tableCsv(Answer.Columns, Answer.Rows)
                                                      : asText(Answer));
}

int SqlCommand::run() {
  if (Path.empty() && !Tables)
    return fail(BadUsage, "summary is required (gmreport sql --help shows the options)");
  if (Tables)
    return print(describeTables(*tablesOf({}, "")));
  if (Sql.empty() && Output.empty())
    return fail(BadUsage, "give a query, or a database to write with -o (--tables describes the "
                          "tables)");
  Result<std::vector<DataTable>> All = tablesIn(Path);
  if (!All)
    return fail(BadInput, All.error());
  Result<Database> Db = Database::make(*All);
  if (!Db)
    return fail(BadInput, "SQLite: " + Db.error());
  if (!Sql.empty()) {
    Result<QueryResult> Answer = Db->query(Sql);
    return Answer ? answer(*Answer) : fail(BadUsage, "SQLite: " + Answer.error());
  }
  progress("writing " + Output);
  Result<bool> Saved = Db->save(Output);
  cli::clearStatusLine();
  if (!Saved)
    return fail(BadInput, Saved.error());
  std::printf("wrote %s: open it with sqlite3; docs/sql.md describes the tables\n", Output.c_str());
  return Ok;
}

struct CsvCommand {
  std::string Path, Output = "tables";

  int run() const;
};

int CsvCommand::run() const {
  Result<std::vector<DataTable>> All = tablesIn(Path);
  if (!All)
    return fail(BadInput, All.error());
  if (::mkdir(Output.c_str(), 0777) != 0 && errno != EEXIST)
    return fail(BadInput, "cannot create the folder '" + Output + "': " + std::strerror(errno));
  size_t Files = 0;
  for (const DataTable &T : *All) {
    if (T.Rows.empty())
      continue;
    std::vector<std::string> Columns;
    for (const TableColumn &C : T.Columns)
      Columns.emplace_back(C.Name);
    const std::string File = fmt::format("{}/{}.csv", Output, T.Name);
    if (int Status = writeFile(File, tableCsv(Columns, T.Rows)); Status != Ok)
      return Status;
    ++Files;
  }
  std::printf("wrote %zu tables to %s/; %zu others have no rows\n", Files, Output.c_str(),
              All->size() - Files);
  return Ok;
}

} // namespace

Command addSql(CLI::App &App) {
  auto C = std::make_shared<SqlCommand>();
  CLI::App *Sub =
      App.add_subcommand("sql", "Query a summary in SQL, or write it as an SQLite database");
  Sub->add_option("summary", C->Path, SummaryHelp)->type_name("FILE");
  Sub->add_option("query", C->Sql,
                  "A query in SQLite's SQL; of several statements the result of the last one")
      ->type_name("SQL");
  Sub->add_option("-o,--output", C->Output,
                  "The database to write; with a query the file for the result")
      ->type_name("FILE");
  Sub->add_option("--format", C->Format, "Format of the result: text, csv or json")
      ->check(CLI::IsMember({"text", "csv", "json"}))
      ->capture_default_str();
  Sub->add_flag("--tables", C->Tables, "Describe the tables");
  return {Sub, [C] { return C->run(); }};
}

Command addCsv(CLI::App &App) {
  auto C = std::make_shared<CsvCommand>();
  CLI::App *Sub = App.add_subcommand(
      "csv", "Write all tables of a summary, those of gmreport sql, as comma-separated values");
  Sub->add_option("summary", C->Path, SummaryHelp)->required()->type_name("FILE");
  Sub->add_option("-o,--output", C->Output, "The folder for the files")
      ->type_name("DIR")
      ->capture_default_str();
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
