//===- Wording.cpp - Numbers in sentences ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

namespace gmprof {

std::string grouped(uint64_t N) {
  std::string Digits = std::to_string(N);
  for (size_t I = Digits.size(); I > 3; I -= 3)
    Digits.insert(I - 3, ",");
  return Digits;
}

std::string pluralOf(const std::string &What) {
  if (What.ends_with("py")) // copy, but not array
    return What.substr(0, What.size() - 1) + "ies";
  return What + (What.ends_with('s') || What.ends_with("ch") ? "es" : "s");
}

std::string plural(uint64_t N, const std::string &What) {
  return grouped(N) + " " + (N == 1 ? What : pluralOf(What));
}

/// Returns a number with one decimal below 10, if that is not zero.
static std::string twoDigits(double X) {
  if (std::abs(X) >= 9.95)
    return fmt::format("{:.0f}", X);
  const std::string Text = fmt::format("{:.1f}", X);
  return Text.ends_with(".0") ? Text.substr(0, Text.size() - 2) : Text;
}

std::string bytesText(double Bytes) {
  static constexpr const char *Units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (std::abs(Bytes) < 1024)
    return Bytes == 1 ? "1 byte" : fmt::format("{:.0f} bytes", Bytes);
  size_t Unit = 0;
  // A value that rounds to 1024 becomes 1 of the next unit.
  for (Bytes /= 1024; std::abs(Bytes) >= 1023.5 && Unit + 1 < std::size(Units); ++Unit)
    Bytes /= 1024;
  return twoDigits(Bytes) + " " + Units[Unit];
}

std::string secondsText(double Seconds) {
  const double Size = std::abs(Seconds);
  if (Size < 0.5e-9)
    return "0 s";
  if (Size < 0.9995e-6)
    return twoDigits(Seconds * 1e9) + " ns";
  if (Size < 0.9995e-3)
    return twoDigits(Seconds * 1e6) + " us";
  return Size < 0.9995 ? twoDigits(Seconds * 1e3) + " ms" : twoDigits(Seconds) + " s";
}

std::string ratioText(double Ratio) {
  if (Ratio != 0 && std::abs(Ratio) < 0.1)
    return fmt::format("{:.2g}", Ratio);
  if (std::abs(Ratio) >= 99.95)
    return grouped(static_cast<uint64_t>(std::llround(std::min(std::abs(Ratio), 9e18))));
  const std::string Text = fmt::format("{:.1f}", Ratio);
  return Text.ends_with(".0") ? Text.substr(0, Text.size() - 2) : Text;
}

std::string percentText(double Share) {
  const double Percent = 100 * Share;
  if (Percent != 0 && std::abs(Percent) < 0.1)
    return fmt::format("{:.1g} %", Percent);
  // Less than all is not 100 %.
  constexpr double AlmostAll = 99.5, MostOfAll = 99.9;
  if (Percent >= AlmostAll && Share < 1)
    return fmt::format("{:.1f} %", std::min(Percent, MostOfAll));
  return twoDigits(Percent) + " %";
}

std::string shortName(const std::string &Demangled) {
  // Demanglers append the suffixes of clones that GCC makes, as in "f(int) (.isra.0)".
  if (const size_t Clone = Demangled.rfind(" (."); Clone != std::string::npos)
    return shortName(Demangled.substr(0, Clone));
  size_t Close = Demangled.rfind(')');
  if (Close == std::string::npos)
    return Demangled;
  int Depth = 0;
  size_t Open = Close + 1;
  while (Open > 0) {
    --Open;
    Depth += Demangled[Open] == ')';
    Depth -= Demangled[Open] == '(';
    if (Depth == 0)
      break;
  }
  if (Depth != 0 || Open == 0)
    return Demangled;
  // The return type ends at the last space outside of brackets.
  size_t Begin = Open;
  for (Depth = 0; Begin > 0; --Begin) {
    char C = Demangled[Begin - 1];
    Depth += C == ')' || C == '>';
    Depth -= C == '(' || C == '<';
    if (Depth == 0 && C == ' ')
      break;
  }
  return Demangled.substr(Begin, Open - Begin);
}

static bool isOfIdentifier(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '~';
}

/// Returns where the name with template arguments begins that ends at End.
static size_t beginOfName(const std::string &Text, size_t End) {
  int Depth = 0;
  for (; End > 0; --End) {
    const char C = Text[End - 1];
    Depth += C == '>' || C == ')';
    Depth -= C == '<' || C == '(';
    if (Depth < 0 || (Depth == 0 && !isOfIdentifier(C) && C != '<' && C != '('))
      break;
  }
  return End;
}

/// Returns the name without the namespaces and classes of its parts.
static std::string withoutQualifiers(const std::string &Name) {
  std::string Text;
  for (size_t I = 0; I < Name.size(); ++I)
    if (Name.compare(I, 2, "::") == 0) {
      Text.erase(beginOfName(Text, Text.size()));
      ++I;
    } else {
      Text += Name[I];
    }
  return Text;
}

/// Returns the name with "..." in place of the template arguments below Depth, and of all but the
/// first Kept at Depth.
static std::string withFewerArguments(const std::string &Name, int Depth, size_t Kept) {
  std::string Text;
  int Now = 0;
  size_t Argument = 0;
  for (const char C : Name) {
    Now -= C == '>';
    if (Now < Depth || Argument < Kept)
      Text += C;
    else if (Now == Depth && Argument == Kept && !Text.ends_with("..."))
      Text += Kept == 0 ? "..." : " ...";
    if (C == ',' && Now == Depth)
      ++Argument;
    Now += C == '<';
    if (C == '<' && Now == Depth)
      Argument = 0;
  }
  return Text;
}

/// Returns the name without the parameters of functions that contain a part of it, as of one that
/// has a lambda.
static std::string withoutOuterParameters(const std::string &Name) {
  std::string Text;
  std::vector<size_t> Open;
  for (size_t I = 0; I < Name.size(); ++I) {
    if (Name[I] == '(')
      Open.push_back(Text.size() + 1);
    if (Name[I] == ')' && !Open.empty()) {
      if (Name.compare(I + 1, 2, "::") == 0)
        Text.erase(Open.back());
      Open.pop_back();
    }
    Text += Name[I];
  }
  return Text;
}

std::string briefName(const std::string &Demangled, size_t Most) {
  std::string Name = shortName(Demangled);
  if (Name.size() > Most)
    Name = withoutOuterParameters(Name);
  if (Name.size() <= Most)
    return Name;
  Name = withoutQualifiers(Name);
  for (const auto &[Depth, Kept] : {std::pair(2, 0), std::pair(1, 1), std::pair(1, 0)}) {
    if (Name.size() <= Most)
      return Name;
    Name = withFewerArguments(Name, Depth, Kept);
  }
  return Name.size() <= Most ? Name : Name.substr(0, Most - 3) + "...";
}

std::string quotedName(const std::string &Name) { return "`" + Name + "`"; }

std::string extentText(std::span<const uint32_t> Extent) {
  std::string Text;
  for (uint32_t Elements : Extent)
    Text += (Text.empty() ? "" : " x ") + std::to_string(Elements);
  return Text;
}

std::string templateName(const std::string &Demangled) {
  const std::string Name = shortName(Demangled);
  return Name.substr(0, Name.find('<'));
}

void addCondition(std::string &Suggestion, const std::string &Condition) {
  if (Suggestion.ends_with('.'))
    Suggestion.pop_back();
  const size_t Sentence = Suggestion.rfind(". ");
  const bool HasOne =
      Suggestion.find("provided that", Sentence == std::string::npos ? 0 : Sentence) !=
      std::string::npos;
  Suggestion += (HasOne ? ", and that " : ", provided that ") + Condition + ".";
}

} // namespace gmprof
