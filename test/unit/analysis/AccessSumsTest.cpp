//===- AccessSumsTest.cpp - Sums of accesses to elements ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/AccessSums.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

constexpr auto Reads = GMPROF_COUNTER_READS, Writes = GMPROF_COUNTER_WRITES;

/// Returns an object of this many elements, read in four launches and written in one.
GlobalObjectUse object(uint64_t Elements) {
  GlobalObjectUse Use;
  Use.Elements = Elements;
  Use.Kinds[Reads].Launches = 4;
  Use.Kinds[Writes].Launches = 1;
  return Use;
}

/// Adds elements that are accessed equally often, in all ways that the profile does.
void add(AccessSums &To, uint64_t First, uint64_t Count, CountedValue Read, double Written = 0,
         double ByForms = 0) {
  EqualCountsByKind Counts;
  Counts[Reads] = {ByForms, Read};
  Counts[Writes].All.Value = Written;
  To.addTouched(Count, Counts);
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K)
    To.addValue(K, Counts[K].All, Count);
  To.addRun(First, Count, Counts);
}

void expectEqual(const Bound &B, double Value, bool AtLeast) {
  EXPECT_EQ(B.Value, Value);
  EXPECT_EQ(B.AtLeast, AtLeast);
}

TEST(AccessSums, PartsAddUp) {
  // Elements 0 to 9, as a whole and split in all possible ways.
  for (unsigned Cuts = 0; Cuts < 1u << 4; ++Cuts) {
    GlobalObjectUse Use = object(10);
    AccessSums All(Use), Part(Use);
    const auto CutIf = [&](unsigned I) {
      if ((Cuts >> I & 1) == 0)
        return;
      All.add(Part);
      Part = AccessSums(Use);
    };
    add(Part, 0, 2, {8}, 3, 4);
    CutIf(0);
    add(Part, 2, 3, {8}, 3); // one run with the first element
    CutIf(1);
    add(Part, 5, 1, {0});
    CutIf(2);
    add(Part, 6, 1, {2});
    CutIf(3);
    add(Part, 7, 3, {40, true});
    All.add(Part);
    All.finish(Use, {100, 0, 0});
    EXPECT_EQ(Use.Touched, 9u);
    EXPECT_FALSE(Use.CountsOmitted);
    ASSERT_EQ(Use.Counts.size(), 3u);
    EXPECT_EQ(Use.Counts[0].First, 0u);
    EXPECT_EQ(Use.Counts[0].Last, 4u);
    EXPECT_EQ(Use.Counts[0].Accesses, (std::array<double, 3>{8, 3, 0}));
    EXPECT_EQ(Use.Counts[1].First, 6u);
    EXPECT_EQ(Use.Counts[2].Last, 9u);
    EXPECT_TRUE(Use.Counts[2].AtThreshold);
    const GlobalAccesses &R = Use.Kinds[Reads];
    expectEqual(R.Total, 5 * 8 + 2 + 3 * 40, true);
    EXPECT_EQ(R.ByClosedForms, 8);
    EXPECT_EQ(R.Touched, 9u);
    EXPECT_EQ(R.AtThreshold, 3u);
    expectEqual(R.Min, 0, false);
    expectEqual(R.Mean, 162.0 / 10 / 4, true);
    expectEqual(R.Max, 10, true);
    ASSERT_EQ(R.Histogram.size(), 4u); // 0, below 1, 2 to 4, threshold
    EXPECT_EQ(R.Histogram[0].Elements, 1u);
    EXPECT_EQ(R.Histogram[1].Elements, 1u);
    EXPECT_EQ(R.Histogram[2].From, 2);
    EXPECT_EQ(R.Histogram[2].Elements, 5u);
    EXPECT_EQ(R.Histogram[3].From, 100);
    EXPECT_EQ(R.Histogram[3].Elements, 3u);
    expectEqual(Use.Kinds[Writes].Total, 15, false);
    EXPECT_EQ(Use.Kinds[Writes].Touched, 5u);
  }
}

TEST(AccessSums, KeepTheFirstRuns) {
  GlobalObjectUse Use = object(uint64_t(2) << 20);
  AccessSums All(Use);
  for (uint64_t First : {uint64_t(0), uint64_t(1) << 20}) {
    AccessSums Part(Use);
    EXPECT_FALSE(Part.areRunsOmitted());
    for (uint64_t E = 0; E <= MaxRuns; ++E)
      add(Part, First + 2 * E, 1, {1});
    EXPECT_TRUE(Part.areRunsOmitted());
    All.add(Part);
  }
  All.finish(Use, {});
  EXPECT_TRUE(Use.CountsOmitted);
  ASSERT_EQ(Use.Counts.size(), MaxRuns);
  EXPECT_EQ(Use.Counts.back().First, 2 * (MaxRuns - 1));
  EXPECT_EQ(Use.Touched, 2 * (MaxRuns + 1));
}

TEST(AccessSums, ExactNumberIsLessThanAnEqualBound) {
  for (bool ExactFirst : {false, true}) {
    GlobalObjectUse Use = object(2);
    AccessSums All(Use), Part(Use);
    add(All, 0, 1, {4, !ExactFirst});
    add(Part, 1, 1, {4, ExactFirst});
    All.add(Part);
    All.finish(Use, {4, 0, 0});
    expectEqual(Use.Kinds[Reads].Min, 1, false);
    expectEqual(Use.Kinds[Reads].Max, 1, true);
  }
}

} // namespace
