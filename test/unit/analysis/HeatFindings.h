//===- HeatFindings.h - Findings of hand-made heat --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_ANALYSIS_HEATFINDINGS_H
#define GMPROF_TEST_UNIT_ANALYSIS_HEATFINDINGS_H

#include "HandMadeHeat.h"
#include "analysis/heat/HeatPatterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <variant>
#include <vector>

namespace gmprof::test {

using namespace analysis;

inline constexpr GmprofAccessKind Load = GMPROF_ACCESS_LOAD, Store = GMPROF_ACCESS_STORE,
                                  Atomic = GMPROF_ACCESS_ATOMIC;

inline std::vector<Finding> findingsOf(HandMadeHeat &H) {
  const profile::Profile &P = H.done();
  return heatFindings(P, heatUse(P));
}

/// Returns "false_sharing x:20", "hot_spot/random x:21" in alphabetical order.
inline std::vector<std::string> names(const std::vector<Finding> &Findings) {
  std::vector<std::string> Names;
  for (const Finding &F : Findings)
    Names.push_back(fmt::format("{}{}{} {}:{}", F.Pattern, F.Kind.empty() ? "" : "/", F.Kind,
                                F.Object, F.Source.Line));
  std::sort(Names.begin(), Names.end());
  return Names;
}
inline std::vector<std::string> found(HandMadeHeat &H) { return names(findingsOf(H)); }

using Names = std::vector<std::string>;

inline const Finding::Value *find(const Finding &F, const std::string &Name) {
  for (const auto &[Key, Value] : F.Evidence)
    if (Key == Name)
      return &Value;
  return nullptr;
}
inline uint64_t whole(const Finding &F, const std::string &Name) {
  const Finding::Value *V = find(F, Name);
  return V && std::holds_alternative<uint64_t>(*V) ? std::get<uint64_t>(*V) : ~uint64_t(0);
}
inline double real(const Finding &F, const std::string &Name) {
  const Finding::Value *V = find(F, Name);
  return V && std::holds_alternative<double>(*V) ? std::get<double>(*V) : -1;
}

/// Returns the first byte of a word.
inline uint64_t wordAt(int Index) { return 4 * static_cast<uint64_t>(Index); }

/// A pseudo-random sequence (Knuth, MMIX).
struct Random {
  uint64_t State = 1;
  unsigned below(unsigned N) {
    State = State * 6364136223846793005u + 1442695040888963407u;
    return unsigned(State >> 33) % N;
  }
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_ANALYSIS_HEATFINDINGS_H
