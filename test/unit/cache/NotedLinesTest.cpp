//===- NotedLinesTest.cpp - Tests of per-line data ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/NotedLines.h"
#include "cache/SeenSectors.h"
#include "cache/SplitSectors.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace gmprof::cache;

namespace {

using Noted = NotedLines<uint64_t>;
constexpr uint64_t Most = Noted::MostLines;

TEST(NotedLines, KeepsAllOfFewLines) {
  Noted Lines;
  for (uint64_t Line = 0; Line < Most; ++Line) {
    ASSERT_TRUE(Lines.sample().has(Line));
    Lines.of(LineSample::keyOf(Line)) = Line;
  }
  EXPECT_EQ(Lines.sample().weight(), 1U);
  for (uint64_t Line = 0; Line < Most; ++Line)
    ASSERT_EQ(Lines.of(LineSample::keyOf(Line)), Line);
}

// One line more than the table holds: one in four is kept, with its data.
TEST(NotedLines, SamplesManyLines) {
  Noted Lines;
  for (uint64_t Line = 0; Line <= Most; ++Line)
    Lines.of(LineSample::keyOf(Line)) = Line;
  EXPECT_EQ(Lines.sample().weight(), 4U);
  uint64_t Left = 0;
  for (uint64_t Line = 0; Line < Most; ++Line)
    if (Lines.sample().has(Line)) {
      ASSERT_EQ(Lines.of(LineSample::keyOf(Line)), Line);
      ++Left;
    }
  EXPECT_NEAR(Left, 512, 128);
}

TEST(NotedLines, LaunchBeginsWithAllLines) {
  Noted Lines;
  Lines.raiseLevel(2);
  EXPECT_EQ(Lines.sample().weight(), 16U);
  Lines.clear();
  EXPECT_EQ(Lines.sample().weight(), 1U);
}

// Each level's sample is a subset of the level below.
TEST(LineSample, HigherLevelIsASubset) {
  for (unsigned Level = 0; Level < LineSample::MostLevel; ++Level) {
    LineSample All, Some;
    All.setLevel(Level);
    Some.setLevel(Level + 1);
    for (uint64_t Line = 0; Line < 4096; ++Line)
      ASSERT_TRUE(All.has(Line) || !Some.has(Line));
  }
}

TEST(SplitSectors, LineHalvesAreKeptTogether) {
  LineSample Lines;
  SplitSectors Halves(true);
  Lines.setLevel(2);
  Halves.raiseLevel(2);
  for (uint64_t Line = 0; Line < 4096; ++Line)
    for (const uint64_t Half : {2 * Line, 2 * Line + 1})
      ASSERT_EQ(Halves.isNoted(Half), Lines.has(Line));
}

/// Returns the ratio of estimated to actual repeated fetches of `Count` lines, each of which one
/// block fetches twice and another block once.
double estimated(uint64_t Count) {
  SeenSectors Seen;
  double Again = 0;
  for (const uint32_t Block : {0, 0, 1})
    for (uint64_t Line = 0; Line < Count; ++Line)
      if (Seen.sample().has(Line)) {
        const uint64_t Weight = Seen.sample().weight();
        Again += static_cast<double>(
            Weight * static_cast<unsigned>(std::popcount(Seen.fetch(Line, 0b0011, Block).Any)));
      }
  return Again / static_cast<double>(4 * Count);
}

// The sample has at least 512 lines; the tolerance is three standard errors.
TEST(NotedLines, EstimatesCountsOfManyLines) {
  EXPECT_EQ(estimated(2000), 1);
  for (const uint64_t Count : {2500U, 10000U, 100000U, 1000000U})
    EXPECT_NEAR(estimated(Count), 1, 3 / std::sqrt(512)) << Count;
}

} // namespace
