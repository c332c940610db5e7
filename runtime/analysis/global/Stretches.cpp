//===- Stretches.cpp - Splits large objects among threads -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/Stretches.h"

namespace gmprof::analysis {

std::vector<ElementRun> stretchesOf(std::vector<ElementRun> Touched, uint64_t Elements) {
  std::erase_if(Touched, [](const ElementRun &R) { return R.Count == 0; });
  std::sort(Touched.begin(), Touched.end(),
            [](const ElementRun &A, const ElementRun &B) { return A.First < B.First; });
  std::vector<ElementRun> Stretches;
  uint64_t At = 0; // first window that is in no stretch yet
  for (const ElementRun &R : Touched)
    for (At = std::max(At, R.First / WindowElements * WindowElements);
         At < std::min(R.end(), Elements); At += WindowElements) {
      const uint64_t Count = std::min(WindowElements, Elements - At);
      if (!Stretches.empty() && Stretches.back().end() == At && At % StretchElements != 0)
        Stretches.back().Count += Count;
      else
        Stretches.push_back({At, Count});
    }
  return Stretches;
}

} // namespace gmprof::analysis
