//===- SourceText.cpp - Lines of the program's source ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/SourceText.h"
#include <fstream>
#include <sys/stat.h>

namespace gmprof {

const std::vector<std::string> &SourceText::lines(const std::string &File) {
  auto [It, New] = Files.try_emplace(File);
  struct stat Info = {};
  if (!New || ::stat(File.c_str(), &Info) != 0 || !S_ISREG(Info.st_mode) ||
      static_cast<uint64_t>(Info.st_size) > MaxBytes)
    return It->second;
  if (RunUnixNs != 0 && static_cast<uint64_t>(Info.st_mtime) > RunUnixNs / 1'000'000'000)
    return It->second;
  std::ifstream In(File);
  for (std::string Line; std::getline(In, Line);)
    It->second.push_back(Line);
  return It->second;
}

std::string SourceText::line(const profile::SourcePosition &Of) {
  if (Of.File.empty() || Of.Line == 0)
    return {};
  const std::vector<std::string> &Lines = lines(Of.File);
  if (Of.Line > Lines.size())
    return {};
  const std::string &Line = Lines[Of.Line - 1];
  const size_t First = Line.find_first_not_of(" \t\r");
  if (First == std::string::npos)
    return {};
  return Line.substr(First, std::min(Line.find_last_not_of(" \t\r") - First + 1, MaxLine));
}

} // namespace gmprof
