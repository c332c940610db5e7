//===- TemporaryPeak.cpp - A peak that temporary tensors make -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is temporary if it exists for a few operations only. When the tensors take the most
// memory, the temporary ones of one line may be a large part of it: the peak falls if the line
// needs less memory at a time. The tensors of that line are left out of the replay everywhere,
// since other steps of a training have the same peak.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/TensorMemory.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace gmprof::analysis {

/// Most calls from the allocation of a temporary tensor to its release, and the least share of the
/// peak that the temporary tensors of a line take.
static constexpr uint32_t MostCalls = 32;
static constexpr double LeastShare = 0.1;
/// Least share by which the peak falls without them.
static constexpr double LeastFall = 0.01;

/// Returns the largest number of bytes of the tensors for which Of is true.
template <typename Predicate> static uint64_t peakOf(const TensorMemory &M, Predicate Of) {
  uint64_t InUse = 0, Peak = 0;
  for (const TensorMemory::Event &E : M.events())
    if (!E.IsSlab && Of(E.Object)) {
      InUse = E.IsAllocation ? InUse + M.bytes(E.Object) : InUse - M.bytes(E.Object);
      Peak = std::max(Peak, InUse);
    }
  return Peak;
}

/// Returns the tensors that exist when all tensors take the most memory.
static std::set<uint32_t> tensorsAtPeak(const TensorMemory &M) {
  const uint64_t Peak = peakOf(M, [](uint32_t) { return true; });
  std::set<uint32_t> Alive;
  uint64_t InUse = 0;
  for (const TensorMemory::Event &E : M.events()) {
    if (E.IsSlab)
      continue;
    if (!E.IsAllocation) {
      Alive.erase(E.Object);
      InUse -= M.bytes(E.Object);
      continue;
    }
    Alive.insert(E.Object);
    InUse += M.bytes(E.Object);
    if (InUse == Peak)
      break;
  }
  return Alive;
}

ObjectInefficiencies temporaryPeaks(const TensorMemory &M) {
  ObjectInefficiencies Found;
  const profile::ApiTrace &T = M.trace();
  const auto IsTemporary = [&](uint32_t Tensor) {
    const profile::ApiObject &O = T.Objects[Tensor];
    return O.Release && *O.Release - O.Allocation <= MostCalls;
  };
  struct Line {
    uint64_t Bytes = 0, Tensors = 0;
    uint32_t Largest = 0;
  };
  std::map<std::string, Line> Lines;
  for (const uint32_t Tensor : tensorsAtPeak(M)) {
    const std::string Place = placeOf(T, T.Objects[Tensor].Allocation);
    if (Place.empty() || !IsTemporary(Tensor))
      continue;
    Line &L = Lines[Place];
    if (L.Tensors++ == 0 || M.bytes(Tensor) > M.bytes(L.Largest))
      L.Largest = Tensor;
    L.Bytes += M.bytes(Tensor);
  }
  const auto Worst =
      std::ranges::max_element(Lines, {}, [](const auto &L) { return L.second.Bytes; });
  const uint64_t Peak = peakOf(M, [](uint32_t) { return true; });
  if (Worst == Lines.end() ||
      static_cast<double>(Worst->second.Bytes) < LeastShare * static_cast<double>(Peak))
    return Found;
  const auto &[Place, OfLine] = *Worst;
  const auto Others = [&, &Place = Place](uint32_t Tensor) {
    return !IsTemporary(Tensor) || placeOf(T, T.Objects[Tensor].Allocation) != Place;
  };
  const uint64_t Without = peakOf(M, Others);
  const uint64_t Model = M.saved(M.replay(M.expandable()));
  const uint64_t Saved = M.saved(M.replayOf(M.expandable(), Others));
  const bool Lowers = static_cast<double>(Peak - Without) >= LeastFall * static_cast<double>(Peak);
  if (!Lowers || Saved <= Model)
    return Found;

  ObjectInefficiency I =
      tensorInefficiency(M, "temporary_peak", OfLine.Largest, T.Objects[OfLine.Largest].Allocation);
  I.Found.BytesSaved = Saved - Model;
  I.Found.Evidence = {{"bytes", OfLine.Bytes},
                      {"tensors", OfLine.Tensors},
                      {"peak_bytes", Peak},
                      {"peak_without_bytes", Without}};
  const auto Text = [](uint64_t Number) { return bytesText(static_cast<double>(Number)); };
  I.Found.Message = fmt::format(
      "Temporary tensors of {} make {} of the {} that all tensors take at the peak. Without them "
      "the peak is {}.",
      Place, Text(OfLine.Bytes), Text(Peak), Text(Without));
  I.Found.Suggestion = fmt::format(
      "If the rows or batches that {} works on do not depend on each other, process them one part "
      "after the other: the slabs take up to {} less (replay without these tensors).",
      Place, Text(I.Found.BytesSaved));
  Found.push_back(std::move(I));
  return Found;
}

} // namespace gmprof::analysis
