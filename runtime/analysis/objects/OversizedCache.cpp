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
#include <optional>
#include <unordered_map>
#include <vector>

namespace gmprof::analysis {

/// Least share of all slabs that is empty, and of the tensors that are allocated afterwards.
static constexpr double LeastEmpty = 0.25, LeastLater = 0.1;

namespace {

/// Memory before each event, and at the end.
struct Course {
  std::vector<uint64_t> Slabs;
  std::vector<uint64_t> Need;  ///< largest bytes of tensors from here on
  std::vector<uint64_t> Later; ///< tensors that are allocated from here on
};

/// Slabs that are empty behind an event and never used again.
struct EmptySlabs {
  size_t Event = 0;
  uint64_t Bytes = 0;
};

} // namespace

static Course courseOf(const TensorMemory &M) {
  const std::vector<TensorMemory::Event> &Events = M.events();
  Course C;
  std::vector<uint64_t> InUse(Events.size() + 1);
  C.Slabs.resize(InUse.size());
  for (size_t I = 0; I < Events.size(); ++I) {
    const TensorMemory::Event &E = Events[I];
    const uint64_t Bytes = M.bytes(E.Object);
    C.Slabs[I + 1] = C.Slabs[I];
    InUse[I + 1] = InUse[I];
    uint64_t &Sum = (E.IsSlab ? C.Slabs : InUse)[I + 1];
    Sum = E.IsAllocation ? Sum + Bytes : Sum - Bytes;
  }
  C.Need = InUse;
  C.Later.resize(InUse.size());
  for (size_t I = Events.size(); I-- > 0;) {
    C.Need[I] = std::max(C.Need[I + 1], InUse[I]);
    C.Later[I] = C.Later[I + 1] + (!Events[I].IsSlab && Events[I].IsAllocation);
  }
  return C;
}

/// Returns the bytes of slabs that are never freed, by the event that empties them for good.
static std::map<size_t, uint64_t> emptiedSlabs(const TensorMemory &M) {
  const profile::ApiTrace &T = M.trace();
  std::unordered_map<uint32_t, size_t> LastUse;
  std::unordered_map<uint32_t, uint64_t> Live; ///< tensors of a slab
  for (size_t I = 0; I < M.events().size(); ++I) {
    const TensorMemory::Event &E = M.events()[I];
    if (E.IsSlab)
      continue;
    const uint32_t Slab = *T.Objects[E.Object].Parent;
    Live[Slab] = E.IsAllocation ? Live[Slab] + 1 : Live[Slab] - 1;
    LastUse[Slab] = I;
  }
  std::map<size_t, uint64_t> Emptied;
  for (const auto &[Slab, Event] : LastUse)
    if (!T.Objects[Slab].Release && Live[Slab] == 0 && !M.isPrivate(Slab))
      Emptied[Event] += M.bytes(Slab);
  return Emptied;
}

/// Looks for the last event with enough empty slabs before it and enough tensors after it.
static std::optional<EmptySlabs> find(const TensorMemory &M, const Course &C) {
  std::optional<EmptySlabs> Found;
  uint64_t Empty = 0;
  for (const auto &[Event, Bytes] : emptiedSlabs(M)) {
    Empty += Bytes;
    const auto OfSlabs = static_cast<double>(C.Slabs[Event + 1]);
    if (static_cast<double>(C.Later[Event + 1]) >= LeastLater * static_cast<double>(C.Later[0]) &&
        static_cast<double>(Empty) >= LeastEmpty * OfSlabs &&
        static_cast<double>(C.Need[Event + 1]) <= OfSlabs / 2)
      Found = {Event, Empty};
  }
  return Found;
}

static ObjectInefficiency describe(const TensorMemory &M, const Course &C,
                                   const EmptySlabs &Empty) {
  const profile::ApiTrace &T = M.trace();
  const TensorMemory::Event &Last = M.events()[Empty.Event];
  const uint64_t Slabs = C.Slabs[Empty.Event + 1], Need = C.Need[Empty.Event + 1];
  ObjectInefficiency I =
      tensorInefficiency(M, "oversized_cache", *T.Objects[Last.Object].Parent, Last.Api);
  I.Found.Evidence = {{"bytes", Empty.Bytes},
                      {"slab_bytes", Slabs},
                      {"needed_bytes", Need},
                      {"later_tensors", C.Later[Empty.Event + 1]}};
  const auto Text = [](uint64_t Number) { return bytesText(static_cast<double>(Number)); };
  const std::string Place = placeOf(T, Last.Api);
  I.Found.Message = fmt::format(
      "PyTorch keeps {} in slabs, of which {} hold no tensor {} until the end. The tensors take at "
      "most {} from then on.",
      Text(Slabs), Text(Empty.Bytes),
      Place.empty() ? "from the middle of the run on" : "after " + Place, Text(Need));
  I.Found.Suggestion = fmt::format(
      "If other libraries or processes need the memory, call torch.cuda.empty_cache(){}: it frees "
      "{}, and the rest of the run does not need them again. It waits for the GPU.",
      Place.empty() ? "" : " after " + Place, Text(Empty.Bytes));
  return I;
}

ObjectInefficiencies oversizedCaches(const TensorMemory &M) {
  ObjectInefficiencies Found;
  if (M.expandable())
    return Found;
  const Course C = courseOf(M);
  if (const std::optional<EmptySlabs> Empty = find(M, C))
    Found.push_back(describe(M, C, *Empty));
  return Found;
}

} // namespace gmprof::analysis
