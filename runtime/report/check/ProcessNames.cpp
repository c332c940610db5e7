//===- ProcessNames.cpp - Names of merged processes -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/ProcessNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gmprof {

using namespace summary;

std::string processName(const MergedProcess &P) {
  return P.rank ? fmt::format("rank {}", *P.rank) : fmt::format("{}:{}", P.host, P.pid);
}

/// Formats ranks as 0-5, 7.
static std::string ranges(std::vector<int> Ranks) {
  std::vector<std::string> Parts;
  for (size_t I = 0; I < Ranks.size();) {
    size_t End = I + 1;
    while (End < Ranks.size() && Ranks[End] == Ranks[End - 1] + 1)
      ++End;
    Parts.push_back(End == I + 1   ? fmt::format("{}", Ranks[I])
                    : End == I + 2 ? fmt::format("{}, {}", Ranks[I], Ranks[I + 1])
                                   : fmt::format("{}-{}", Ranks[I], Ranks[End - 1]));
    I = End;
  }
  return fmt::format("{}", fmt::join(Parts, ", "));
}

std::string processNames(const Processes &All, const std::vector<uint32_t> &Which) {
  constexpr size_t Named = 4;
  std::vector<int> Ranks;
  std::vector<std::string> Others;
  for (uint32_t I : Which) {
    if (I >= All.list.size())
      continue;
    if (All.list[I].rank)
      Ranks.push_back(*All.list[I].rank);
    else
      Others.push_back(processName(All.list[I]));
  }
  std::sort(Ranks.begin(), Ranks.end());
  std::vector<std::string> Parts;
  if (!Ranks.empty())
    Parts.push_back((Ranks.size() == 1 ? "rank " : "ranks ") + ranges(Ranks));
  const size_t More = Others.size() - std::min(Others.size(), Named);
  Others.resize(Others.size() - More);
  Parts.insert(Parts.end(), Others.begin(), Others.end());
  if (More)
    Parts.push_back(fmt::format("{} more", More));
  return fmt::format("{}", fmt::join(Parts, ", "));
}

} // namespace gmprof
