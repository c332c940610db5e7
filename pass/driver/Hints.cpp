//===- Hints.cpp - Fixes of errors of clang -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hints.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

namespace gmprof::driver {

namespace {

std::string unescaped(std::string_view Text) {
  static constexpr std::pair<std::string_view, char> Entities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string Result;
  while (!Text.empty()) {
    size_t Length = 1;
    char C = Text.front();
    for (auto [Entity, Stands] : Entities)
      if (Text.starts_with(Entity)) {
        C = Stands;
        Length = Entity.size();
      }
    Result += C;
    Text.remove_prefix(Length);
  }
  return Result;
}

/// Removes Text up to and including End, and returns the removed part without End.
std::optional<std::string_view> takeUntil(std::string_view &Text, std::string_view End) {
  const size_t At = Text.find(End);
  if (At == std::string_view::npos)
    return std::nullopt;
  const std::string_view Taken = Text.substr(0, At);
  Text.remove_prefix(At + End.size());
  return Taken;
}

/// Returns a file's lines; empty in place of long, generated ones: std::regex recurses for each
/// character.
std::vector<std::string> linesOf(const std::string &File) {
  constexpr size_t Longest = 1000;
  std::ifstream In(File);
  std::vector<std::string> Lines;
  for (std::string Line; std::getline(In, Line);)
    Lines.push_back(Line.size() <= Longest ? Line : "");
  return Lines;
}

std::string place(const std::string &File, size_t Line) {
  return File + ":" + std::to_string(Line) + ": ";
}

/// Returns the hint for a launch whose tokens contain spaces, as some formatters write them: k<<
/// <1, 32>> >(). nvcc accepts them.
std::optional<std::string> hintOfLaunch(const Diagnostic &D) {
  if (D.Message != "expected expression")
    return std::nullopt;
  static const std::regex Begin("<<\\s+<|<\\s+<<"), Split("<<\\s+<|<\\s+<<|<<<.*(>>\\s+>|>\\s+>>)");
  const std::vector<std::string> Lines = linesOf(D.File);
  size_t Line = D.Line;
  if (Line == 0 || Line > Lines.size())
    return std::nullopt;
  if (!std::regex_search(Lines[Line - 1], Split)) {
    // An error in a macro is at its use.
    Line = 1;
    while (Line <= Lines.size() && !std::regex_search(Lines[Line - 1], Begin))
      ++Line;
    if (Line > Lines.size())
      return std::nullopt;
  }
  return place(D.File, Line) + "clang does not accept spaces inside the '<<<' and '>>>' of a "
                               "launch, as nvcc does: write kernel<<<grid, block>>>(…)";
}

/// A declaration `__shared__ Type Name[Extent];`.
struct SharedVariable {
  std::string Type = "T", Name = "variable", Extent;
  bool IsInitialized = false; ///< by the declaration itself, which nvcc refuses too
};

/// Reads the declaration of the variable at the 0-based column. Keeps the defaults if the line
/// declares more than one type and one name.
SharedVariable readDeclaration(const std::string &Line, size_t Column) {
  SharedVariable Variable;
  std::smatch Found;
  static const std::regex AfterType("^(\\w+)\\s*((?:\\[[^\\]]*\\]\\s*)*)([;,={(])"),
      Type("__shared__\\s+(?:(?:static|alignas\\([^()]*\\)|__align__\\([^()]*\\))\\s+)*"
           "([\\w:](?:[\\w:]|\\s|<[^;(){}]*>)*?)\\s+$");
  const std::string Before = Line.substr(0, std::min(Column, Line.size())),
                    After = Line.substr(Before.size());
  if (!std::regex_search(After, Found, AfterType))
    return Variable;
  const std::string Name = Found[1], Extent = Found[2], Next = Found[3];
  Variable.IsInitialized =
      Next != ";" && Next != "," && Before.find("__shared__") != std::string::npos;
  if (Next == ";" && std::regex_search(Before, Found, Type))
    Variable = {Found[1], Name, Extent};
  return Variable;
}

/// Returns the hint for a variable in shared memory whose type has a constructor or destructor with
/// code, such as cuda::barrier.
std::optional<std::string> hintOfShared(const Diagnostic &D) {
  if (D.Message != "initialization is not supported for __shared__ variables")
    return std::nullopt;
  const std::vector<std::string> Lines = linesOf(D.File);
  const std::string Line = D.Line && D.Line <= Lines.size() ? Lines[D.Line - 1] : "";
  const auto [Type, Name, Extent, IsInitialized] =
      readDeclaration(Line, D.Column ? D.Column - 1 : 0);
  if (IsInitialized)
    return std::nullopt;
  const std::string Storage = Name + "Storage";
  std::string Hint =
      place(D.File, D.Line) +
      "clang refuses a __shared__ variable whose type has a constructor or destructor with code; "
      "nvcc warns and runs neither. Declare its storage instead:\n"
      "    __shared__ alignas(" +
      Type + ") unsigned char " + Storage + "[sizeof(" + Type + Extent +
      ")];\n"
      "    auto &" +
      Name + " = reinterpret_cast<" + Type + (Extent.empty() ? " &>(" : " (&)" + Extent + ">(") +
      Storage + ");";
  if (Type.find("barrier") != std::string::npos)
    Hint += "\n  Keep the call of init(&" + Name +
            ", count) by one thread before __syncthreads(), which nvcc needs too.";
  return Hint;
}

/// Returns the hint for a source that defines CUDA's keywords away where __NVCC__ is not defined,
/// which clang only warns about.
std::optional<std::string> hintOfNvccMacro(const Diagnostic &D) {
  static const std::regex Redefined("^'(__device__|__host__|__global__|__shared__|__constant__)' "
                                    "macro redefined$");
  std::smatch Found;
  if (!std::regex_match(D.Message, Found, Redefined))
    return std::nullopt;
  const std::vector<std::string> Lines = linesOf(D.File);
  for (size_t Line = std::min<size_t>(D.Line, Lines.size()); Line > 0; --Line)
    if (Lines[Line - 1].find("__NVCC__") != std::string::npos)
      return place(D.File, Line) + "the source defines " + std::string(Found[1]) +
             " away if __NVCC__ is not defined, and clang does not define it: test __CUDACC__, "
             "which nvcc and clang define";
  return std::nullopt;
}

} // namespace

std::vector<Diagnostic> readDiagnostics(const std::string &PropertyList) {
  std::ifstream In(PropertyList);
  const std::string Text{std::istreambuf_iterator<char>(In), {}};
  std::string_view Rest = Text;
  std::vector<Diagnostic> Diagnostics;
  while (takeUntil(Rest, "<key>level</key>")) {
    std::optional<std::string_view> Fields = takeUntil(Rest, "</dict>");
    if (!Fields)
      break;
    auto Value = [&](std::string_view Key, std::string_view Type) -> std::string {
      std::string_view From = *Fields;
      if (!Key.empty() && !takeUntil(From, "<key>" + std::string(Key) + "</key>"))
        return "";
      const std::string Tag = std::string(Type) + ">";
      if (!takeUntil(From, "<" + Tag))
        return "";
      return unescaped(takeUntil(From, "</" + Tag).value_or(""));
    };
    auto Number = [&](std::string_view Key) {
      return static_cast<unsigned>(std::strtoul(Value(Key, "integer").c_str(), nullptr, 10));
    };
    Diagnostics.push_back({Value("", "string"), Value("filename", "string"), Number("line"),
                           Number("column"), Value("message", "string")});
  }
  return Diagnostics;
}

std::vector<std::string> hintsFor(const std::vector<Diagnostic> &Diagnostics) {
  std::vector<std::string> Hints;
  const std::pair<const char *, std::optional<std::string> (*)(const Diagnostic &)> Kinds[] = {
      {"error", hintOfLaunch}, {"error", hintOfShared}, {"warning", hintOfNvccMacro}};
  for (const auto &[Level, HintOf] : Kinds)
    for (const Diagnostic &D : Diagnostics)
      if (std::optional<std::string> Hint = D.Level == Level ? HintOf(D) : std::nullopt) {
        Hints.push_back(std::move(*Hint));
        break;
      }
  return Hints;
}

} // namespace gmprof::driver
