//===- PageColumns.h - Columns of numbers for the web page ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line of JSON, whose member columns says of each column its name, how it is written, its
// rows and its bytes; then the columns, one after the other. Numbers are written as LEB128,
// seven bits a byte, either as they are or as differences from the one before, of which the
// lowest bit is the sign (zigzag). web/src/columns.ts reads it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PAGECOLUMNS_H
#define GMPROF_REPORT_PAGECOLUMNS_H

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof {

class PageColumns {
public:
  /// Small numbers.
  void add(const char *Name, const std::vector<uint64_t> &Values);
  /// Such that are near to the one before.
  void addDifferences(const char *Name, const std::vector<uint64_t> &Values);

  /// Head: an object of what else is to be said.
  std::string text(nlohmann::ordered_json Head) const;

private:
  void describe(const char *Name, const char *Code, size_t Rows, size_t Before);

  nlohmann::ordered_json Described = nlohmann::ordered_json::array();
  std::string Bytes;
};

/// Numbers strings, each once, as they come.
class PageStrings {
public:
  uint64_t numberOf(const std::string &Text);
  const std::vector<std::string> &all() const { return Texts; }

private:
  std::map<std::string, uint64_t> Numbers;
  std::vector<std::string> Texts;
};

/// As text of a page: what is no UTF-8 is replaced.
std::string pageJson(const nlohmann::ordered_json &J);

} // namespace gmprof

#endif // GMPROF_REPORT_PAGECOLUMNS_H
