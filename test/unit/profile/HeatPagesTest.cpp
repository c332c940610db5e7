//===- HeatPagesTest.cpp --------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatPages.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>

using namespace gmprof;

namespace {

constexpr uint64_t PageBytes = GMPROF_HEAT_PAGE_BYTES;
constexpr uint64_t SectorsOfPage = GMPROF_HEAT_PAGE_SECTORS;

/// The pages of an object; the first has number 5.
class HeatPagesTest : public testing::Test {
protected:
  static constexpr uint64_t FirstPage = 5;
  std::vector<std::unique_ptr<GmprofHeatPage>> Pages;

  GmprofHeatPage &page(uint64_t Number, GmprofCounterKind Kind) {
    for (const auto &Page : Pages)
      if (Page->page == FirstPage + Number && Page->kind == static_cast<gmprof_u32>(Kind))
        return *Page;
    Pages.push_back(std::make_unique<GmprofHeatPage>());
    Pages.back()->page = FirstPage + Number;
    Pages.back()->kind = Kind;
    return *Pages.back();
  }

  /// Marks a word as accessed. Block and Place apply to its sector. Word counts from the first
  /// page's start.
  void touch(uint64_t Word, uint32_t Warps, uint32_t Accesses,
             GmprofCounterKind Kind = GMPROF_COUNTER_READS, uint32_t Block = 0,
             unsigned Place = 0) {
    GmprofHeatPage &Page = page(Word / GMPROF_HEAT_PAGE_WORDS, Kind);
    const uint64_t W = Word % GMPROF_HEAT_PAGE_WORDS, Sector = W / 8;
    Page.warps[W] |= Warps;
    Page.accesses[W] += Accesses;
    Page.places[Sector] |= uint64_t(1) << Place;
    const uint32_t Mine = Block + 1;
    Page.blocks[Sector] = Page.blocks[Sector] == 0 || Page.blocks[Sector] == Mine
                              ? Mine
                              : Page.blocks[Sector] | GMPROF_HEAT_SEVERAL_BLOCKS;
  }

  HeatRuns runs(uint64_t Base = 0, size_t MostRuns = 1000) const {
    std::vector<HeatPage> All;
    for (const auto &Page : Pages)
      All.push_back({Page->page, Page->kind, 0, Page.get()});
    return heatRuns(All, Base, FirstPage, MostRuns);
  }
};

std::vector<unsigned> temperatures(const log::HeatRun &R, unsigned Of = 0) {
  return {R.temperatures[Of], R.temperatures[Of] + 9};
}

using Numbers = std::vector<unsigned>;

} // namespace

TEST_F(HeatPagesTest, NothingAccessed) {
  page(0, GMPROF_COUNTER_READS);
  EXPECT_TRUE(runs().Runs.empty());
}

TEST_F(HeatPagesTest, ASectorHasTheDistinctWarpsOfItsWords) {
  touch(8, 0b0001, 3);
  touch(9, 0b0011, 4);
  touch(15, 0x80000000, 1);
  const HeatRuns R = runs();
  ASSERT_EQ(R.Runs.size(), 1u);
  EXPECT_EQ(R.Runs[0].first, 1u);
  EXPECT_EQ(R.Runs[0].sectors, 1u);
  EXPECT_EQ(temperatures(R.Runs[0]), (Numbers{1, 2, 0, 0, 0, 0, 0, 1, 3}));
  EXPECT_EQ(temperatures(R.Runs[0], 1 + GMPROF_COUNTER_READS), temperatures(R.Runs[0]));
  EXPECT_EQ(temperatures(R.Runs[0], 1 + GMPROF_COUNTER_WRITES), Numbers(9));
  EXPECT_EQ(R.Runs[0].accesses[GMPROF_COUNTER_READS], 8u);
  EXPECT_EQ(R.Runs[0].accesses[GMPROF_COUNTER_WRITES], 0u);
  EXPECT_EQ(R.Merged, 0u);
}

TEST_F(HeatPagesTest, KindsSeparatelyAndTogether) {
  touch(0, 0b0001, 1, GMPROF_COUNTER_READS);
  touch(0, 0b0011, 2, GMPROF_COUNTER_WRITES);
  touch(1, 0b0100, 5, GMPROF_COUNTER_ATOMICS);
  const HeatRuns R = runs();
  ASSERT_EQ(R.Runs.size(), 1u);
  const log::HeatRun &Run = R.Runs[0];
  EXPECT_EQ(temperatures(Run), (Numbers{2, 1, 0, 0, 0, 0, 0, 0, 3}));
  EXPECT_EQ(temperatures(Run, 1 + GMPROF_COUNTER_READS), (Numbers{1, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(temperatures(Run, 1 + GMPROF_COUNTER_WRITES), (Numbers{2, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(temperatures(Run, 1 + GMPROF_COUNTER_ATOMICS), (Numbers{0, 1, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(Run.accesses[GMPROF_COUNTER_READS], 1u);
  EXPECT_EQ(Run.accesses[GMPROF_COUNTER_WRITES], 2u);
  EXPECT_EQ(Run.accesses[GMPROF_COUNTER_ATOMICS], 5u);
}

// Equal sectors become one run, across pages and in any order of pages; a gap or another place ends
// it.
TEST_F(HeatPagesTest, EqualNeighboursAreOneRun) {
  for (uint64_t Sector = 126; Sector < 131; ++Sector)
    touch(8 * Sector, 1, 1);
  touch(8 * 132, 1, 1);
  touch(8 * 133, 1, 1, GMPROF_COUNTER_READS, 0, /*Place=*/7);
  std::reverse(Pages.begin(), Pages.end());
  const HeatRuns R = runs();
  ASSERT_EQ(R.Runs.size(), 3u);
  EXPECT_EQ(R.Runs[0].first, 126u);
  EXPECT_EQ(R.Runs[0].sectors, 5u);
  EXPECT_EQ(R.Runs[0].accesses[GMPROF_COUNTER_READS], 5u);
  EXPECT_EQ(R.Runs[1].first, 132u);
  EXPECT_EQ(R.Runs[1].sectors, 1u);
  EXPECT_EQ(R.Runs[1].places, 1u);
  EXPECT_EQ(R.Runs[2].first, 133u);
  EXPECT_EQ(R.Runs[2].places, uint64_t(1) << 7);
}

// Sectors are numbered from the one in which the object begins.
TEST_F(HeatPagesTest, AnObjectThatBeginsWithinAPageAndASector) {
  const uint64_t Base = 7 * PageBytes + 3 * 32 + 20;
  touch(3 * 8 + 5, 1, 1);
  touch(GMPROF_HEAT_PAGE_WORDS, 0b11, 1);
  const HeatRuns R = runs(Base);
  ASSERT_EQ(R.Runs.size(), 2u);
  EXPECT_EQ(R.Runs[0].first, 0u);
  EXPECT_EQ(temperatures(R.Runs[0]), (Numbers{0, 0, 0, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(R.Runs[1].first, SectorsOfPage - 3);
  EXPECT_EQ(temperatures(R.Runs[1]), (Numbers{2, 0, 0, 0, 0, 0, 0, 0, 2}));
}

// Several blocks make accesses of one kind, or one block reads what another writes.
TEST_F(HeatPagesTest, SeveralBlocks) {
  touch(0, 1, 1, GMPROF_COUNTER_READS, 0);
  touch(8, 1, 1, GMPROF_COUNTER_READS, 0);
  touch(8, 1, 1, GMPROF_COUNTER_READS, 1);
  touch(16, 1, 1, GMPROF_COUNTER_READS, 3);
  touch(16, 1, 1, GMPROF_COUNTER_WRITES, 4);
  touch(24, 1, 1, GMPROF_COUNTER_READS, 3);
  touch(24, 1, 1, GMPROF_COUNTER_WRITES, 3);
  const HeatRuns R = runs();
  ASSERT_EQ(R.Runs.size(), 4u);
  EXPECT_EQ(R.Runs[0].severalBlocks, 0);
  EXPECT_EQ(R.Runs[1].severalBlocks, 1);
  EXPECT_EQ(R.Runs[2].severalBlocks, 1);
  EXPECT_EQ(R.Runs[3].severalBlocks, 0);
}

// Five unequal sectors with at most four runs: pairs are merged, with the maximum of each number
// and all accesses and places. Sector 12 has no partner in its pair.
TEST_F(HeatPagesTest, TooManyRunsAreMerged) {
  touch(0, 0b1, 1);
  touch(8, 0b11, 2, GMPROF_COUNTER_READS, 0, 1);
  touch(8 + 1, 0b1, 3, GMPROF_COUNTER_WRITES, 0, 2);
  touch(16, 0b111, 4);
  touch(24 + 7, 0b1, 5);
  touch(8 * 12, 0b1, 6, GMPROF_COUNTER_READS, 0, 3);
  EXPECT_EQ(runs(0, 5).Runs.size(), 5u);
  EXPECT_EQ(runs(0, 5).Merged, 0u);
  const HeatRuns R = runs(0, 4);
  ASSERT_EQ(R.Runs.size(), 3u);
  EXPECT_EQ(R.Merged, 4u);
  EXPECT_EQ(R.Runs[0].first, 0u);
  EXPECT_EQ(R.Runs[0].sectors, 2u);
  EXPECT_EQ(R.Runs[0].merged, 1);
  EXPECT_EQ(temperatures(R.Runs[0]), (Numbers{2, 1, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(R.Runs[0].accesses[GMPROF_COUNTER_READS], 3u);
  EXPECT_EQ(R.Runs[0].accesses[GMPROF_COUNTER_WRITES], 3u);
  EXPECT_EQ(R.Runs[0].places, 0b111u);
  EXPECT_EQ(R.Runs[1].first, 2u);
  EXPECT_EQ(temperatures(R.Runs[1]), (Numbers{3, 0, 0, 0, 0, 0, 0, 1, 3}));
  EXPECT_EQ(R.Runs[1].accesses[GMPROF_COUNTER_READS], 9u);
  EXPECT_EQ(R.Runs[2].first, 12u);
  EXPECT_EQ(R.Runs[2].sectors, 1u);
  EXPECT_EQ(R.Runs[2].merged, 0);
}

// Runs are merged repeatedly until there are few enough; accesses add up.
TEST_F(HeatPagesTest, MergedToOneRun) {
  for (unsigned Sector = 0; Sector < 64; ++Sector)
    touch(8 * Sector, 0xFFFFFFFFu >> (Sector % 32), Sector);
  const HeatRuns R = runs(0, 1);
  ASSERT_EQ(R.Runs.size(), 1u);
  EXPECT_EQ(R.Runs[0].sectors, 64u);
  EXPECT_EQ(temperatures(R.Runs[0])[8], 32u);
  EXPECT_EQ(R.Runs[0].accesses[GMPROF_COUNTER_READS], 63u * 64 / 2);
  EXPECT_EQ(R.Merged, 64u);
}

TEST_F(HeatPagesTest, EqualPagesAreReadOnce) {
  // Pages 0 and 1 are equal except for the block: block 3 read and wrote the first; block 4 read
  // and block 5 wrote the second.
  touch(0, 1, 1, GMPROF_COUNTER_READS, 3);
  touch(0, 1, 1, GMPROF_COUNTER_WRITES, 3);
  const GmprofHeatPage *Read = &page(0, GMPROF_COUNTER_READS);
  const GmprofHeatPage *Written = &page(0, GMPROF_COUNTER_WRITES);
  const HeatPage All[] = {{FirstPage, GMPROF_COUNTER_READS, 4, Read},
                          {FirstPage, GMPROF_COUNTER_WRITES, 4, Written},
                          {FirstPage + 1, GMPROF_COUNTER_READS, 5, Read},
                          {FirstPage + 1, GMPROF_COUNTER_WRITES, 6, Written},
                          {FirstPage + 2, GMPROF_COUNTER_READS, 7, Read},
                          {FirstPage + 2, GMPROF_COUNTER_WRITES, 7, Written}};
  const HeatRuns Result = heatRuns(All, 0, FirstPage);
  ASSERT_EQ(Result.Runs.size(), 3u);
  EXPECT_EQ(Result.Runs[0].first, 0u);
  EXPECT_EQ(Result.Runs[0].severalBlocks, 0);
  EXPECT_EQ(Result.Runs[1].first, SectorsOfPage);
  EXPECT_EQ(Result.Runs[1].severalBlocks, 1);
  EXPECT_EQ(Result.Runs[2].first, 2 * SectorsOfPage);
  EXPECT_EQ(Result.Runs[2].severalBlocks, 0);
  for (const log::HeatRun &Run : Result.Runs) {
    EXPECT_EQ(Run.accesses[GMPROF_COUNTER_READS], 1u);
    EXPECT_EQ(Run.accesses[GMPROF_COUNTER_WRITES], 1u);
  }
}
