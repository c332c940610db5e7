//===- UnusedAllocation.cpp - Finds unused allocations --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.4: no API accesses the object. Beyond the paper, copies and sets
// that write an object which nothing reads do not count as its use; such an object has no other
// object-level pattern.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/ObjectPatterns.h"
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies unusedAllocations(const ObjectHistory &H, const ObjectPatternOptions &) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    if (!H.isAllocated(Object) || !H.isNeverRead(Object))
      continue;
    ObjectInefficiency I = objectInefficiency(H, "unused_allocation", Object);
    const bool Leaks = H.isComplete() && !T.Objects[Object].Release;
    const std::string Name = describeObject(T.Objects[Object]);
    const std::vector<uint32_t> Writes = H.calls(Object);
    if (Writes.empty()) {
      I.Found.Message = fmt::format("No kernel, copy or memset accesses {}{}.", Name,
                                    Leaks ? ", which is never freed" : "");
      I.Found.Suggestion = "Remove the allocation.";
    } else {
      const std::string First = apiWithPlace(T, Writes.front());
      I.Found.Evidence.emplace_back("writes", uint64_t(Writes.size()));
      I.Found.Evidence.emplace_back("written_by", describeApi(T.Apis[Writes.front()]));
      I.Found.Message = fmt::format(
          "{} writes {}{}, but no kernel or copy reads it{}.", First, Name,
          Writes.size() == 1 ? "" : fmt::format(" ({})", plural(Writes.size(), "write")),
          Leaks ? ", and it is never freed" : "");
      I.Found.Suggestion = "Allocate and write it only if something reads it. Reads by libraries, "
                           "other processes and other devices are not seen.";
    }
    if (Leaks)
      I.Found.Also = {"memory_leak"};
    I.Instead[Object] = {};
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
