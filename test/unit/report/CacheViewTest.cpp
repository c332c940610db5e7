//===- CacheViewTest.cpp - Tests of views of caches -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/CacheView.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::cache;

namespace {

/// Two launches of kernels a and b, which access objects 0 and 1 in the same line.
SimulationResults twoLaunches() {
  SimulationResults R;
  R.Kernels = {{"a", false}, {"b", false}};
  R.Sites = {{0, "/x/k.cu", 5, "", {}}, {1, "/x/k.cu", 5, "", {}}, {1, "", 0, "", {}}};
  R.Objects = {{3, "first", 0x1000, 64}, {4, "", 0x2000, 64}};
  R.Launches.resize(2);
  R.Launches[1].Launch.Kernel = 1;
  auto Add = [&](uint32_t Launch, uint32_t Site, int32_t Object, uint64_t Sectors, uint64_t Hits) {
    Cell C = {Launch, Site, Object, AccessKind::Load, {}};
    C.Counts.Sectors = C.Counts.L1Lookups = Sectors;
    C.Counts.L1Hits = Hits;
    C.Counts.BytesUsed = 8 * Sectors;
    R.Cells.push_back(C);
  };
  Add(0, 0, 0, 10, 10);
  Add(1, 1, 1, 30, 5);
  Add(1, 2, Cell::Unknown, 1, 0);
  return R;
}

TEST(CacheView, ByObjectAndLine) {
  const CacheView View = cacheView(twoLaunches(), {0, 1});
  ASSERT_EQ(View.Objects.size(), 3U);
  EXPECT_EQ(View.Objects[0].Name, "object 4 of 64 bytes");
  EXPECT_EQ(View.Objects[1].Name, "first");
  EXPECT_EQ(View.Objects[2].Name, "unknown");
  ASSERT_EQ(View.Lines.size(), 2U);
  EXPECT_EQ(View.Lines[0].Name, "k.cu:5: load");
  EXPECT_EQ(View.Lines[0].Counts.Sectors, 40U);
  EXPECT_EQ(View.Lines[1].Name, "site 2: load");
  EXPECT_EQ(View.Whole.Counts.Sectors, 41U);
  EXPECT_EQ(View.Whole.Counts.L1Hits, 15U);
  EXPECT_DOUBLE_EQ(coalescingEfficiency(View.Whole.Counts), 0.25);
  EXPECT_EQ(cacheView(twoLaunches(), {0}).Whole.Counts.Sectors, 10U);
}

TEST(CacheView, Choice) {
  const SimulationResults R = twoLaunches();
  EXPECT_EQ(*chosenLaunches(R, {}), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(*chosenLaunches(R, {"b", 0}), (std::vector<uint32_t>{1}));
  EXPECT_EQ(chosenLaunches(R, {"b", 1}).error(), "no launch is of a kernel that matches 'b'");
  EXPECT_EQ(chosenLaunches(R, {"", 3}).error(), "there is no launch 3: the trace has 2");
  EXPECT_EQ(chosenLaunches(R, {"(", 0}).error(), "'(' is no regular expression");
}

// One of 16 groups hits 10 times of 10, another 0 times of 10: r = 1/2, and each is off by 5 from r
// times its lookups. sqrt(2 * 25 * 16 / 15 * (1 - 1/4)) / 20 = sqrt(40) / 20.
TEST(CacheView, ErrorsOfSamples) {
  SimulationResults R = twoLaunches();
  R.Options.Sampled = 4;
  R.Groups.resize(3);
  R.Groups[0].L1Lookups[0] = R.Groups[0].L1Hits[0] = 10;
  R.Groups[1].L1Lookups[7] = 10;
  const CacheView View = cacheView(R, {0, 1});
  ASSERT_TRUE(View.Whole.L1Error);
  EXPECT_DOUBLE_EQ(*View.Whole.L1Error, std::sqrt(40.0) / 20);
  EXPECT_EQ(*View.Whole.L2Error, 0);
}

} // namespace
