//===- EarlyAllocation.cpp - Finds early allocations ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.1: another API executes between the object's allocation and the
// first API that accesses it. Copies and sets that can be delayed until their data is needed
// (ObjectHistory.h) move along with the allocation.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/CallSiteObjects.h"
#include "analysis/objects/ObjectPatterns.h"
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies earlyAllocations(const ObjectHistory &H, const ObjectPatternOptions &) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  const CallSiteObjects CallSites(H);
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const profile::ApiObject &O = T.Objects[Object];
    const std::span<const uint32_t> Uses = H.uses(Object);
    if (!H.isAllocated(Object) || Uses.empty() || H.isNeverRead(Object))
      continue;
    uint32_t First = Uses.front();
    uint32_t Distance = H.timestamp(First) - H.timestamp(O.Allocation);
    if (Distance < 2 || H.mayBeUsed(Object, O.Allocation, First))
      continue;
    ObjectInefficiency I = objectInefficiency(H, "early_allocation", Object);
    I.Found.Evidence.emplace_back("operations_between", uint64_t(Distance - 1));
    I.Found.Evidence.emplace_back("first_use", describeApi(T.Apis[First]));
    I.Found.Message = fmt::format("{} is allocated {} before {} uses it first.", describeObject(O),
                                  describeApis(Distance - 1), apiWithPlace(T, First));
    const uint32_t From = H.need(Object).First;
    I.Found.Suggestion = fmt::format("Allocate it right before {}{}{}.", apiWithPlace(T, From),
                                     inItsStream(T, O, O.Allocation, From),
                                     andMove(H, I, H.before(Object, From), "there"));
    if (CallSites.isNeededBefore(Object))
      addCondition(I.Found.Suggestion, NotUsedEarlier);
    I.Instead[Object] = {{From, T.endOf(O), O.Bytes}};
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
