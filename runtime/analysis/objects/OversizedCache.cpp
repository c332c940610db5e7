//===- OversizedCache.cpp - Slabs that are kept without tensors -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch keeps its slabs: other libraries and processes cannot use the memory that a phase of the
// program, such as its start, needed once. Slabs count if they hold no tensor from a release on,
// and the tensors need at most half of all slabs from then on.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/TensorMemory.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace gmprof::analysis {

/// Least share of all slabs that is empty, and of the tensors that are allocated afterwards.
static constexpr double LeastEmpty = 0.25, LeastLater = 0.1;

ObjectInefficiencies oversizedCaches(const TensorMemory &M) {
  ObjectInefficiencies Found;
  const profile::ApiTrace &T = M.trace();
  const std::vector<TensorMemory::Event> &Events = M.events();
  if (M.expandable())
    return Found;
  // The event from which on a slab is empty, of the slabs that are never freed.
  std::unordered_map<uint32_t, size_t> LastUse;
  std::unordered_map<uint32_t, uint64_t> Live; ///< tensors of a slab
  uint64_t Tensors = 0;
  for (size_t I = 0; I < Events.size(); ++I) {
    const TensorMemory::Event &E = Events[I];
    if (E.IsSlab)
      continue;
    const uint32_t Slab = *T.Objects[E.Object].Parent;
    Live[Slab] = E.IsAllocation ? Live[Slab] + 1 : Live[Slab] - 1;
    LastUse[Slab] = I;
    Tensors += E.IsAllocation;
  }
  std::map<size_t, uint64_t> EmptyFrom; ///< bytes of slabs by event
  for (const auto &[Slab, Event] : LastUse)
    if (!T.Objects[Slab].Release && Live[Slab] == 0 && !M.isPrivate(Slab))
      EmptyFrom[Event] += M.bytes(Slab);

  // Looks for the last event with enough tensors after it.
  std::vector<uint64_t> Need(Events.size() + 1); ///< largest bytes of tensors from an event on
  std::vector<uint64_t> Later(Events.size() + 1);
  std::vector<uint64_t> InUse(Events.size() + 1), Slabs(Events.size() + 1);
  for (size_t I = 0; I < Events.size(); ++I) {
    const TensorMemory::Event &E = Events[I];
    const uint64_t Bytes = M.bytes(E.Object);
    uint64_t &Sum = (E.IsSlab ? Slabs : InUse)[I + 1];
    Slabs[I + 1] = Slabs[I];
    InUse[I + 1] = InUse[I];
    Sum = E.IsAllocation ? Sum + Bytes : Sum - Bytes;
  }
  Need.back() = InUse.back();
  for (size_t I = Events.size(); I-- > 0;) {
    Need[I] = std::max(Need[I + 1], InUse[I]);
    Later[I] = Later[I + 1] + (!Events[I].IsSlab && Events[I].IsAllocation);
  }
  uint64_t Empty = 0, Most = 0;
  size_t At = 0;
  for (const auto &[Event, Bytes] : EmptyFrom) {
    Empty += Bytes;
    const auto OfSlabs = static_cast<double>(Slabs[Event + 1]);
    if (static_cast<double>(Later[Event + 1]) >= LeastLater * static_cast<double>(Tensors) &&
        static_cast<double>(Empty) >= LeastEmpty * OfSlabs &&
        static_cast<double>(Need[Event + 1]) <= OfSlabs / 2) {
      Most = Empty;
      At = Event;
    }
  }
  if (Most == 0)
    return Found;

  const TensorMemory::Event &Last = Events[At];
  const uint32_t Slab = *T.Objects[Last.Object].Parent;
  ObjectInefficiency I = tensorInefficiency(M, "oversized_cache", Slab, Last.Api);
  I.Found.Evidence = {{"bytes", Most},
                      {"slab_bytes", Slabs[At + 1]},
                      {"needed_bytes", Need[At + 1]},
                      {"later_tensors", Later[At + 1]}};
  const auto Text = [](uint64_t Number) { return bytesText(static_cast<double>(Number)); };
  const std::string Place = placeOf(T, Last.Api);
  I.Found.Message = fmt::format(
      "PyTorch keeps {} in slabs, of which {} hold no tensor {} until the end. The tensors take at "
      "most {} from then on.",
      Text(Slabs[At + 1]), Text(Most),
      Place.empty() ? "from the middle of the run on" : "after " + Place, Text(Need[At + 1]));
  I.Found.Suggestion = fmt::format(
      "If other libraries or processes need the memory, call torch.cuda.empty_cache(){}: it frees "
      "{}, and the rest of the run does not need them again. It waits for the GPU.",
      Place.empty() ? "" : " after " + Place, Text(Most));
  Found.push_back(std::move(I));
  return Found;
}

} // namespace gmprof::analysis
