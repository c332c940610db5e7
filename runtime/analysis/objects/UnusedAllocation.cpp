//===- UnusedAllocation.cpp - Finds unused allocations --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.4: no API accesses the object.
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectPatterns.h"
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies unusedAllocations(const ObjectHistory &H, const ObjectPatternOptions &) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    if (!H.isAllocated(Object) || !H.uses(Object).empty() || H.mayBeUsed(Object))
      continue;
    ObjectInefficiency I = objectInefficiency(H, "unused_allocation", Object);
    const bool Leaks = H.isComplete() && !T.Objects[Object].Release;
    I.Found.Message =
        fmt::format("No kernel, copy or memset accesses {}{}.", describeObject(T.Objects[Object]),
                    Leaks ? ", which is never freed" : "");
    if (Leaks)
      I.Found.Also = {"memory_leak"};
    I.Found.Suggestion = "Remove the allocation.";
    I.Instead[Object] = {};
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
