//===- ReplacementTest.cpp - Tests of replacement policies ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Replacement.h"
#include "cache/SectoredCache.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;

namespace {

/// Returns the ways that a policy chooses if each is filled in turn.
template <typename Policy> std::vector<uint32_t> fills(Policy &P, unsigned Count) {
  std::vector<uint32_t> Ways;
  for (unsigned I = 0; I < Count; ++I) {
    Ways.push_back(P.victim(0));
    P.fill(0, Ways.back());
  }
  return Ways;
}

using Order = std::vector<uint32_t>;

// Nodes 0 to 2: ways 0 and 1 are below node 1, ways 2 and 3 below node 2.
TEST(TreePlru, FourWays) {
  TreePlru P(1, 4);
  EXPECT_EQ(fills(P, 4), (Order{0, 2, 1, 3}));
  EXPECT_EQ(P.victim(0), 0U);
  P.touch(0, 0); // the root points right, where node 2 points to the way filled first
  EXPECT_EQ(P.victim(0), 2U);
  P.touch(0, 2);
  EXPECT_EQ(P.victim(0), 1U);
}

// Children: 1 and 2 of node 0, 3 and way 0 of 1, ways 1 and 2 of 2, ways 3 and 4 of 3.
TEST(TreePlru, FiveWays) {
  TreePlru P(1, 5);
  EXPECT_EQ(fills(P, 7), (Order{3, 1, 0, 2, 4, 1, 0}));
}

TEST(TreePlru, SetsKnowNothingOfEachOther) {
  TreePlru P(2, 4);
  P.fill(1, 0);
  EXPECT_EQ(P.victim(0), 0U);
  EXPECT_EQ(P.victim(1), 2U);
}

TEST(TreePlru, OneWay) {
  TreePlru P(3, 1);
  P.fill(2, 0);
  EXPECT_EQ(P.victim(2), 0U);
}

// 455 inner nodes; nodes 455 to 510 are ways 0 to 55, nodes 511 to 910 ways 56 to 455. The leftmost
// path ends at node 511. Then the root points right: 2, 5, 11, 23, 47, 95, 191, 383, 767. Then it
// points left, and node 1 right: 4, 9, 19, 39, 79, 159, 319, 639.
TEST(TreePlru, TheTreeOf456WaysOfThePaper) {
  TreePlru P(1, 456);
  EXPECT_EQ(fills(P, 3), (Order{511 - 455, 767 - 455, 639 - 455}));
}

// The 32 nodes 479 to 510 below node 14 are all ways. Every second choice goes right from the root,
// every second of these to node 6, and every second of these to node 14: choices divisible by 8.
// The 33rd of them, 264, therefore evicts the line of choice 8, though 193 ways are free. Node 28,
// with 16 ways, is visited by 12, 28 and so on, and is not full before 268.
TEST(TreePlru, AnUnevenTreeEvictsBeforeItIsFull) {
  SectoredCache<TreePlru> Cache(1, 456, false);
  for (uint64_t N = 1; N < 264; ++N) {
    const uint32_t Slot = Cache.take(0);
    EXPECT_FALSE(Cache.holds(Slot)) << N;
    Cache.replace(Slot, N);
  }
  const uint32_t Slot = Cache.take(0);
  ASSERT_TRUE(Cache.holds(Slot));
  EXPECT_EQ(Cache.line(Slot).Line, 8U);
}

TEST(TreePlru, FreeWaysFirst) {
  SectoredCache<TreePlru> Cache(1, 456, true);
  for (uint64_t N = 0; N < 456; ++N) {
    EXPECT_EQ(Cache.take(0), N);
    Cache.replace(static_cast<uint32_t>(N), N);
  }
  EXPECT_TRUE(Cache.holds(Cache.take(0)));
}

// Two groups of 17 and 16 ways. Each tree starts on its left: node 31 of 17 ways, which is way 15,
// and way 0 of 16 ways. Then on its right: node 23 of 17 ways, which is way 7, and way 8 of 16.
TEST(GroupedPlru, GroupsTakeTurns) {
  GroupedPlru P(1, 33);
  EXPECT_EQ(fills(P, 4), (Order{2 * 15, 2 * 0 + 1, 2 * 7, 2 * 8 + 1}));
  P.touch(0, 20); // a hit does not advance the group
  EXPECT_EQ(P.victim(0) % 2, 0U);
}

TEST(GroupedPlru, FillsAllWaysBeforeAnEviction) {
  SectoredCache<GroupedPlru> Cache(1, 108 * 16, false);
  for (uint64_t N = 0; N < 108 * 16; ++N) {
    const uint32_t Slot = Cache.take(0);
    ASSERT_FALSE(Cache.holds(Slot)) << N;
    Cache.replace(Slot, N);
  }
  EXPECT_TRUE(Cache.holds(Cache.take(0)));
}

TEST(GroupedPlru, FewWaysAreOneTree) {
  uint64_t State = 1;
  for (uint32_t Ways = 1; Ways < 32; ++Ways) {
    GroupedPlru Grouped(2, Ways);
    TreePlru Tree(2, Ways);
    for (unsigned I = 0; I < 200; ++I) {
      State = State * 6364136223846793005 + 1442695040888963407;
      const auto Set = static_cast<uint32_t>(State >> 40 & 1);
      const auto Way = static_cast<uint32_t>((State >> 41) % Ways);
      Grouped.touch(Set, Way);
      Tree.touch(Set, Way);
      ASSERT_EQ(Grouped.victim(0), Tree.victim(0)) << Ways;
      ASSERT_EQ(Grouped.victim(1), Tree.victim(1)) << Ways;
    }
  }
}

TEST(Lru, TheOneNotUsedForLongest) {
  Lru P(2, 4);
  EXPECT_EQ(fills(P, 4), (Order{0, 1, 2, 3}));
  P.touch(0, 0); // 1 2 3 0
  P.touch(0, 2); // 1 3 0 2
  P.touch(0, 2);
  EXPECT_EQ(fills(P, 4), (Order{1, 3, 0, 2}));
  EXPECT_EQ(P.victim(1), 0U);
}

TEST(Lru, TwoWays) {
  Lru P(1, 2);
  EXPECT_EQ(fills(P, 3), (Order{0, 1, 0}));
  P.touch(0, 1);
  EXPECT_EQ(P.victim(0), 0U);
}

TEST(Lru, OneWay) {
  Lru P(1, 1);
  P.fill(0, 0);
  EXPECT_EQ(P.victim(0), 0U);
}

// The separate implementation for few ways gives the same victims.
TEST(Lru, FewWaysGiveTheSameOrder) {
  uint64_t State = 1;
  for (uint32_t Ways = 1; Ways <= 32; ++Ways) {
    Lru Ring(3, Ways);
    LruOfFew Few(3, Ways);
    for (unsigned I = 0; I < 300; ++I) {
      State = State * 6364136223846793005 + 1442695040888963407;
      const auto Set = static_cast<uint32_t>((State >> 40) % 3);
      const auto Way = static_cast<uint32_t>((State >> 42) % Ways);
      if (State >> 63) {
        Ring.touch(Set, Way);
        Few.touch(Set, Way);
      } else {
        const uint32_t Victim = Ring.victim(Set);
        ASSERT_EQ(Few.victim(Set), Victim) << Ways;
        Ring.fill(Set, Victim);
        Few.fill(Set, Victim);
      }
      for (uint32_t S = 0; S < 3; ++S)
        ASSERT_EQ(Few.victim(S), Ring.victim(S)) << Ways;
    }
  }
}

TEST(Nru, TheLastBitClearsTheOthers) {
  Nru P(1, 3);
  EXPECT_EQ(fills(P, 3), (Order{0, 1, 2}));
  EXPECT_EQ(P.victim(0), 0U); // only way 2 has its bit set
  P.touch(0, 0);
  EXPECT_EQ(P.victim(0), 1U);
}

TEST(Nru, MoreWaysThanAWordHasBits) {
  Nru P(1, 70);
  Order Ascending;
  for (uint32_t W = 0; W < 70; ++W)
    Ascending.push_back(W);
  EXPECT_EQ(fills(P, 70), Ascending);
  P.touch(0, 0);
  EXPECT_EQ(P.victim(0), 1U);
}

TEST(Fifo, HitsDoNotMatter) {
  Fifo P(1, 3);
  EXPECT_EQ(fills(P, 3), (Order{0, 1, 2}));
  P.touch(0, 0);
  EXPECT_EQ(P.victim(0), 0U);
}

// Expected values were computed separately from the definition of xorshift64.
TEST(Random, TheSameInEachRun) {
  Random P(1, 10);
  EXPECT_EQ(fills(P, 6), (Order{8, 3, 4, 1, 1, 5}));
}

} // namespace
