//===- Tables.cpp - A summary as tables -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/Tables.h"
#include "report/model/Measures.h"
#include "report/text/ObjectLabels.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <string_view>

namespace gmprof {

using namespace summary;

/// Reads the CSV file with T's columns, all numeric, into T; leaves T empty if there is no file.
static Result<bool> readCsv(const Summary &S, const std::string &Folder, DataTable &T) {
  const auto Named = std::find_if(S.files.begin(), S.files.end(), [&](const File &F) {
    return std::filesystem::path(F.path).filename().string() == T.Of;
  });
  if (Named == S.files.end())
    return true;
  const std::string Path = (std::filesystem::path(Folder) / Named->path).string();
  std::ifstream In(Path);
  std::string Line;
  if (!In || !std::getline(In, Line))
    return true; // the large files may have been deleted
  std::vector<std::string_view> Names;
  for (const TableColumn &C : T.Columns)
    Names.emplace_back(C.Name);
  if (Line != fmt::format("{}", fmt::join(Names, ",")))
    return Error{"'" + Path + "' is not what the summary says: its columns are " + Line};
  while (std::getline(In, Line)) {
    std::vector<Cell> Row;
    const char *At = Line.data(), *End = At + Line.size();
    for (const TableColumn &C : T.Columns) {
      int64_t Whole = 0;
      double Number = 0;
      const bool IsReal = C.Type == ColumnType::Real;
      const auto [Stop, Bad] =
          IsReal ? std::from_chars(At, End, Number) : std::from_chars(At, End, Whole);
      const bool Last = &C == &T.Columns.back();
      if (Bad != std::errc() || (Last ? Stop != End : Stop == End || *Stop != ','))
        return Error{fmt::format("'{}' is damaged: line {}", Path, T.Rows.size() + 2)};
      Row.emplace_back(IsReal ? Cell(Number) : Cell(Whole));
      At = Stop + 1;
    }
    T.Rows.push_back(std::move(Row));
  }
  return true;
}

/// Adds the labels of objects, which depend on the names of all of them.
static void addLabels(std::vector<DataTable> &Tables, const Summary &S) {
  const auto Objects =
      std::ranges::find(Tables, std::string_view("objects"),
                        [](const DataTable &T) { return std::string_view(T.Name); });
  Objects->Columns.push_back(
      {"label", ColumnType::Text, "the name that tells it apart from other objects", ""});
  const std::vector<std::string> Labels = objectLabels(S);
  for (size_t I = 0; I < Labels.size(); ++I)
    Objects->Rows[I].emplace_back(Labels[I]);
}

/// Returns the measures, which are computed from all parts of the summary.
static DataTable measuresTable(const Summary &S) {
  DataTable T = {"measures",
                 "Numbers that gmreport diff and check use.",
                 "",
                 {{"name", ColumnType::Text, ""},
                  {"of", ColumnType::Text, "kernel, kernel.object or device; empty: the whole run"},
                  {"value", ColumnType::Real, "bytes, seconds or a count"}},
                 {}};
  for (const Measure &M : measuresOf(S))
    T.Rows.push_back({M.Name, M.Of, M.Value});
  return T;
}

/// Returns the evidence, whose members have the names of their patterns.
static DataTable evidenceTable(const Summary &S) {
  DataTable T = {"evidence",
                 "Evidence of the findings.",
                 "findings[].evidence",
                 {{"finding", ColumnType::Integer, "findings.id", "findings[].id"},
                  {"name", ColumnType::Text, "", ""},
                  {"number", ColumnType::Real, "null: it is a text", ""},
                  {"text", ColumnType::Text, "null: it is a number", ""}},
                 {}};
  for (const Finding &F : S.findings)
    for (const auto &[Name, Value] : F.evidence) {
      Cell Number, Words;
      if (const auto *N = std::get_if<uint64_t>(&Value))
        Number = *N;
      else if (const auto *X = std::get_if<double>(&Value))
        Number = *X;
      else if (const auto *B = std::get_if<bool>(&Value))
        Number = *B;
      else
        Words = std::get<std::string>(Value);
      T.Rows.push_back({F.id, Name, Number, Words});
    }
  return T;
}

/// Returns the tables of the CSV files, which have the same columns.
static std::vector<DataTable> fileTables() {
  return {
      {"memory_over_time",
       "Device memory in use after each call that changes it (memory_over_time.csv).",
       "memory_over_time.csv",
       {{"device", ColumnType::Integer, "devices.id"},
        {"api", ColumnType::Integer, "number of the call among all GPU APIs"},
        {"seconds", ColumnType::Real, "since the run's start"},
        {"bytes", ColumnType::Integer, "in use from then on"}},
       {}},
      {"shared_counts",
       "Accesses of each element of shared memory (shared_counts.csv).",
       "shared_counts.csv",
       {{"kernel", ColumnType::Integer, "kernels.id"},
        {"object", ColumnType::Integer, "objects.id"},
        {"index", ColumnType::Integer, "element, or word"},
        {"accesses", ColumnType::Integer, "sum over the blocks counted"},
        {"blocks_at_threshold", ColumnType::Integer, "blocks in which it reached the threshold"}},
       {}},
      {"global_counts",
       "Accesses of elements of device memory (global_counts.csv).",
       "global_counts.csv",
       {{"kernel", ColumnType::Integer, "kernels.id"},
        {"object", ColumnType::Integer, "objects.id"},
        {"first", ColumnType::Integer, "element"},
        {"last", ColumnType::Integer, "element, included"},
        {"reads", ColumnType::Integer, "of each of them"},
        {"writes", ColumnType::Integer, ""},
        {"atomics", ColumnType::Integer, ""},
        {"at_threshold", ColumnType::Integer, "1: lower bounds"}},
       {}}};
}

Result<std::vector<DataTable>> tablesOf(const Summary &S, const std::string &Folder) {
  std::vector<DataTable> All = summaryTables(S);
  addLabels(All, S);
  All.push_back(measuresTable(S));
  All.push_back(evidenceTable(S));
  for (DataTable &T : fileTables()) {
    if (Result<bool> Read = readCsv(S, Folder, T); !Read)
      return Error{Read.error()};
    All.push_back(std::move(T));
  }
  return All;
}

/// Returns paths that are separated by ", " as code of Markdown, each on a line of its own.
static std::string codeList(std::string_view Paths) {
  std::string Code = "`";
  for (char C : Paths)
    if (C == ',')
      Code += "`,\n`";
    else if (C != ' ')
      Code += C;
  return Code + "`";
}

std::string describeTables(const std::vector<DataTable> &Tables) {
  static constexpr const char *Types[] = {"integer", "real", "text"};
  std::string To;
  for (const DataTable &T : Tables) {
    To += fmt::format("### {}\n{}\n", T.Name, T.Meaning);
    const std::string_view Of = T.Of;
    const bool IsOfSummary = !Of.empty() && !Of.ends_with(".csv");
    if (IsOfSummary)
      To += fmt::format("Rows: {}.\n", codeList(Of));
    To += "\n| column | type | member | |\n| --- | --- | --- | --- |\n";
    for (const TableColumn &C : T.Columns) {
      const std::string_view Member = C.Member;
      To += fmt::format("| `{}` | {} | {}| {}{}|\n", C.Name, Types[static_cast<size_t>(C.Type)],
                        Member.empty() ? "" : fmt::format("`{}` ", Member), C.Meaning,
                        *C.Meaning ? " " : "");
    }
    To += '\n';
  }
  return To;
}

std::string cellText(const Cell &C) {
  if (const auto *N = std::get_if<int64_t>(&C.Value))
    return std::to_string(*N);
  if (const auto *X = std::get_if<double>(&C.Value))
    return fmt::format("{}", *X);
  if (const auto *Words = std::get_if<std::string>(&C.Value))
    return *Words;
  return {};
}

/// Quotes text, so that names from the program cannot become formulas or begin lines.
static std::string csvText(const std::string &Words) {
  std::string Value = text::printable(Words);
  if (!Value.empty() && std::string_view("=+-@").find(Value[0]) != std::string_view::npos)
    Value.insert(0, "'");
  if (Value.find_first_of(",\"") == std::string::npos)
    return Value;
  std::string Quoted = "\"";
  for (char C : Value)
    Quoted += C == '"' ? std::string("\"\"") : std::string(1, C);
  return Quoted + "\"";
}

std::string tableCsv(const std::vector<std::string> &Columns,
                     const std::vector<std::vector<Cell>> &Rows) {
  std::string To;
  for (const std::string &Name : Columns)
    To += (To.empty() ? "" : ",") + csvText(Name);
  To += '\n';
  for (const std::vector<Cell> &Row : Rows) {
    for (const Cell &C : Row)
      To += (&C == &Row.front() ? "" : ",") + (std::holds_alternative<std::string>(C.Value)
                                                   ? csvText(std::get<std::string>(C.Value))
                                                   : cellText(C));
    To += '\n';
  }
  return To;
}

} // namespace gmprof
