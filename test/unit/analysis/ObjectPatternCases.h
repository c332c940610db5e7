//===- ObjectPatternCases.h - Patterns of hand-made traces ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_ANALYSIS_OBJECTPATTERNCASES_H
#define GMPROF_TEST_UNIT_ANALYSIS_OBJECTPATTERNCASES_H

#include "TestTrace.h"
#include "analysis/objects/ObjectInefficiencies.h"
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gmprof::test {

using Pattern = std::pair<std::string, std::string>; ///< pattern, object

/// Returns the patterns of the trace, sorted.
inline std::vector<Pattern> patterns(const TestTrace &T) {
  std::vector<Pattern> Found;
  for (const ObjectInefficiency &I : objectMemory(T).Found)
    Found.emplace_back(I.Found.Pattern, T.Objects[I.Object].Name);
  std::sort(Found.begin(), Found.end());
  return Found;
}

/// Objects that exist from the start, each with uses at the given times; a kernel without accesses
/// runs at all other times.
struct Uses {
  std::string Name;
  uint64_t Bytes;
  std::vector<unsigned> Times;
};
inline TestTrace usedAt(const std::vector<Uses> &Objects, unsigned End) {
  TestTrace T;
  for (const Uses &O : Objects)
    T.allocate(O.Name, O.Bytes);
  for (unsigned Time = 1; Time <= End; ++Time) {
    std::vector<uint32_t> Used;
    for (uint32_t I = 0; I < Objects.size(); ++I)
      for (unsigned At : Objects[I].Times)
        if (At == Time)
          Used.push_back(I);
    T.launch("A" + std::to_string(Time), Used, {});
  }
  return T;
}

/// Returns the objects that can reuse memory, with the object whose memory that is.
inline std::vector<std::pair<std::string, std::string>> reuses(const TestTrace &T,
                                                               const ObjectPatternOptions &O = {}) {
  std::vector<uint32_t> Times = T.timestamps();
  std::vector<std::pair<std::string, std::string>> Pairs;
  for (const ObjectInefficiency &I : redundantAllocations(ObjectHistory(T, Times), O))
    for (const auto &[Key, Value] : I.Found.Evidence)
      if (Key == "reuses")
        Pairs.emplace_back(I.Found.Object, std::get<std::string>(Value));
  return Pairs;
}

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_ANALYSIS_OBJECTPATTERNCASES_H
