//===- JsonText.cpp - Writes JSON -----------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/JsonText.h"
#include <charconv>
#include <cmath>

namespace gmprof {
namespace {

struct Sequence {
  size_t Bytes;
  bool WellFormed;
};

/// Returns the first UTF-8 sequence of Rest, or the maximal subpart of an ill-formed one (Unicode,
/// Table 3-7). Rest must not be empty.
Sequence firstSequence(std::string_view Rest) {
  const auto At = [&](size_t I) { return static_cast<unsigned char>(Rest[I]); };
  const unsigned First = At(0);
  if (First < 0x80)
    return {1, true};
  const size_t More = First < 0xC2    ? 0
                      : First <= 0xDF ? 1
                      : First <= 0xEF ? 2
                      : First <= 0xF4 ? 3
                                      : 0;
  if (More == 0)
    return {1, false};
  unsigned Low = First == 0xE0 ? 0xA0 : First == 0xF0 ? 0x90 : 0x80;
  unsigned High = First == 0xED ? 0x9F : First == 0xF4 ? 0x8F : 0xBF;
  for (size_t I = 1; I <= More; ++I) {
    if (I == Rest.size() || At(I) < Low || At(I) > High)
      return {I, false};
    Low = 0x80;
    High = 0xBF;
  }
  return {More + 1, true};
}

void appendEscaped(std::string &To, char C) {
  static constexpr char Hex[] = "0123456789abcdef";
  switch (C) {
  case '"':
    To += "\\\"";
    break;
  case '\\':
    To += "\\\\";
    break;
  case '\b':
    To += "\\b";
    break;
  case '\f':
    To += "\\f";
    break;
  case '\n':
    To += "\\n";
    break;
  case '\r':
    To += "\\r";
    break;
  case '\t':
    To += "\\t";
    break;
  default:
    if (static_cast<unsigned char>(C) >= 0x20)
      To += C;
    else
      (To += "\\u00") += {Hex[C >> 4], Hex[C & 15]};
  }
}

} // namespace

JsonText::JsonText(std::string_view String) : Text("\"") {
  while (!String.empty()) {
    const Sequence Next = firstSequence(String);
    if (!Next.WellFormed)
      Text += "\xEF\xBF\xBD";
    else if (Next.Bytes == 1)
      appendEscaped(Text, String[0]);
    else
      Text += String.substr(0, Next.Bytes);
    String.remove_prefix(Next.Bytes);
  }
  Text += '"';
}

JsonText::JsonText(double Value) : Text("null") {
  if (!std::isfinite(Value))
    return;
  char Digits[32];
  Text.assign(Digits, std::to_chars(Digits, std::end(Digits), Value).ptr);
  if (Text.find_first_not_of("-0123456789") == std::string::npos)
    Text += ".0";
}

JsonText JsonText::object(const std::vector<Member> &Members) {
  JsonText Object;
  Object.Text = "{";
  for (const auto &[Name, Value] : Members) {
    if (Object.Text.size() > 1)
      Object.Text += ',';
    ((Object.Text += JsonText(Name).Text) += ':') += Value.Text;
  }
  Object.Text += '}';
  return Object;
}

} // namespace gmprof
