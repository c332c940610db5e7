//===- ElementRunsTest.cpp - Tests of accessed elements -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ElementRuns.h"
#include "profile/ElementCounts.h"
#include <gtest/gtest.h>

using namespace gmprof;

namespace {

std::vector<ElementRun> runs(const Progression &P, unsigned Bytes, ElementRun Window,
                             unsigned Shift = 2) {
  std::vector<ElementRun> Found;
  ElementRuns(P, Bytes, Shift).within(Window, [&](ElementRun R) { Found.push_back(R); });
  return Found;
}

using Runs = std::vector<ElementRun>;

} // namespace

TEST(ElementRuns, AccessesSideBySideAreOneRun) {
  EXPECT_EQ(runs({8, {{4, 10}}, 3}, 4, {0, 100}), (Runs{{2, 10}}));
  EXPECT_EQ(runs({8, {{4, 16}, {64, 10}}, 1}, 4, {0, 1000}), (Runs{{2, 160}}));
}

TEST(ElementRuns, OverlappingRunsAreMerged) {
  // a[i + j]
  EXPECT_EQ(runs({0, {{4, 10}, {4, 5}}, 1}, 4, {0, 100}), (Runs{{0, 14}}));
}

TEST(ElementRuns, BackwardsIsTheSame) {
  EXPECT_EQ(runs({36, {{-4, 10}}, 1}, 4, {0, 100}), (Runs{{0, 10}}));
}

TEST(ElementRuns, AColumnHasARunForEachRow) {
  const Progression Column = {4, {{40, 3}}, 1}; // of a matrix with 10 columns
  EXPECT_EQ(ElementRuns(Column, 4, 2).runs(), 3u);
  EXPECT_EQ(runs(Column, 4, {0, 100}), (Runs{{1, 1}, {11, 1}, {21, 1}}));
  EXPECT_EQ(ElementRuns(Column, 4, 2).hull({0, 100}), (ElementRun{1, 21}));
}

TEST(ElementRuns, OnlyElementsInTheWindow) {
  const Progression Blocks = {0, {{4, 5}, {80, 4}}, 1}; // 0-4, 20-24, 40-44, 60-64
  EXPECT_EQ(runs(Blocks, 4, {22, 20}), (Runs{{22, 3}, {40, 2}}));
  EXPECT_EQ(runs(Blocks, 4, {5, 15}), Runs());
  EXPECT_EQ(ElementRuns(Blocks, 4, 2).hull({22, 20}), (ElementRun{22, 20}));
  EXPECT_EQ(ElementRuns(Blocks, 4, 2).hull({100, 20}).Count, 0u);
  // Elements before the object are ignored.
  EXPECT_EQ(runs({-8, {{4, 5}}, 1}, 4, {0, 100}), (Runs{{0, 3}}));
}

TEST(ElementRuns, PartsOfElements) {
  // Bytes 3, 5, 7 … 13 lie in words 0 to 3.
  EXPECT_EQ(runs({3, {{2, 6}}, 1}, 1, {0, 100}), (Runs{{0, 4}}));
  // A 2-byte field in each 16-byte structure, in elements of 8 bytes.
  EXPECT_EQ(runs({10, {{16, 3}}, 1}, 2, {0, 100}, 3), (Runs{{1, 1}, {3, 1}, {5, 1}}));
}

// Both report the same elements as touched.
TEST(ElementRuns, AgreeWithElementCounts) {
  const Progression Each[] = {{12, {{4, 7}, {100, 5}}, 2},   {5, {{6, 9}}, 1},
                              {400, {{-12, 20}, {4, 2}}, 1}, {0, {{40, 8}, {44, 3}}, 1},
                              {17, {{32, 4}, {1, 3}}, 1},    {-30, {{28, 30}}, 1}};
  for (const Progression &P : Each)
    for (unsigned Bytes : {1, 4, 8})
      for (unsigned Shift : {0u, 2u, 4u}) {
        const uint64_t Elements = 512 >> Shift;
        ElementCounts Counts(0, Elements, Shift);
        Counts.add(P, Bytes);
        std::vector<bool> Expected, Touched(Elements);
        for (uint64_t N : Counts.finish())
          Expected.push_back(N != 0);
        Expected.resize(Elements);
        for (uint64_t First = 0; First < Elements; First += 8)
          for (ElementRun R : runs(P, Bytes, {First, 8}, Shift))
            for (uint64_t E = R.First; E < R.end(); ++E) {
              ASSERT_GE(E, First);
              ASSERT_LT(E, First + 8);
              Touched[E] = true;
            }
        EXPECT_EQ(Touched, Expected) << P.Base << ", " << Bytes << ", " << Shift;
      }
}
