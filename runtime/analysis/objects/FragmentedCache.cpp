//===- FragmentedCache.cpp - Slabs that fragmentation causes --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slab is caused by fragmentation if PyTorch allocates it for a tensor while at least as many
// bytes are free in its slabs of this kind, in pieces that are too small. With expandable segments
// the free memory at the end of a slab grows instead.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/CachingAllocator.h"
#include "analysis/objects/TensorMemory.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>

namespace gmprof::analysis {
namespace {

/// A slab that is allocated although enough memory is free, and its first tensor.
struct Caused {
  uint32_t Slab = 0, Tensor = 0, Api = 0;
  uint64_t FreeBytes = 0;
};

/// Returns the slabs that are allocated although enough memory is free, in call order.
std::vector<Caused> causedSlabs(const TensorMemory &M) {
  const profile::ApiTrace &T = M.trace();
  std::unordered_map<uint32_t, uint32_t> FirstTensor; ///< by slab
  for (const TensorMemory::Event &E : M.events())
    if (!E.IsSlab && E.IsAllocation)
      FirstTensor.try_emplace(*T.Objects[E.Object].Parent, E.Object);
  const auto IsSmall = [&](uint32_t Slab) {
    const auto First = FirstTensor.find(Slab);
    return First == FirstTensor.end() ? M.bytes(Slab) == CachingAllocator::SmallSlab
                                      : M.bytes(First->second) <= CachingAllocator::MostSmall;
  };
  std::vector<Caused> Found;
  /// In slabs of large and of small tensors, by pool.
  std::unordered_map<uint32_t, std::array<uint64_t, 2>> Free;
  for (const TensorMemory::Event &E : M.events()) {
    const uint32_t Slab = E.IsSlab ? E.Object : *T.Objects[E.Object].Parent;
    uint64_t &OfKind = Free[M.poolOf(Slab)][IsSmall(Slab)];
    if (const auto First = FirstTensor.find(Slab); E.IsSlab && E.IsAllocation && !M.isInitial(E) &&
                                                   First != FirstTensor.end() &&
                                                   OfKind >= M.bytes(First->second))
      Found.push_back({Slab, First->second, E.Api, OfKind});
    if (E.IsSlab == E.IsAllocation)
      OfKind += M.bytes(E.Object);
    else
      OfKind -= M.bytes(E.Object);
  }
  return Found;
}

} // namespace

ObjectInefficiencies fragmentedCaches(const TensorMemory &M) {
  ObjectInefficiencies Found;
  if (M.expandable())
    return Found;
  const std::vector<Caused> Slabs = causedSlabs(M);
  if (Slabs.empty())
    return Found;
  const std::vector<TensorMemory::Step> Now = M.replay(false), After = M.replay(true);
  // The replay without the change differs from the run by this much. Smaller savings may be errors
  // of the model.
  const uint64_t Slack = M.peakOfSlabs() - std::min(M.peakOfSlabs(), Now.back().Bytes);
  const uint64_t Saved = M.saved(After);
  if (Saved <= Slack)
    return Found;

  const Caused &Worst =
      *std::ranges::max_element(Slabs, {}, [&](const Caused &C) { return M.bytes(C.Slab); });
  uint64_t Bytes = 0;
  for (const Caused &C : Slabs)
    Bytes += M.bytes(C.Slab);
  ObjectInefficiency I = tensorInefficiency(M, "fragmented_cache", Worst.Slab, Worst.Api);
  I.Found.BytesSaved = Saved - Slack;
  I.Found.Evidence = {{"bytes", M.bytes(Worst.Slab)},
                      {"tensor_bytes", M.bytes(Worst.Tensor)},
                      {"free_bytes", Worst.FreeBytes},
                      {"slabs", uint64_t(Slabs.size())},
                      {"bytes_of_all", Bytes},
                      {"peak_of_slabs_bytes", M.peakOfSlabs()},
                      {"peak_after_bytes", M.peakOfSlabs() - I.Found.BytesSaved}};
  const auto Text = [](uint64_t Number) { return bytesText(static_cast<double>(Number)); };
  const std::string Place = placeOf(M.trace(), Worst.Api);
  I.Found.Message = fmt::format(
      "PyTorch allocates a slab of {} for a tensor of {}{}, although {} of its cached memory are "
      "free, in pieces that are too small.",
      Text(M.bytes(Worst.Slab)), Text(M.bytes(Worst.Tensor)), Place.empty() ? "" : " at " + Place,
      Text(Worst.FreeBytes));
  if (Slabs.size() > 1)
    I.Found.Message +=
        fmt::format(" {} {} the same cause, {} in all.", plural(Slabs.size() - 1, "more slab"),
                    Slabs.size() == 2 ? "has" : "have", Text(Bytes));
  const std::string Before = Text(M.peakOfSlabs()),
                    Then = Text(M.peakOfSlabs() - I.Found.BytesSaved);
  I.Found.Suggestion = fmt::format(
      "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: the slabs then take {} (replay of the "
      "recorded tensors).",
      Then == Before ? fmt::format("{} less than {}", Text(I.Found.BytesSaved), Before)
                     : fmt::format("{} instead of {}", Then, Before));
  Found.push_back(std::move(I));
  return Found;
}

} // namespace gmprof::analysis
