//===- HeatMemory.cpp - Heat pages of a launch's objects ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatMemory.h"
#include <cstring>
#include <unordered_map>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gmprof {

using namespace profile;

void HeatMemory::loadNoted() {
  for (size_t I = 0; I < Ranges.size(); ++I)
    for (const HeatPage &From : Ranges[I].Noted.Pages) {
      GmprofHeatPage *To =
          page(FirstPages[I] + From.Number, static_cast<GmprofCounterKind>(From.Kind));
      if (!To)
        continue;
      *To = *From.Content;
      if (From.Block != 0)
        for (gmprof_u32 &Block : To->blocks)
          Block = Block == 0 ? 0 : From.Block | (Block & GMPROF_HEAT_SEVERAL_BLOCKS);
    }
}

/// Returns the mark of the block that first accessed each of the page's accessed sectors, and
/// replaces it in the page by 1; returns 0 and changes nothing if the sectors' blocks differ.
static uint32_t takeOnlyBlock(GmprofHeatPage &Page) {
  uint32_t Only = 0;
  for (gmprof_u32 Known : Page.blocks) {
    const uint32_t Block = Known & ~GMPROF_HEAT_SEVERAL_BLOCKS;
    if (Block != 0 && Only != 0 && Block != Only)
      return 0;
    Only = Block != 0 ? Block : Only;
  }
  for (gmprof_u32 &Known : Page.blocks)
    Known = Known == 0 ? 0 : 1 | (Known & GMPROF_HEAT_SEVERAL_BLOCKS);
  return Only;
}

/// Returns the part's pages; equal pages share one content.
std::vector<HeatPage> HeatMemory::withoutEqual() {
  constexpr size_t Content = offsetof(GmprofHeatPage, page);
  std::unordered_multimap<uint64_t, const GmprofHeatPage *> Known;
  std::vector<HeatPage> All;
  for (uint64_t I = 0; I < Slots.size(); ++I) {
    GmprofHeatPage *Page = Slots[I].get();
    if (!Page)
      continue;
    HeatPage To;
    To.Number = Begin + I / GMPROF_COUNTER_KINDS;
    To.Kind = static_cast<uint32_t>(I % GMPROF_COUNTER_KINDS);
    To.Block = takeOnlyBlock(*Page);
    const uint64_t Hash = XXH3_64bits(Page, Content);
    for (auto [At, Last] = Known.equal_range(Hash); At != Last && !To.Content; ++At)
      if (std::memcmp(At->second, Page, Content) == 0)
        To.Content = At->second;
    if (!To.Content)
      To.Content = Known.emplace(Hash, Page)->second;
    All.push_back(To);
  }
  return All;
}

void HeatMemory::finishPart() {
  std::vector<HeatPage> All = withoutEqual();
  auto At = All.begin();
  for (size_t I = 0; I < Ranges.size(); ++I) {
    const uint64_t EndOfRange = I + 1 < Ranges.size() ? FirstPages[I + 1] : Pages;
    const auto First = At;
    for (; At != All.end() && At->Number < EndOfRange; ++At)
      At->Number -= FirstPages[I];
    if (First != At)
      Makers[I].add({First, At});
  }
  for (std::unique_ptr<GmprofHeatPage> &Slot : Slots)
    Slot.reset();
}

} // namespace gmprof
