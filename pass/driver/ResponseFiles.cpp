//===- ResponseFiles.cpp - Files of arguments -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResponseFiles.h"
#include <fstream>
#include <iterator>

namespace gmprof::driver {

std::vector<std::string> readWords(std::string_view Text) {
  std::vector<std::string> Words;
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && Quote != '\'' && I + 1 < Text.size()) {
      C = Text[++I];
      InWord = true;
      if (C != '\n')
        Word += C;
    } else if (Quote ? C == Quote : C == '"' || C == '\'') {
      Quote = Quote ? 0 : C;
      InWord = true;
    } else if (!Quote && (C == ' ' || C == '\t' || C == '\n' || C == '\r')) {
      if (InWord)
        Words.push_back(std::move(Word));
      Word.clear();
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Words.push_back(std::move(Word));
  return Words;
}

static void expandInto(const std::vector<std::string> &Arguments, unsigned Depth,
                       std::vector<std::string> &Result) {
  // The depth limit stops a response file that includes itself.
  constexpr unsigned MaxDepth = 16;
  for (size_t I = 0; I < Arguments.size(); ++I) {
    std::string Argument = Arguments[I];
    std::string File;
    if (Argument.starts_with("@"))
      File = Argument.substr(1);
    else if (Argument.starts_with("--options-file="))
      File = Argument.substr(std::string_view("--options-file=").size());
    else if ((Argument == "-optf" || Argument == "--options-file") && I + 1 < Arguments.size())
      File = Arguments[I + 1];
    std::ifstream Stream(File);
    if (File.empty() || Depth == MaxDepth || !Stream) {
      Result.push_back(std::move(Argument));
      continue;
    }
    if (Argument == "-optf" || Argument == "--options-file")
      ++I;
    std::string Text{std::istreambuf_iterator<char>(Stream), {}};
    expandInto(readWords(Text), Depth + 1, Result);
  }
}

std::vector<std::string> expandResponseFiles(const std::vector<std::string> &Arguments) {
  std::vector<std::string> Result;
  expandInto(Arguments, 0, Result);
  return Result;
}

} // namespace gmprof::driver
