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
#include "analysis/objects/CallSiteObjects.h"
#include "analysis/objects/ObjectPatterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gmprof::analysis {

/// Says that only some of the objects of a call site are unused: the call must stay.
static std::string someOf(uint64_t All, uint64_t Used) {
  return fmt::format("Allocate only the {} of the {} of this call site that {} used, provided that "
                     "no other input uses more.",
                     grouped(Used), plural(All, "allocation"), Used == 1 ? "is" : "are");
}

ObjectInefficiencies unusedAllocations(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  const CallSiteObjects CallSites(H);
  std::map<uint32_t, uint64_t> UsedOf; ///< used objects of a call site, by its first object
  const auto UsedObjects = [&](std::span<const uint32_t> OfCallSite) {
    const auto [At, New] = UsedOf.try_emplace(OfCallSite.front());
    if (New)
      At->second = static_cast<uint64_t>(
          std::ranges::count_if(OfCallSite, [&](uint32_t Other) { return !H.isNeverRead(Other); }));
    return At->second;
  };
  uint32_t EndOfUses = 0; ///< of all objects
  for (uint32_t Api = 0; Api < T.Apis.size(); ++Api)
    if (T.Apis[Api].Kind == profile::ApiKind::Launch || !T.Apis[Api].Accesses.empty())
      EndOfUses = Api + 1;
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    if (!H.isAllocated(Object) || !H.isNeverRead(Object) ||
        (Options.AllocationFailed && T.Objects[Object].Allocation >= EndOfUses))
      continue;
    ObjectInefficiency I = objectInefficiency(H, "unused_allocation", Object);
    const bool Leaks = H.isComplete() && !T.Objects[Object].Release && !Options.IsPython;
    const std::string Name = describeObject(T.Objects[Object]);
    const std::vector<uint32_t> Writes = H.calls(Object);
    if (Writes.empty()) {
      // Another condition follows where a kernel accesses it for some inputs.
      const bool DataDecides = H.skippedBetween(Object, T.Objects[Object].Allocation,
                                                T.endOf(T.Objects[Object])) != profile::None;
      I.Found.Message = fmt::format("No kernel, copy or memset accesses {}{}.", Name,
                                    Leaks ? ", which is never freed" : "");
      // PyTorch allocates workspaces for libraries, and gives them no name.
      I.Found.Suggestion =
          Options.IsPython && T.Objects[Object].Name.empty()
              ? "Remove the allocation if it is the program's own. Workspaces of "
                "libraries, as cuBLAS', are for kernels that this run does not use."
              : fmt::format("Remove the allocation{}.",
                            DataDecides ? "" : ", or allocate only for the inputs that use it");
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
    const std::span<const uint32_t> OfCallSite = CallSites.of(Object);
    if (const uint64_t Used = UsedObjects(OfCallSite); Used != 0)
      I.Found.Suggestion = someOf(OfCallSite.size(), Used);
    if (Leaks)
      I.Found.Also = {"memory_leak"};
    I.Instead[Object] = {};
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
