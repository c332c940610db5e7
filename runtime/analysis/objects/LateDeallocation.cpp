//===- LateDeallocation.cpp - Finds late deallocations --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.2: another API executes between the last API that accesses the
// object and its release. Copies to the host that can be made earlier (ObjectHistory.h) move along.
// Objects without a release are leaks (MemoryLeak.cpp).
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/CallSiteObjects.h"
#include "analysis/objects/ObjectPatterns.h"
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies lateDeallocations(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  const CallSiteObjects CallSites(H);
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const profile::ApiObject &O = T.Objects[Object];
    const std::span<const uint32_t> Uses = H.uses(Object);
    if (!H.isAllocated(Object) || !O.Release || Uses.empty() || H.isNeverRead(Object))
      continue;
    uint32_t Last = Uses.back();
    uint32_t Distance = H.timestamp(*O.Release) - H.timestamp(Last);
    if (Distance < 2 || H.mayBeUsedAfter(Object, Last))
      continue;
    ObjectInefficiency I = objectInefficiency(H, "late_deallocation", Object);
    I.Api = *O.Release;
    I.Found.Evidence.emplace_back("operations_between", uint64_t(Distance - 1));
    I.Found.Evidence.emplace_back("last_use", describeApi(T.Apis[Last]));
    I.Found.Message = fmt::format("{} is freed {} after its last use, by {}.", describeObject(O),
                                  describeApis(Distance - 1), apiWithPlace(T, Last));
    const uint32_t Until = H.need(Object).Last;
    I.Found.Suggestion =
        freeing(Options, fmt::format("right after {}{}{}", apiWithPlace(T, Until),
                                     inItsStream(T, O, *O.Release, Until),
                                     andMove(H, I, H.after(Object, Until), "there")));
    if (CallSites.isNeededAfter(Object))
      addCondition(I.Found.Suggestion, NotUsedLater);
    I.Instead[Object] = {{O.Allocation, Until + 1, O.Bytes}};
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
