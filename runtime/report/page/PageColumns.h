//===- PageColumns.h - Columns of numbers for the web page ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: a line of JSON, whose member columns gives the name, encoding, number of rows and
// number of bytes of each column, followed by the columns. Numbers are LEB128 (seven bits per
// byte), either values or differences from the previous one with the sign in the lowest bit
// (zigzag). web/src/columns.ts reads it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGE_PAGECOLUMNS_H
#define GMPROF_REPORT_PAGE_PAGECOLUMNS_H

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof {

class PageColumns {
public:
  /// Adds a column of small numbers.
  void add(const char *Name, const std::vector<uint64_t> &Values);
  /// Adds a column whose values are close to the preceding ones.
  void addDifferences(const char *Name, const std::vector<uint64_t> &Values);

  /// Returns the columns as JSON. Head: further members of the JSON object.
  std::string text(nlohmann::ordered_json Head) const;

private:
  void describe(const char *Name, const char *Code, size_t Rows, size_t Before);

  nlohmann::ordered_json Described = nlohmann::ordered_json::array();
  std::string Bytes;
};

/// Assigns numbers to distinct strings in the order of first use.
class PageStrings {
public:
  uint64_t numberOf(const std::string &Text);
  const std::vector<std::string> &all() const { return Texts; }

private:
  std::map<std::string, uint64_t> Numbers;
  std::vector<std::string> Texts;
};

/// Serializes J; replaces invalid UTF-8.
std::string pageJson(const nlohmann::ordered_json &J);

} // namespace gmprof

#endif // GMPROF_REPORT_PAGE_PAGECOLUMNS_H
