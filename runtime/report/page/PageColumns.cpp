//===- PageColumns.cpp - Columns of numbers for the web page --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/page/PageColumns.h"
#include "report/text/TextStyle.h"

namespace gmprof {

using nlohmann::ordered_json;

static void appendLeb128(std::string &To, uint64_t Value) {
  for (; Value >= 0x80; Value >>= 7)
    To += static_cast<char>(0x80 | (Value & 0x7f));
  To += static_cast<char>(Value);
}

void PageColumns::describe(const char *Name, const char *Code, size_t Rows, size_t Before) {
  Described.push_back(
      {{"name", Name}, {"code", Code}, {"rows", Rows}, {"bytes", Bytes.size() - Before}});
}

void PageColumns::add(const char *Name, const std::vector<uint64_t> &Values) {
  const size_t Before = Bytes.size();
  for (uint64_t Value : Values)
    appendLeb128(Bytes, Value);
  describe(Name, "numbers", Values.size(), Before);
}

void PageColumns::addDifferences(const char *Name, const std::vector<uint64_t> &Values) {
  const size_t Before = Bytes.size();
  uint64_t Last = 0;
  for (uint64_t Value : Values) {
    const uint64_t Up = Value - Last, Down = Last - Value;
    appendLeb128(Bytes, Value >= Last ? Up << 1 : (Down << 1) - 1);
    Last = Value;
  }
  describe(Name, "differences", Values.size(), Before);
}

std::string PageColumns::text(ordered_json Head) const {
  Head["columns"] = Described;
  return pageJson(Head) + "\n" + Bytes;
}

uint64_t PageStrings::numberOf(const std::string &Text) {
  const auto [At, IsNew] = Numbers.try_emplace(Text, Texts.size());
  if (IsNew)
    Texts.push_back(text::printable(Text));
  return At->second;
}

std::string pageJson(const ordered_json &J) {
  return J.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

} // namespace gmprof
