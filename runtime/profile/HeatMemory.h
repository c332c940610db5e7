//===- HeatMemory.h - Heat pages of a launch's objects ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_HEATMEMORY_H
#define GMPROF_PROFILE_HEATMEMORY_H

#include "profile/HeatRecords.h"
#include "profile/HeatRuns.h"
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace gmprof {

/// The heat pages of a launch's objects; holds one part of the address range at a time.
class HeatMemory {
public:
  /// Maximum number of pages in one part, and in all parts together.
  static constexpr uint64_t MostInPart = 1 << 14, Most = uint64_t(1) << 21;

  explicit HeatMemory(std::span<const HeatRange> Ranges) : Ranges(Ranges) {
    for (const HeatRange &R : Ranges) {
      FirstPages.push_back(Pages);
      Pages += (R.Address + R.Bytes - 1) / GMPROF_HEAT_PAGE_BYTES -
               R.Address / GMPROF_HEAT_PAGE_BYTES + 1;
      Makers.emplace_back(R.Address, 0);
    }
    Slots.resize(std::min(Pages, MostInPart) * GMPROF_COUNTER_KINDS);
  }

  /// Begins the next part; returns false after the last one.
  bool next() {
    if (Started)
      finishPart();
    Begin = Started ? End : 0;
    Started = true;
    End = std::min({Begin + MostInPart, Pages, Most});
    if (Begin >= End)
      return false;
    FirstAddress = addressOf(Begin);
    LastAddress = addressOf(End - 1) + GMPROF_HEAT_PAGE_BYTES - 1;
    loadNoted();
    return true;
  }
  /// Returns false if no page of this part lies between the two addresses.
  bool mayHave(uint64_t First, uint64_t Last) const {
    return First <= LastAddress && Last >= FirstAddress;
  }

  /// Returns the index of the range that holds the address; ranges() if there is none.
  size_t find(uint64_t Address) const {
    auto After = std::upper_bound(Ranges.begin(), Ranges.end(), Address,
                                  [](uint64_t At, const HeatRange &R) { return At < R.Address; });
    if (After == Ranges.begin() || Address - std::prev(After)->Address >= std::prev(After)->Bytes)
      return Ranges.size();
    return static_cast<size_t>(std::prev(After) - Ranges.begin());
  }
  const HeatRange &range(size_t Number) const { return Ranges[Number]; }
  size_t ranges() const { return Ranges.size(); }

  uint64_t pageOf(size_t Range, uint64_t Address) const {
    return FirstPages[Range] + Address / GMPROF_HEAT_PAGE_BYTES -
           Ranges[Range].Address / GMPROF_HEAT_PAGE_BYTES;
  }
  bool isInPart(uint64_t Page) const { return Page >= Begin && Page < End; }
  static bool hasRoom(uint64_t Page) { return Page < Most; }
  bool overlapsPart(uint64_t FirstPage, uint64_t LastPage) const {
    return FirstPage < End && LastPage >= Begin;
  }

  /// Returns a page of this part, made on first use; null for pages of other parts.
  GmprofHeatPage *page(uint64_t Page, GmprofCounterKind Kind) {
    if (!isInPart(Page))
      return nullptr;
    std::unique_ptr<GmprofHeatPage> &Slot = Slots[(Page - Begin) * GMPROF_COUNTER_KINDS + Kind];
    if (!Slot)
      Slot = std::make_unique<GmprofHeatPage>();
    return Slot.get();
  }

  /// Appends the maps of the accessed objects; call after the last part.
  void finish(std::vector<profile::HeatMap> &To) {
    for (size_t I = 0; I < Ranges.size(); ++I) {
      HeatRuns Runs = std::move(Makers[I]).finish();
      if (Runs.Runs.empty())
        continue;
      profile::HeatMap &M = To.emplace_back();
      M.Object = Ranges[I].Object;
      M.Address = Ranges[I].Address;
      M.Merged = Runs.Merged;
      for (const log::HeatRun &Run : Runs.Runs)
        if (std::optional<profile::HeatRun> Decoded = decodeHeatRun(Run))
          M.Runs.push_back(*Decoded);
    }
  }

private:
  std::span<const HeatRange> Ranges;
  std::vector<uint64_t> FirstPages;
  uint64_t Pages = 0, Begin = 0, End = 0;
  uint64_t FirstAddress = 0, LastAddress = 0; ///< of the part
  bool Started = false;
  std::vector<std::unique_ptr<GmprofHeatPage>> Slots;
  std::vector<HeatRunMaker> Makers;

  uint64_t addressOf(uint64_t Page) const {
    const auto Range =
        std::upper_bound(FirstPages.begin(), FirstPages.end(), Page) - FirstPages.begin() - 1;
    return (Ranges[Range].Address / GMPROF_HEAT_PAGE_BYTES + Page - FirstPages[Range]) *
           GMPROF_HEAT_PAGE_BYTES;
  }
  void loadNoted();
  void finishPart();
  std::vector<HeatPage> withoutEqual();
};

} // namespace gmprof

#endif // GMPROF_PROFILE_HEATMEMORY_H
