//===- MemoryLeak.cpp - Finds memory leaks --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.5: the object is not deallocated by the end of the execution.
// Programs that died are not judged, since they had no chance to release it. Python releases
// nothing at its end, and a module's variables live up to there: in Python programs, objects leak
// if their call site makes more of them throughout the run. Where half of the call site's objects
// or more are released, a path of the program leaves the release out, and no other release may be
// added: it would be the second one of these.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/CallSiteObjects.h"
#include "analysis/objects/ObjectPatterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace gmprof::analysis {

/// Returns the call paths that allocate objects throughout the run which are not released: so many,
/// and so often, that no part of the run of this share is without.
static std::set<uint32_t> growingCallPaths(const profile::ApiTrace &T) {
  constexpr uint32_t Fewest = 8, Share = 4;
  const auto End = static_cast<uint32_t>(T.Apis.size());
  std::map<uint32_t, std::vector<uint32_t>> Kept;
  for (const profile::ApiObject &O : T.Objects)
    if (!O.Release && O.Allocation < End)
      Kept[T.Apis[O.Allocation].CallPath].push_back(O.Allocation);
  std::set<uint32_t> Growing;
  for (auto &[Path, Times] : Kept) {
    std::sort(Times.begin(), Times.end());
    Times.push_back(End);
    uint32_t Before = 0;
    const bool HasGap = std::any_of(Times.begin(), Times.end(), [&](uint32_t Time) {
      return Time - std::exchange(Before, Time) > End / Share;
    });
    if (Times.size() > Fewest && !HasGap)
      Growing.insert(Path);
  }
  return Growing;
}

/// Describes the release of the call site's other objects: "cudaFree, which frees 2 other
/// allocations of this call site".
static std::string releaseOfOthers(const ObjectHistory &H, std::span<const uint32_t> OfCallSite,
                                   uint64_t Freed) {
  const profile::ApiTrace &T = H.trace();
  std::set<std::string> Releases;
  for (uint32_t Object : OfCallSite)
    if (const std::optional<uint32_t> Release = T.Objects[Object].Release;
        Release && Releases.size() < 2)
      Releases.insert(apiWithPlace(T, *Release));
  return fmt::format("{}, which frees {} of this call site",
                     Releases.size() == 1 ? *Releases.begin() : "the release",
                     plural(Freed, "other allocation"));
}

ObjectInefficiencies memoryLeaks(const ObjectHistory &H, const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  if (!H.isComplete())
    return Found;
  const std::set<uint32_t> Growing = Options.IsPython ? growingCallPaths(T) : std::set<uint32_t>();
  const CallSiteObjects CallSites(H);
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const profile::ApiObject &O = T.Objects[Object];
    if (!H.isAllocated(Object) || O.Release)
      continue;
    if (Options.IsPython && !Growing.contains(T.Apis[O.Allocation].CallPath))
      continue;
    const std::span<const uint32_t> Uses = H.uses(Object);
    // An allocation that nothing reads is an unused allocation, which is also a leak.
    if (H.isNeverRead(Object))
      continue;
    ObjectInefficiency I = objectInefficiency(H, "memory_leak", Object);
    I.Found.Message =
        fmt::format("{} is never freed{}.", describeObject(O),
                    Options.IsPython ? ", and this line makes more throughout the run" : "");
    if (H.mayBeUsedAfter(Object, Uses.empty() ? T.Objects[Object].Allocation : Uses.back())) {
      I.Found.Suggestion = freeing(Options, "after its last use");
    } else {
      const uint32_t Until = H.need(Object).Last;
      I.Found.Suggestion =
          freeing(Options, fmt::format("after {}, which needs it last{}", apiWithPlace(T, Until),
                                       andMove(H, I, H.after(Object, Until), "there")));
      I.Instead[Object] = {{O.Allocation, Until + 1, O.Bytes}};
      if (CallSites.isNeededAfter(Object))
        addCondition(I.Found.Suggestion, NotUsedLater);
    }
    // Python releases objects without a call, and a graph what its earlier launch has allocated.
    const bool ByCalls = !Options.IsPython && O.Kind != log::ObjectKind::Graph;
    if (const uint64_t Freed = ByCalls ? CallSites.freed(Object) : 0; Freed != 0) {
      const std::string Release = releaseOfOthers(H, CallSites.of(Object), Freed);
      if (CallSites.skipsRelease(Object))
        I.Found.Suggestion = fmt::format("Free it on the path that skips {}.", Release);
      else
        addCondition(I.Found.Suggestion, fmt::format("{}, does not free it again", Release));
    }
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
