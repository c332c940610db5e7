//===- AccessSlicesTest.cpp - Slices used in sequence ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/AccessSlices.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

using Slices = std::vector<AccessSlice>;

TimedAccess access(uint32_t Time, ElementRun R) { return {Time, Time, {}, {R}}; }
TimedAccess access(uint32_t Time, const Progression &P) {
  return {Time, Time, {ElementRuns(P, 4, 2)}, {}};
}

Slices slices(const std::vector<TimedAccess> &Accesses, uint64_t Elements) {
  uint64_t Work = uint64_t(1) << 30;
  return accessSlices(Accesses, Elements, Work).value();
}

} // namespace

TEST(AccessSlices, EachApiHasItsOwn) {
  EXPECT_EQ(slices({access(3, {0, 10}), access(5, {10, 10}), access(9, {20, 12})}, 40),
            (Slices{{3, 3, 10}, {5, 5, 10}, {9, 9, 12}}));
}

TEST(AccessSlices, EveryApiAccessesAll) {
  EXPECT_EQ(slices({access(1, {0, 40}), access(2, {0, 40}), access(3, {0, 40})}, 40),
            (Slices{{1, 3, 40}}));
}

TEST(AccessSlices, OneElementInCommonMakesThemOne) {
  EXPECT_EQ(slices({access(1, {0, 11}), access(2, {10, 11}), access(3, {20, 11})}, 40).size(), 1u);
  EXPECT_EQ(slices({access(1, {0, 11}), access(2, {10, 10}), access(3, {20, 10})}, 40),
            (Slices{{1, 2, 20}, {3, 3, 10}}));
}

TEST(AccessSlices, ComingBackMakesOneOfAllInBetween) {
  EXPECT_EQ(slices({access(1, {0, 10}), access(2, {10, 10}), access(3, {0, 1})}, 20).size(), 1u);
}

// gramschmidt: kernels 1 and 2 read and write R[k][k], and kernel 3 R[k][k + 1 …].
TEST(AccessSlices, ApisOfOneSliceFollowEachOther) {
  const uint64_t N = 100;
  std::vector<TimedAccess> R, Q;
  for (uint32_t K = 0; K < N; ++K) {
    const Progression Column = {int64_t(4 * K), {{4 * N, N}}, 1};
    R.push_back(access(3 * K, {K * N + K, 1}));
    R.push_back(access(3 * K + 1, {K * N + K, 1}));
    Q.push_back(access(3 * K + 1, Column));
    Q.push_back(access(3 * K + 2, Column));
    if (K + 1 < N)
      R.push_back(access(3 * K + 2, {K * N + K + 1, N - K - 1}));
  }
  Slices OfR = slices(R, N * N);
  ASSERT_EQ(OfR.size(), 2 * N - 1);
  EXPECT_EQ(OfR[0], (AccessSlice{0, 1, 1}));
  EXPECT_EQ(OfR[1], (AccessSlice{2, 2, N - 1}));
  Slices OfQ = slices(Q, N * N);
  ASSERT_EQ(OfQ.size(), N);
  EXPECT_EQ(OfQ[7], (AccessSlice{22, 23, N}));
}

TEST(AccessSlices, ApisOfTheSameTimeAreInOneSlice) {
  EXPECT_EQ(slices({access(1, {0, 10}), access(1, {10, 10})}, 20), (Slices{{1, 1, 20}}));
}

TEST(AccessSlices, SharedElementsMayBelongToEachApi) {
  // Each API between times 1 and 5 may access any of the elements.
  EXPECT_EQ(slices({{1, 5, {}, {{0, 10}}}, access(3, {10, 10}), access(6, {20, 10})}, 40),
            (Slices{{1, 5, 20}, {6, 6, 10}}));
}

TEST(AccessSlices, LargeObjects) {
  const uint64_t Million = 1000000;
  std::vector<TimedAccess> All;
  for (uint32_t I = 0; I < 4; ++I)
    All.push_back(access(I, {I * Million, Million}));
  EXPECT_EQ(slices(All, 4 * Million).size(), 4u);
  All.push_back(access(4, {4 * Million - 1, 1})); // another access to the end
  EXPECT_EQ(slices(All, 4 * Million),
            (Slices{{0, 0, Million}, {1, 1, Million}, {2, 2, Million}, {3, 4, Million}}));
}

TEST(AccessSlices, NothingIsAccessed) {
  EXPECT_EQ(slices({}, 40), Slices());
  EXPECT_EQ(slices({access(1, {40, 5})}, 40), Slices());
  // The hull overlaps the object, but no access does.
  EXPECT_EQ(slices({access(1, {-40, {{800, 2}}, 1}), access(2, {0, 10})}, 40),
            (Slices{{2, 2, 10}}));
}

TEST(AccessSlices, StopsWhenItTakesTooLong) {
  uint64_t Work = 1000;
  std::vector<TimedAccess> All = {access(1, {0, 5000}), access(2, {5000, 5000})};
  EXPECT_FALSE(accessSlices(All, 10000, Work));
  Work = 1000;
  All.resize(1);
  EXPECT_FALSE(accessSlices(All, 10000, Work));
  EXPECT_EQ(Work, 1000u); // decided before any step
}
