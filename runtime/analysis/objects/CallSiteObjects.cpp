//===- CallSiteObjects.cpp - Objects by call site -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/CallSiteObjects.h"
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gmprof::analysis {

CallSiteObjects::CallSiteObjects(const ObjectHistory &H) : H(H) {
  const profile::ApiTrace &T = H.trace();
  Places.resize(T.Objects.size());
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const bool IsAllocated = H.isAllocated(Object);
    Paths.push_back(IsAllocated
                        ? T.samePath(profile::Api(T.Apis[T.Objects[Object].Allocation]).CallPath)
                        : profile::None);
    if (IsAllocated)
      Objects.push_back(Object);
  }
  std::ranges::sort(Objects, {}, [&](uint32_t Object) { return std::pair(Paths[Object], Object); });
  for (uint32_t I = 0; I < Objects.size(); ++I)
    Places[Objects[I]] = I;
}

std::span<const uint32_t> CallSiteObjects::of(uint32_t Object) const {
  if (Paths[Object] == profile::None)
    return std::span(Objects).subspan(Places[Object], 1);
  const auto Equal = std::ranges::equal_range(Objects, Paths[Object], {},
                                              [&](uint32_t Other) { return Paths[Other]; });
  return {Equal.begin(), Equal.end()};
}

uint64_t CallSiteObjects::freed(uint32_t Object) const {
  return static_cast<uint64_t>(std::ranges::count_if(
      of(Object), [&](uint32_t Each) { return H.trace().Objects[Each].Release.has_value(); }));
}

const CallSiteObjects::SeveralPlaces &CallSiteObjects::needs(uint32_t Object) const {
  using Place = std::pair<std::string, uint32_t>;
  const profile::ApiTrace &T = H.trace();
  const std::span<const uint32_t> OfCallSite = of(Object);
  const auto [At, New] = Needs.try_emplace(OfCallSite.front());
  if (!New || OfCallSite.size() == 1)
    return At->second;
  std::optional<Place> First, Last;
  const auto Compare = [&](std::optional<Place> &One, uint32_t Api) {
    const profile::Api A = T.Apis[Api];
    const Place Other = {A.Name.str(), T.samePath(A.CallPath)};
    if (!One)
      One = Other;
    return *One != Other;
  };
  for (uint32_t Sibling : OfCallSite) {
    const std::vector<uint32_t> Calls = H.calls(Sibling);
    if (Calls.empty())
      continue;
    const ObjectHistory::Need Need = H.need(Sibling, Calls);
    At->second.First |= Compare(First, Need.First);
    At->second.Last |= Compare(Last, Need.Last);
  }
  return At->second;
}

} // namespace gmprof::analysis
