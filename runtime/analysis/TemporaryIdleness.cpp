//===- TemporaryIdleness.cpp - Kept while others work --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.6: at least X APIs are executed between two
// consecutive APIs that access the object.
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectPatterns.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies temporaryIdleness(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found;
  const profile::ApiTrace &T = H.trace();
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const profile::ApiObject &O = T.Objects[Object];
    const std::vector<uint32_t> &Uses = H.uses(Object);
    if (!H.isAllocated(Object))
      continue;
    uint64_t Ranges = 0;
    uint32_t Longest = 0, Before = 0, After = 0;
    // In memory from one idle range to the next.
    uint32_t From = O.Allocation;
    std::vector<Residency> Instead;
    for (size_t I = 1; I < Uses.size(); ++I) {
      uint32_t Distance = H.timestamp(Uses[I]) - H.timestamp(Uses[I - 1]);
      if (Distance < Options.IdleApis + 1 || H.mayBeUsed(Object, Uses[I - 1], Uses[I]))
        continue;
      ++Ranges;
      if (Distance > Longest)
        Longest = Distance, Before = Uses[I - 1], After = Uses[I];
      // Calls of several streams may come in another order.
      if (Uses[I - 1] + 1 < Uses[I]) {
        Instead.push_back({From, Uses[I - 1] + 1, O.Bytes});
        From = Uses[I];
      }
    }
    if (Ranges == 0)
      continue;
    Instead.push_back({From, O.Release.value_or(static_cast<uint32_t>(T.Apis.size())), O.Bytes});
    ObjectInefficiency I = objectInefficiency(H, "temporary_idleness", Object);
    I.Found.Evidence.emplace_back("idle_ranges", Ranges);
    I.Found.Evidence.emplace_back("longest_distance", uint64_t(Longest));
    I.Found.Evidence.emplace_back("idle_from", describeApi(T.Apis[Before]));
    I.Found.Evidence.emplace_back("idle_to", describeApi(T.Apis[After]));
    I.Found.Message = fmt::format(
        "{} lies idle {}, the longest time for {} between {} and {}, which use it.",
        describeObject(O), Ranges == 1 ? "once" : fmt::format("{} times", Ranges),
        describeApis(Longest - 1), describeApi(T.Apis[Before]), describeApi(T.Apis[After]));
    I.Found.Suggestion = "Release it meanwhile and compute it again, or keep it in host memory "
                         "until it is used again.";
    I.Instead[Object] = std::move(Instead);
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
