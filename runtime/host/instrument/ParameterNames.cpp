//===- ParameterNames.cpp - Names of parameters for PTX -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/ParameterNames.h"
#include "profile/Demangle.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

namespace gmprof {

static bool isLetter(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '$';
}

/// Returns the end of the word that begins at a position.
static size_t endOfWord(std::string_view Text, size_t At) {
  while (At < Text.size() && isLetter(Text[At]))
    ++At;
  return At;
}

/// Calls Visit with the begin and the end of each word.
template <typename Visitor> static void eachWord(std::string_view Text, Visitor Visit) {
  for (size_t At = 0; At < Text.size();) {
    const size_t End = endOfWord(Text, At);
    if (End != At)
      Visit(At, End);
    At = std::max(End, At + 1);
  }
}

/// Returns the words of PTX that may be names of variables or functions: those that are no part of
/// an instruction's name or a register, nor of a comment.
static std::set<std::string_view> identifiers(std::string_view Ptx) {
  std::set<std::string_view> Found;
  size_t Comment = Ptx.find("//"), EndOfComment = 0;
  eachWord(Ptx, [&](size_t At, size_t End) {
    while (Comment < At) {
      EndOfComment = std::min(Ptx.find('\n', Comment), Ptx.size());
      Comment = Ptx.find("//", EndOfComment);
    }
    if (At >= EndOfComment && (At == 0 || (Ptx[At - 1] != '.' && Ptx[At - 1] != '%')))
      Found.insert(Ptx.substr(At, End - At));
  });
  return Found;
}

std::string withParameterNames(const std::string &Ptx, const ParameterNames &Names) {
  if (Names.empty())
    return Ptx;
  const std::set<std::string_view> Words = identifiers(Ptx);
  constexpr std::string_view Middle = "_param_";
  std::string Named;
  size_t Copied = 0;
  eachWord(Ptx, [&](size_t At, size_t End) {
    const std::string_view Word = std::string_view(Ptx).substr(At, End - At);
    const size_t Split = Word.rfind(Middle);
    const auto Of =
        Split == std::string_view::npos ? Names.end() : Names.find(Word.substr(0, Split));
    size_t Index = 0;
    const char *Number = Word.data() + Split + Middle.size(), *WordEnd = Word.data() + Word.size();
    if (Of == Names.end() || Number == WordEnd)
      return;
    const auto Parsed = std::from_chars(Number, WordEnd, Index);
    if (Parsed.ec != std::errc() || Parsed.ptr != WordEnd || Index >= Of->second.size())
      return;
    const std::string &Name = Of->second[Index];
    if (Name.empty() || Words.contains(Name))
      return;
    Named.append(Ptx, Copied, At - Copied);
    Named += Name;
    Copied = End;
  });
  return Named.append(Ptx, Copied);
}

/// Replaces comments by spaces.
static std::string withoutComments(std::string Source) {
  for (size_t At = Source.find('/'); At != std::string::npos; At = Source.find('/', At + 1)) {
    const char Kind = At + 1 < Source.size() ? Source[At + 1] : '\0';
    if (Kind != '/' && Kind != '*')
      continue;
    size_t End = Kind == '/' ? Source.find('\n', At) : Source.find("*/", At + 2);
    End = End == std::string::npos ? Source.size() : End + (Kind == '*' ? 2 : 0);
    for (; At < End; ++At)
      if (Source[At] != '\n')
        Source[At] = ' ';
    --At;
  }
  return Source;
}

/// Returns the position of the bracket that closes the one at Open; npos if there is none.
static size_t closing(std::string_view Text, size_t Open) {
  int Depth = 0;
  for (size_t At = Open; At < Text.size(); ++At) {
    Depth += Text[At] == '(';
    Depth -= Text[At] == ')';
    if (Depth == 0)
      return At;
  }
  return std::string_view::npos;
}

/// Returns the parts of a list between its commas, without those within brackets.
static std::vector<std::string_view> partsOf(std::string_view List) {
  std::vector<std::string_view> Parts;
  int Depth = 0;
  size_t Begin = 0;
  for (size_t At = 0; At <= List.size(); ++At) {
    const char C = At < List.size() ? List[At] : ',';
    Depth += C == '(' || C == '<' || C == '[' || C == '{';
    Depth -= C == ')' || C == '>' || C == ']' || C == '}';
    if (C != ',' || (Depth > 0 && At < List.size()))
      continue;
    Parts.push_back(List.substr(Begin, At - Begin));
    Begin = At + 1;
  }
  if (Parts.size() == 1 && Parts[0].find_first_not_of(" \t\r\n") == std::string_view::npos)
    Parts.clear();
  return Parts;
}

/// Returns the name that a parameter's declaration gives it; empty if it has none, or is a function
/// or a reference to an array.
static std::string nameOf(std::string_view Declaration) {
  static const std::set<std::string_view> Types = {"int",   "unsigned", "signed", "long",
                                                   "short", "char",     "float",  "double",
                                                   "bool",  "void",     "size_t", "const"};
  Declaration = Declaration.substr(0, Declaration.find('='));
  if (Declaration.find('(') != std::string_view::npos)
    return "";
  Declaration = Declaration.substr(0, Declaration.rfind('['));
  size_t End = Declaration.size();
  while (End != 0 && std::isspace(static_cast<unsigned char>(Declaration[End - 1])))
    --End;
  size_t Begin = End;
  while (Begin != 0 && isLetter(Declaration[Begin - 1]))
    --Begin;
  const std::string_view Name = Declaration.substr(Begin, End - Begin);
  const bool HasType =
      Declaration.substr(0, Begin).find_first_not_of(" \t\r\n") != std::string_view::npos;
  return HasType && !Types.contains(Name) ? std::string(Name) : "";
}

std::string kernelInSource(const std::string &Mangled) {
  std::string Name = demangle(Mangled);
  if (const size_t Open = Name.rfind('('); Open != std::string::npos && Name.back() == ')')
    Name.resize(Open);
  if (!Name.empty() && Name.back() == '>') {
    int Depth = 0;
    size_t At = Name.size();
    do {
      --At;
      Depth += Name[At] == '>';
      Depth -= Name[At] == '<';
    } while (At != 0 && Depth != 0);
    Name.resize(At);
  }
  size_t Begin = Name.size();
  while (Begin != 0 && isLetter(Name[Begin - 1]))
    --Begin;
  return Name.substr(Begin);
}

/// Returns the names of the parameters of a kernel; nothing unless the source, without comments,
/// has one list of them.
static std::vector<std::string> namesIn(const std::string &Source, const std::string &Kernel) {
  std::vector<std::string> Found;
  bool Ambiguous = false;
  eachWord(Source, [&](size_t At, size_t End) {
    if (std::string_view(Source).substr(At, End - At) != Kernel)
      return;
    const size_t Open = Source.find_first_not_of(" \t\r\n", End);
    // The head of a function begins behind the end of what precedes it.
    const size_t Before = Source.find_last_of(";{}", At);
    const size_t Head = Before == std::string::npos ? 0 : Before;
    if (Open == std::string::npos || Source[Open] != '(' ||
        std::string_view(Source).substr(Head, At - Head).find("__global__") ==
            std::string_view::npos)
      return;
    const size_t Close = closing(Source, Open);
    std::vector<std::string> Names;
    if (Close != std::string::npos)
      for (const std::string_view Each :
           partsOf(std::string_view(Source).substr(Open + 1, Close - Open - 1)))
        Names.push_back(nameOf(Each));
    Ambiguous |= !Found.empty() && Names != Found;
    Found = std::move(Names);
  });
  return Ambiguous ? std::vector<std::string>() : Found;
}

ParameterNames parameterNamesOfSource(const std::string &Ptx, const std::string &Source) {
  ParameterNames Names;
  const std::string Text = withoutComments(Source);
  constexpr std::string_view Entry = ".entry", Parameter = ".param";
  for (size_t At = Ptx.find(Entry); At != std::string::npos; At = Ptx.find(Entry, At + 1)) {
    const size_t Begin = std::min(Ptx.find_first_not_of(" \t\r\n", At + Entry.size()), Ptx.size());
    const size_t End = endOfWord(Ptx, Begin), Close = Ptx.find(')', End);
    if (End == Begin || Ptx[End] != '(' || Close == std::string::npos)
      continue;
    size_t Parameters = 0;
    for (size_t P = Ptx.find(Parameter, End); P < Close; P = Ptx.find(Parameter, P + 1))
      ++Parameters;
    const std::string Kernel = Ptx.substr(Begin, End - Begin);
    if (std::vector<std::string> Found = namesIn(Text, kernelInSource(Kernel));
        !Found.empty() && Found.size() == Parameters)
      Names[Kernel] = std::move(Found);
  }
  return Names;
}

} // namespace gmprof
