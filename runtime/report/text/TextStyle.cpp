//===- TextStyle.cpp - What lines of a report are made of -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextStyle.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace gmprof::text {

using summary::Source;

std::string styled(char Style, const std::string &Text) {
  return fmt::format("{}{}{}", Style, Text, Plain);
}

size_t displayWidth(const std::string &Text) {
  return static_cast<size_t>(std::count_if(Text.begin(), Text.end(), [](char C) {
    auto Byte = static_cast<unsigned char>(C);
    return Byte >= 0x20 && (Byte & 0xc0) != 0x80;
  }));
}

std::string grouped(double X) {
  double Whole = std::round(X);
  if (!(std::fabs(X) < 1e15))
    return fmt::format("{:.3g}", X);
  if (X < 0)
    return "-" + grouped(-X);
  if (Whole == X || X >= 1000)
    return grouped(static_cast<uint64_t>(Whole));
  if (X >= 100)
    return fmt::format("{:.1f}", X);
  return X >= 0.01 ? fmt::format("{:.2f}", X) : fmt::format("{:.2g}", X);
}

/// Returns whether the word is a unit, which stays on the line of its number.
static bool isUnit(const std::string &Body, size_t Word) {
  const size_t End = std::min(Body.find_first_of(" ,;).", Word), Body.size());
  return Word < Body.size() && End == Word + 1 && (Body[Word] == '%' || Body[Word] == 's');
}

std::string wrapped(const std::string &First, const std::string &Body, size_t Width) {
  const std::string Indent(First.size(), ' ');
  std::string Text, Line = First;
  bool Begun = false;
  size_t Position = 0;
  while (Position < Body.size()) {
    size_t End = std::min(Body.find(' ', Position), Body.size());
    if (isUnit(Body, End + 1))
      End = std::min(Body.find(' ', End + 1), Body.size());
    std::string Word = Body.substr(Position, End - Position);
    Position = End + 1;
    if (Begun && displayWidth(Line) + 1 + displayWidth(Word) > Width) {
      Text += Line + "\n";
      Line = Indent;
      Begun = false;
    }
    Line += (Begun ? " " : "") + Word;
    Begun = true;
  }
  return Text + Line + "\n";
}

std::string basename(const std::string &Path) { return Path.substr(Path.rfind('/') + 1); }

std::string shortPosition(const std::optional<Source> &S) {
  if (!S)
    return "?";
  return S->line ? fmt::format("{}:{}", basename(S->file), S->line) : basename(S->file);
}

std::string inlinePath(const summary::InlineChain &At) {
  std::string Path;
  for (const summary::InlinedCall &C : At)
    Path = fmt::format("{} at {}{}{}", C.function, shortPosition(C.source),
                       Path.empty() ? "" : " > ", Path);
  return Path;
}

std::string dim3(const std::array<uint32_t, 3> &D) {
  if (D[2] != 1)
    return fmt::format("({},{},{})", D[0], D[1], D[2]);
  return D[1] != 1 ? fmt::format("({},{})", D[0], D[1]) : std::to_string(D[0]);
}

std::string Table::text(const std::string &Indent) const {
  std::vector<size_t> Widths;
  for (const auto &Row : Rows)
    for (size_t C = 0; C < Row.size(); ++C) {
      Widths.resize(std::max(Widths.size(), C + 1));
      Widths[C] = std::max(Widths[C], displayWidth(Row[C]));
    }
  std::string Text;
  for (const auto &Row : Rows) {
    std::string Line = Indent;
    for (size_t C = 0; C < Row.size(); ++C) {
      Line += C ? "  " : "";
      Line += Left.count(C) ? fmt::format("{:<{}}", Row[C], Widths[C])
                            : fmt::format("{:>{}}", Row[C], Widths[C]);
    }
    Line.erase(Line.find_last_not_of(' ') + 1);
    Text += (&Row == &Rows.front() ? styled(Bold, Line) : Line) + "\n";
  }
  return Text;
}

namespace {
struct Character {
  size_t Bytes = 1;
  uint32_t Code = 0; ///< 0: it is no UTF-8
};
} // namespace

static Character characterAt(const std::string &Text, size_t I) {
  const auto First = static_cast<unsigned char>(Text[I]);
  if (First < 0x80)
    return {1, First};
  const size_t Bytes = First < 0xe0 ? 2 : First < 0xf0 ? 3 : 4;
  if (First < 0xc2 || First > 0xf4 || Text.size() - I < Bytes)
    return {};
  uint32_t Code = First & (0x7fu >> Bytes);
  for (size_t B = 1; B < Bytes; ++B) {
    if ((Text[I + B] & 0xc0) != 0x80)
      return {};
    Code = Code << 6 | (Text[I + B] & 0x3fu);
  }
  return {Bytes, Code};
}

/// Returns whether the character affects a terminal: control characters, line and paragraph
/// separators, and changes of text direction.
static bool isControl(uint32_t Code) {
  return Code < 0x20 || (Code >= 0x7f && Code < 0xa0) || Code == 0x200e || Code == 0x200f ||
         (Code >= 0x2028 && Code <= 0x202e) || (Code >= 0x2066 && Code <= 0x2069);
}

/// Replaces control characters but those in Kept.
static std::string harmless(const std::string &Text, std::string_view Kept) {
  std::string Out;
  for (size_t I = 0; I < Text.size();) {
    const Character C = characterAt(Text, I);
    const std::string_view Bytes(Text.data() + I, C.Bytes);
    Out += isControl(C.Code) && Kept.find(Bytes) == std::string_view::npos ? "?" : Bytes;
    I += C.Bytes;
  }
  return Out;
}

std::string printable(const std::string &Text) { return harmless(Text, ""); }

std::string render(const std::string &Text, bool Color) {
  constexpr char Marks[] = {'\n', Bold, Dim, Red, Yellow, Plain};
  std::string Out;
  for (char C : harmless(Text, {Marks, sizeof(Marks)})) {
    const char *Code = nullptr;
    switch (C) {
    case Bold:
      Code = "\x1b[1m";
      break;
    case Dim:
      Code = "\x1b[2m";
      break;
    case Red:
      Code = "\x1b[1;31m";
      break;
    case Yellow:
      Code = "\x1b[1;33m";
      break;
    case Plain:
      Code = "\x1b[0m";
      break;
    default:
      Out += C;
      continue;
    }
    if (Color)
      Out += Code;
  }
  return Out;
}

} // namespace gmprof::text
