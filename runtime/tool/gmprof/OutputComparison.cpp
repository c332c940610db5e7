//===- OutputComparison.cpp - Compares outputs of runs --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/OutputComparison.h"
#include <algorithm>
#include <fmt/format.h>
#include <regex.h>

namespace gmprof::host {
namespace {

using Lines = std::vector<std::string>;

Lines linesOf(const std::string &Text, const regex_t *Ignore) {
  Lines All;
  for (size_t Begin = 0; Begin < Text.size();) {
    const size_t End = std::min(Text.find('\n', Begin), Text.size());
    std::string Line = Text.substr(Begin, End - Begin);
    if (!Ignore || regexec(Ignore, Line.c_str(), 0, nullptr, 0) != 0)
      All.push_back(std::move(Line));
    Begin = End + 1;
  }
  return All;
}

std::string shown(const std::string &Line) {
  constexpr size_t Most = 120;
  return Line.size() <= Most ? Line : Line.substr(0, Most) + "...";
}

void compareText(const std::string &Name, const std::vector<Lines> &As,
                 const std::vector<Lines> &Changed, OutputComparison &To) {
  const Lines &First = As.front();
  if (std::any_of(As.begin(), As.end(), [&](const Lines &L) { return L.size() != First.size(); })) {
    To.Vary.push_back(Name + " has another number of lines in each run");
    return;
  }
  std::vector<bool> Varies(First.size());
  for (const Lines &Other : As)
    for (size_t I = 0; I < First.size(); ++I)
      Varies[I] = Varies[I] || Other[I] != First[I];
  if (const auto Count = std::count(Varies.begin(), Varies.end(), true))
    To.Vary.push_back(fmt::format("{} of {} lines of {}", Count, First.size(), Name));
  for (const Lines &L : Changed) {
    if (L.size() != First.size()) {
      To.Differences.push_back(
          fmt::format("{} has {} lines, not {}", Name, L.size(), First.size()));
      return;
    }
    for (size_t I = 0; I < First.size(); ++I)
      if (!Varies[I] && L[I] != First[I]) {
        To.Differences.push_back(fmt::format("line {} of {} is '{}', not '{}'", I + 1, Name,
                                             shown(L[I]), shown(First[I])));
        return;
      }
  }
}

void compareFile(const std::string &Name, size_t Index, const std::vector<RunOutput> &As,
                 const std::vector<RunOutput> &Changed, OutputComparison &To) {
  const std::string &First = As.front().Files[Index];
  auto Differs = [&](const RunOutput &R) { return R.Files[Index] != First; };
  if (std::any_of(As.begin(), As.end(), Differs))
    To.Vary.push_back(Name + " is another one in each run");
  else if (std::any_of(Changed.begin(), Changed.end(), Differs))
    To.Differences.push_back(Name + " has other contents");
}

} // namespace

OutputComparison compareOutputs(const std::vector<RunOutput> &As,
                                const std::vector<RunOutput> &Changed, const std::string &Ignore,
                                const std::vector<std::string> &Names) {
  OutputComparison To;
  for (const RunOutput &R : Changed)
    if (std::none_of(As.begin(), As.end(),
                     [&](const RunOutput &Other) { return Other.Status == R.Status; })) {
      To.Differences.push_back(
          fmt::format("the exit status is {}, not {}", R.Status, As.front().Status));
      break;
    }
  regex_t Regex;
  const bool Ignores =
      !Ignore.empty() && regcomp(&Regex, Ignore.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  for (auto [Name, Text] :
       {std::pair("stdout", &RunOutput::Out), std::pair("stderr", &RunOutput::Err)}) {
    auto All = [&, Text = Text](const std::vector<RunOutput> &Runs) {
      std::vector<Lines> Of;
      for (const RunOutput &R : Runs)
        Of.push_back(linesOf(R.*Text, Ignores ? &Regex : nullptr));
      return Of;
    };
    compareText(Name, All(As), All(Changed), To);
  }
  if (Ignores)
    regfree(&Regex);
  for (size_t I = 0; I < Names.size(); ++I)
    compareFile(Names[I], I, As, Changed, To);
  return To;
}

} // namespace gmprof::host
