//===- TemporaryIdleness.cpp - Finds temporary idleness -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.6: at least X APIs execute between two consecutive APIs that
// access the object, during which it need not be in memory. Between idle ranges it is in memory
// while it is needed (ObjectHistory.h).
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/ObjectPatterns.h"
#include "analysis/objects/TensorMemory.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gmprof::analysis {

/// Returns true if the API is a copy or set that writes all of the object.
static bool overwrites(const ObjectHistory &H, uint32_t Object, uint32_t Api) {
  if (H.kind(Api) != profile::ApiKind::Copy && H.kind(Api) != profile::ApiKind::Set)
    return false;
  const profile::Api A = H.trace().Apis[Api];
  const auto Concerns = [&](const profile::ApiAccess &Access) { return Access.Object == Object; };
  return std::all_of(A.Accesses.begin(), A.Accesses.end(), [&](const profile::ApiAccess &Access) {
    return !Concerns(Access) || (Access.Writes && !Access.Reads && Access.Offset == 0 &&
                                 Access.Bytes >= H.trace().Objects[Object].Bytes);
  });
}

/// Returns the residency without the idle ranges, which are pairs of uses; the object is out of
/// memory between the two uses if they are consecutive in call order.
static std::vector<Residency> inMemory(const ObjectHistory &H, uint32_t Object,
                                       std::vector<std::pair<uint32_t, uint32_t>> Idle) {
  std::sort(Idle.begin(), Idle.end());
  const profile::ApiObject &O = H.trace().Objects[Object];
  const std::vector<uint32_t> Calls = H.calls(Object);
  std::vector<Residency> Instead;
  auto Begin = Calls.begin();
  const uint32_t FirstNeed = H.need(Object, Calls).First;
  for (auto Next = Begin + 1; Next != Calls.end(); ++Next) {
    // Calls in several streams may execute in another order.
    if (!std::binary_search(Idle.begin(), Idle.end(), std::pair(*(Next - 1), *Next)))
      continue;
    const ObjectHistory::Need Need = H.need(Object, {Begin, Next});
    const uint32_t From = Begin == Calls.begin() ? O.Allocation : Need.First;
    // Copies to the object before its first need can be delayed.
    if (*(Next - 1) >= FirstNeed)
      Instead.push_back({From, Need.Last + 1, O.Bytes});
    Begin = Next;
  }
  Instead.push_back(
      {Begin == Calls.begin() ? O.Allocation : H.need(Object, {Begin, Calls.end()}).First,
       H.trace().endOf(O), O.Bytes});
  return Instead;
}

ObjectInefficiencies temporaryIdleness(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const profile::ApiObject &O = T.Objects[Object];
    const std::span<const uint32_t> Uses = H.uses(Object);
    if (!H.isAllocated(Object) || H.isNeverRead(Object))
      continue;
    uint64_t Ranges = 0;
    uint32_t Longest = 0, Before = 0, After = 0;
    bool Overwritten = true; ///< behind each range
    std::vector<std::pair<uint32_t, uint32_t>> Idle;
    for (size_t I = 1; I < Uses.size(); ++I) {
      uint32_t Distance = H.timestamp(Uses[I]) - H.timestamp(Uses[I - 1]);
      if (Distance < Options.IdleApis + 1 || H.mayBeUsed(Object, Uses[I - 1], Uses[I]))
        continue;
      ++Ranges;
      if (Distance > Longest)
        Longest = Distance, Before = Uses[I - 1], After = Uses[I];
      Overwritten &= overwrites(H, Object, Uses[I]);
      Idle.emplace_back(Uses[I - 1], Uses[I]);
    }
    if (Ranges == 0)
      continue;
    ObjectInefficiency I = objectInefficiency(H, "temporary_idleness", Object);
    I.Found.Evidence.emplace_back("idle_ranges", Ranges);
    I.Found.Evidence.emplace_back("most_operations_between", uint64_t(Longest - 1));
    I.Found.Evidence.emplace_back("idle_from", describeApi(T.Apis[Before]));
    I.Found.Evidence.emplace_back("idle_to", describeApi(T.Apis[After]));
    const std::string From = apiWithPlace(T, Before), To = apiWithPlace(T, After);
    I.Found.Message =
        fmt::format("{} is unused {}for {} between {} and {}.", describeObject(O),
                    Ranges == 1 ? "" : plural(Ranges, "time") + ", at most ",
                    describeApis(Longest - 1), From, From == To ? "the next " + To : To);
    const uint32_t FirstNeed = H.need(Object).First;
    if (Before < FirstNeed && After == FirstNeed) {
      I.Found.Suggestion = fmt::format("Allocate it right before {}{}.", apiWithPlace(T, After),
                                       andMove(H, I, H.before(Object, After), "there"));
    } else if (Overwritten) {
      I.Found.Suggestion = fmt::format("Free it in between, and allocate it again right before {}, "
                                       "which overwrites all of it.",
                                       apiWithPlace(T, After));
    } else {
      I.TakesTime = true;
      // A tensor that is idle in each step is a weight, a state of the optimizer or an input.
      const char *Recompute = !isTensor(T, O) ? ", or recompute it"
                              : Ranges == 1   ? ", or recompute it (torch.utils.checkpoint)"
                                              : "";
      I.Found.Suggestion =
          fmt::format("Free it in between: copy it to a host buffer of its own and "
                      "back right before {}{}.",
                      apiWithPlace(T, After), Recompute);
    }
    I.Instead[Object] = inMemory(H, Object, std::move(Idle));
    Found.push_back(std::move(I));
  }
  return Found;
}

} // namespace gmprof::analysis
