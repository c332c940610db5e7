//===- ScatteredLanesTest.cpp - Tests of lanes that share no line ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/ScatteredLanes.h"
#include <gtest/gtest.h>
#include <vector>

namespace gmprof::cache {
namespace {

/// Fixture with lines 1000 to 1999, of which those with a number divisible by 4 are kept. A hash
/// has the line number in its lowest bits and, for lines below 4096, in the highest bits.
struct ScatteredLanesTest : testing::Test {
  ScatteredLanes Scattered;

  bool find(const Request &R) {
    const auto HashOf = [](uint64_t Line) { return Line << 52 | Line; };
    return Scattered.find(R, 1000, 1000, HashOf, 3);
  }
  /// Returns a request whose lanes 0, 5 and 31 access bytes from these addresses on.
  static Request request(const std::array<uint64_t, 3> &Addresses) {
    Request R;
    R.Mask = 1U << 0 | 1U << 5 | 1U << 31;
    R.Addresses[0] = Addresses[0];
    R.Addresses[5] = Addresses[1];
    R.Addresses[31] = Addresses[2];
    return R;
  }
};

TEST_F(ScatteredLanesTest, KeepsSomeInTheOrderOfLanes) {
  ASSERT_TRUE(find(request({1996 * 128 + 124, 1001 * 128, 1000 * 128 + 4})));
  const std::span<const ScatteredLanes::Kept> Kept = Scattered.kept();
  ASSERT_EQ(Kept.size(), 2U);
  EXPECT_EQ(Kept[0].Address, 1996U * 128 + 124);
  EXPECT_EQ(Kept[0].Hash & 0xffff, 1996U);
  EXPECT_EQ(Kept[1].Address, 1000U * 128 + 4);
}

TEST_F(ScatteredLanesTest, AllLanes) {
  Request R;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    R.Addresses[Lane] = (1000 + 7 * uint64_t{Lane}) * 128;
  ASSERT_TRUE(find(R));
  EXPECT_EQ(Scattered.kept().size(), 8U);
}

TEST_F(ScatteredLanesTest, NotWhereLanesShareALine) {
  EXPECT_FALSE(find(request({1500 * 128, 1501 * 128, 1500 * 128 + 64})));
  EXPECT_FALSE(find(request({1500 * 128, 1500 * 128, 1501 * 128})));
}

TEST_F(ScatteredLanesTest, NotBeyondTheObjectsLines) {
  EXPECT_FALSE(find(request({999 * 128 + 124, 1001 * 128, 1002 * 128})));
  EXPECT_FALSE(find(request({1000 * 128, 1001 * 128, 2000 * 128})));
}

TEST_F(ScatteredLanesTest, NotOfBytesThatMayBeInTwoLines) {
  Request R = request({1000 * 128, 1001 * 128 + 126, 1002 * 128});
  EXPECT_FALSE(find(R)); // of 4 bytes
  R.Size = 2;
  EXPECT_TRUE(find(R));
}

// Turn numbers have 16 bits; lines of a request from 65536 turns before are not confused with the
// current one's.
TEST_F(ScatteredLanesTest, AnyNumberOfRequests) {
  const Request First = request({1500 * 128, 1501 * 128, 1502 * 128});
  const Request Other = request({1600 * 128, 1601 * 128, 1602 * 128});
  EXPECT_TRUE(find(First));
  for (unsigned I = 0; I < 65535; ++I)
    ASSERT_TRUE(find(Other));
  EXPECT_TRUE(find(First));
}

} // namespace
} // namespace gmprof::cache
