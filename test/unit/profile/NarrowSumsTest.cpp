//===- NarrowSumsTest.cpp - Integers of 1, 2, 4 or 8 bytes ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/NarrowSums.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace gmprof;
using Words = std::vector<uint64_t>;

namespace {

TEST(NarrowSums, HaveAsManyBytesAsTheLargestNeeds) {
  EXPECT_EQ(NarrowSums(Words{}).width(), 1u);
  for (auto [Largest, Width] : {std::pair(uint64_t(0), 1u), std::pair(uint64_t(255), 1u),
                                std::pair(uint64_t(256), 2u), std::pair(uint64_t(65535), 2u),
                                std::pair(uint64_t(65536), 4u), std::pair(uint64_t(1) << 24, 4u),
                                std::pair(uint64_t(1) << 32, 8u), std::pair(UINT64_MAX, 8u)}) {
    const NarrowSums Sums(Words{0, Largest, 3});
    EXPECT_EQ(Sums.width(), Width) << Largest;
    EXPECT_EQ(Sums.values(), (Words{0, Largest, 3}));
    EXPECT_EQ(Sums[1], Largest);
  }
}

TEST(NarrowSums, AddUpCountersOfOtherWidths) {
  NarrowSums Sums(5);
  const uint8_t Bytes[] = {1, 255, 9};
  Sums.add<uint8_t>(1, Bytes, 100);
  EXPECT_EQ(Sums.values(), (Words{0, 1, 100, 9, 0}));
  Sums.widen(1100);
  EXPECT_EQ(Sums.width(), 2u);
  const uint32_t Words32[] = {1000, 7};
  Sums.add<uint32_t>(2, Words32, UINT32_MAX);
  EXPECT_EQ(Sums.values(), (Words{0, 1, 1100, 16, 0}));
  Sums.widen(5); // no change: it fits
  EXPECT_EQ(Sums.width(), 2u);
  Sums.put(3, NarrowSums(Words{200, 201}));
  EXPECT_EQ(Sums.values(), (Words{0, 1, 1100, 200, 201}));
}

TEST(NarrowSums, FindWhereRunsEnd) {
  for (uint64_t Value : {uint64_t(7), uint64_t(700), uint64_t(70000), uint64_t(1) << 40})
    for (size_t Length : {1, 2, 511, 512, 513, 514, 1025, 3000}) {
      Words All(2, Value - 1);
      All.insert(All.end(), Length, Value);
      EXPECT_EQ(NarrowSums(All).endOfRun(2), 2 + Length);
      All.push_back(Value + 1);
      const NarrowSums Sums(All);
      EXPECT_EQ(Sums.endOfRun(0), 2u);
      EXPECT_EQ(Sums.endOfRun(1), 2u);
      EXPECT_EQ(Sums.endOfRun(2), 2 + Length);
      EXPECT_EQ(Sums.endOfRun(2 + Length), 3 + Length);
    }
}

TEST(NarrowSums, SayHowOftenValuesCome) {
  for (uint64_t Large : {uint64_t(200), uint64_t(700), uint64_t(70000), uint64_t(1) << 40}) {
    const NarrowSums Sums(Words{9, 3, Large, 3, 3, 0, 9});
    std::map<uint64_t, uint64_t> Times;
    Sums.forEachValue(1, 6, [&](uint64_t Value, uint64_t Number) { Times[Value] += Number; });
    EXPECT_EQ(Times, (std::map<uint64_t, uint64_t>{{0, 1}, {3, 3}, {Large, 1}}));
  }
}

TEST(NarrowSums, FindTouchedElements) {
  using Runs = std::vector<std::pair<size_t, size_t>>;
  const auto RunsOf = [](const Words &All) {
    Runs Found;
    NarrowSums(All).forEachTouched(
        [&](size_t First, size_t End) { Found.emplace_back(First, End); });
    return Found;
  };
  EXPECT_EQ(RunsOf({}), Runs());
  EXPECT_EQ(RunsOf({0, 0}), Runs());
  EXPECT_EQ(RunsOf({3}), (Runs{{0, 1}}));
  EXPECT_EQ(RunsOf({0, 1, 2, 0, 0, 5}), (Runs{{1, 3}, {5, 6}}));
  // Vary the runs around the block size of 64, with few and with many equal numbers.
  for (uint64_t Value : {uint64_t(7), uint64_t(700), uint64_t(1) << 40})
    for (size_t Before : {0, 1, 63, 64, 65, 1000})
      for (size_t Touched : {1, 2, 62, 63, 64, 65, 127, 128, 129, 700})
        for (size_t Behind : {0, 1, 64, 300}) {
          Words All(Before, 0);
          for (size_t I = 0; I < Touched; ++I)
            All.push_back(I % 3 == 0 || Touched % 2 != 0 ? Value : 1);
          All.resize(All.size() + Behind);
          EXPECT_EQ(RunsOf(All), (Runs{{Before, Before + Touched}}));
          EXPECT_EQ(NarrowSums(All).total(), std::accumulate(All.begin(), All.end(), uint64_t(0)));
        }
}

} // namespace
