//===- SourceText.cpp - Lines of the program's source files ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SourceText.h"
#include <ctime>
#include <fstream>
#include <sys/stat.h>

namespace gmprof {

uint64_t startUnixNs(const summary::Run &Run) {
  std::tm Time = {};
  const char *End = ::strptime(Run.start.c_str(), "%Y-%m-%dT%H:%M:%S", &Time);
  const time_t Seconds = End ? ::timegm(&Time) : 0;
  return Seconds > 0 ? static_cast<uint64_t>(Seconds) * 1'000'000'000 : 0;
}

const SourceText::Text &SourceText::file(const std::string &Name) {
  auto [It, New] = Files.try_emplace(Name);
  Text &To = It->second;
  struct stat Info = {};
  if (!New || ::stat(Name.c_str(), &Info) != 0 || !S_ISREG(Info.st_mode))
    return To;
  if (static_cast<uint64_t>(Info.st_size) > MaxBytes) {
    To.TheState = State::TooLarge;
    return To;
  }
  std::ifstream In(Name);
  if (!In)
    return To;
  for (std::string Line; std::getline(In, Line);)
    To.Lines.push_back(Line);
  const bool Newer =
      RunUnixNs != 0 && static_cast<uint64_t>(Info.st_mtime) > RunUnixNs / 1'000'000'000;
  To.TheState = Newer ? State::Changed : State::Read;
  return To;
}

std::string SourceText::line(const profile::SourcePosition &Of) {
  if (Of.File.empty() || Of.Line == 0)
    return {};
  const std::vector<std::string> &Lines = lines(Of.File);
  if (state(Of.File) != State::Read || Of.Line > Lines.size())
    return {};
  const std::string &Line = Lines[Of.Line - 1];
  const size_t First = Line.find_first_not_of(" \t\r");
  if (First == std::string::npos)
    return {};
  return Line.substr(First, std::min(Line.find_last_not_of(" \t\r") - First + 1, MaxLine));
}

} // namespace gmprof
