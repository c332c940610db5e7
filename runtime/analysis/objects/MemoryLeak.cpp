//===- MemoryLeak.cpp - Finds memory leaks --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.5: the object is not deallocated by the end of the execution.
// Programs that died are not judged, since they had no chance to release it.
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectPatterns.h"
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies memoryLeaks(const ObjectHistory &H, const ObjectPatternOptions &) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  if (!H.isComplete())
    return Found;
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const profile::ApiObject &O = T.Objects[Object];
    if (!H.isAllocated(Object) || O.Release)
      continue;
    const std::span<const uint32_t> Uses = H.uses(Object);
    // An allocation that nothing reads is an unused allocation, which is also a leak.
    if (H.isNeverRead(Object))
      continue;
    ObjectInefficiency I = objectInefficiency(H, "memory_leak", Object);
    I.Found.Message = fmt::format("{} is never freed.", describeObject(O));
    if (H.mayBeUsedAfter(Object, Uses.empty() ? T.Objects[Object].Allocation : Uses.back())) {
      I.Found.Suggestion = "Free it after its last use.";
    } else {
      const uint32_t Until = H.need(Object).Last;
      I.Found.Suggestion =
          fmt::format("Free it after {}, which needs it last{}.", apiWithPlace(T, Until),
                      andMove(H, I, H.after(Object, Until), "there"));
      I.Instead[Object] = {{O.Allocation, Until + 1, O.Bytes}};
    }
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
