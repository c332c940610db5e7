//===- AccessFrequenciesTest.cpp - How evenly elements are accessed -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/AccessFrequencies.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace gmprof::analysis;

TEST(AccessFrequencies, EqualOnesDoNotVary) {
  AccessFrequencies F;
  F.add(7, 1000);
  EXPECT_EQ(F.variation().Value, 0);
  EXPECT_FALSE(F.variation().AtLeast);
  EXPECT_EQ(F.mean().Value, 7);
  EXPECT_EQ(F.elements(), 1000u);
}

TEST(AccessFrequencies, StandardDeviationOverMean) {
  AccessFrequencies F; // mean 5, deviation 2
  for (double Each : {2, 4, 4, 4, 5, 5, 7, 9})
    F.add(Each);
  EXPECT_DOUBLE_EQ(F.variation().Value, 0.4);
  EXPECT_EQ(F.min(), 2);
  EXPECT_EQ(F.max().Value, 9);
}

// The slices of Figure 8: slice k of n is accessed in proportion to n - k. Section 7.3 states a
// variance of 58 %, the limit 1 / sqrt(3) for large n.
TEST(AccessFrequencies, SlicesOfGramSchmidt) {
  AccessFrequencies F;
  for (unsigned K = 0; K < 2048; ++K)
    F.add(2048 - K);
  EXPECT_NEAR(F.variation().Value, 1 / std::sqrt(3.0), 0.001);
}

TEST(AccessFrequencies, HottestTenth) {
  AccessFrequencies F;
  F.add(1, 90);
  F.add(91, 10);
  EXPECT_DOUBLE_EQ(*F.hottestTenth(), 0.91);
  F.add(100, 1, true);
  EXPECT_FALSE(F.hottestTenth());
}

TEST(AccessFrequencies, OthersAreAdded) {
  AccessFrequencies F, Others; // mean 5, deviation 2
  for (double Each : {4, 5, 9})
    F.add(Each);
  for (double Each : {2, 4, 4, 5, 7})
    Others.add(Each);
  AccessFrequencies All;
  All.add(AccessFrequencies());
  EXPECT_EQ(All.elements(), 0u);
  All.add(F);
  All.add(Others);
  EXPECT_EQ(All.elements(), 8u);
  EXPECT_DOUBLE_EQ(All.mean().Value, 5);
  EXPECT_DOUBLE_EQ(All.variation().Value, 0.4);
  EXPECT_EQ(All.min(), 2);
  EXPECT_EQ(All.max().Value, 9);
  EXPECT_FALSE(All.max().AtLeast);
  EXPECT_DOUBLE_EQ(*All.hottestTenth(), 9.0 / 40);
  Others.add(3, 2, true);
  All.add(Others);
  EXPECT_EQ(All.elements(), 15u);
  EXPECT_TRUE(All.max().AtLeast);
}

TEST(AccessFrequencies, AllAtTheThresholdMayBeEqual) {
  AccessFrequencies F;
  F.add(192, 10, true);
  F.add(200, 5, true);
  EXPECT_EQ(F.variation().Value, 0);
  EXPECT_TRUE(F.variation().AtLeast);
  EXPECT_TRUE(F.max().AtLeast);
}

TEST(AccessFrequencies, LowerBoundsStayWhereTheyAreMostEven) {
  // 90 elements of 10 and 10 of at least 192: higher values would be less even.
  AccessFrequencies F, Exact;
  F.add(10, 90);
  F.add(192, 10, true);
  Exact.add(10, 90);
  Exact.add(192, 10);
  EXPECT_DOUBLE_EQ(F.variation().Value, Exact.variation().Value);
  EXPECT_TRUE(F.variation().AtLeast);
}

TEST(AccessFrequencies, LowerBoundsMayLieHigher) {
  // 10 elements of 1000 and 10 of at least 192: 1000 is the most even choice.
  AccessFrequencies F;
  F.add(1000, 10);
  F.add(192, 10, true);
  EXPECT_EQ(F.variation().Value, 0);
}

// No admissible choice of frequencies is more even, and one is equally even.
TEST(AccessFrequencies, VariationIsALowerBound) {
  std::mt19937 Random; // NOLINT: the same in every run
  for (int Case = 0; Case < 200; ++Case) {
    std::vector<double> Known(Random() % 5), Least(1 + Random() % 4);
    std::generate(Known.begin(), Known.end(),
                  [&] { return static_cast<double>(1 + Random() % 400); });
    std::generate(Least.begin(), Least.end(),
                  [&] { return static_cast<double>(1 + Random() % 255); });
    AccessFrequencies F;
    for (double Each : Known)
      F.add(Each);
    for (double Each : Least)
      F.add(Each, 1, true);
    double Best = 1e9;
    for (int Try = 0; Try < 300; ++Try) {
      AccessFrequencies Exact;
      const auto Level = static_cast<double>(Random() % 800);
      for (double Each : Known)
        Exact.add(Each);
      for (double Each : Least)
        Exact.add(Try % 2 ? std::max(Each, Level) : Each + static_cast<double>(Random() % 300));
      Best = std::min(Best, Exact.variation().Value);
    }
    EXPECT_LE(F.variation().Value, Best + 1e-6) << Case;
    EXPECT_NEAR(F.variation().Value, Best, 0.02) << Case;
  }
}
