//===- JsonText.h - Writes JSON ---------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The recorder, which lives in the profiled program, writes JSON but never reads it: this writer
// keeps the JSON library out of libgmprof.so.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_JSONTEXT_H
#define GMPROF_PROFILE_JSONTEXT_H

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gmprof {

/// The text of one JSON value (RFC 8259), without white space.
class JsonText {
public:
  using Member = std::pair<std::string_view, JsonText>;

  /// Makes a string. Bytes that are not UTF-8 become U+FFFD, one for each maximal subpart of an
  /// ill-formed sequence (Unicode, Section 3.9).
  JsonText(std::string_view String);
  JsonText(const std::string &String) : JsonText(std::string_view(String)) {}
  JsonText(const char *String) : JsonText(std::string_view(String)) {}
  JsonText(std::same_as<bool> auto Value) : Text(Value ? "true" : "false") {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  JsonText(T Value) : Text(std::to_string(Value)) {}
  /// Makes the shortest decimal number that reads back as Value; null if Value is not finite.
  JsonText(double Value);

  /// Makes an object with its members in order. Names must be unique.
  static JsonText object(const std::vector<Member> &Members);
  template <typename Range> static JsonText array(const Range &Elements) {
    JsonText Array;
    for (const auto &Each : Elements)
      (Array.Text += Array.Text.empty() ? "[" : ",") += JsonText(Each).Text;
    Array.Text += Array.Text.empty() ? "[]" : "]";
    return Array;
  }

  const std::string &str() const { return Text; }

private:
  JsonText() = default;

  std::string Text;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_JSONTEXT_H
