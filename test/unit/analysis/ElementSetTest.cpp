//===- ElementSetTest.cpp - The set of accessed elements ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementSet.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

std::vector<ElementRun> gaps(const ElementSet &S) {
  std::vector<ElementRun> Gaps;
  S.forEachGap([&](ElementRun R) { Gaps.push_back(R); });
  return Gaps;
}

using Runs = std::vector<ElementRun>;

} // namespace

TEST(ElementSet, EmptyIsOneGap) {
  ElementSet S(1000000);
  EXPECT_EQ(S.size(), 0u);
  EXPECT_EQ(gaps(S), (Runs{{0, 1000000}}));
}

TEST(ElementSet, RunsOverlap) {
  ElementSet S(100);
  S.add({10, 20});
  S.add({25, 10});
  S.add({10, 1});
  EXPECT_EQ(S.size(), 25u);
  EXPECT_EQ(gaps(S), (Runs{{0, 10}, {35, 65}}));
}

TEST(ElementSet, IgnoresElementsBeyondTheEnd) {
  ElementSet S(100);
  S.add({90, 20});
  S.add({200, 5});
  EXPECT_EQ(S.size(), 10u);
  S.add({0, 90});
  EXPECT_TRUE(S.full());
  EXPECT_EQ(gaps(S), Runs());
}

TEST(ElementSet, OthersAreAdded) {
  // Chunks that are in one set, in both, complete, partial, and completed by the union.
  constexpr uint64_t Chunk = 65536, Elements = 5 * Chunk + 10;
  const Runs One = {{5, 10}, {Chunk, Chunk}, {2 * Chunk, 100}, {4 * Chunk, Chunk / 2}};
  const Runs Two = {{10, 10}, {Chunk + 7, 1}, {2 * Chunk, Chunk}, {4 * Chunk + 100, Chunk - 90}};
  ElementSet A(Elements), B(Elements);
  for (ElementRun R : One)
    A.add(R);
  for (ElementRun R : Two)
    B.add(R);
  ElementSet All = A, Same = B;
  All.add(B);
  Same.add(A);
  for (const ElementSet *S : {&All, &Same}) {
    EXPECT_EQ(S->size(), 15 + 3 * Chunk + 10);
    EXPECT_EQ(gaps(*S), (Runs{{0, 5}, {20, Chunk - 20}, {3 * Chunk, Chunk}}));
  }
  EXPECT_EQ(B.size(), 10 + 1 + Chunk + Chunk - 90); // unchanged
  All.add({0, Chunk});
  ElementSet Rest(Elements);
  Rest.add({3 * Chunk, Chunk});
  All.add(Rest);
  EXPECT_TRUE(All.full());
}

TEST(ElementSet, GapsSpanChunks) {
  ElementSet S(300000);
  S.add({65535, 1});
  S.add({131072, 65536}); // a whole chunk
  S.add({299999, 1});
  EXPECT_EQ(S.size(), 65538u);
  EXPECT_EQ(gaps(S), (Runs{{0, 65535}, {65536, 65536}, {196608, 103391}}));
  S.add({65536, 65536});
  EXPECT_EQ(gaps(S), (Runs{{0, 65535}, {196608, 103391}}));
}

TEST(ElementSet, AgreesWithABitmap) {
  std::mt19937 Random; // NOLINT: the same in every run
  const uint64_t Elements = 200000;
  ElementSet S(Elements);
  std::vector<bool> Bits(Elements);
  for (int I = 0; I < 500; ++I) {
    const ElementRun R = {Random() % Elements, 1 + Random() % (I % 10 == 0 ? 5000 : 70)};
    S.add(R);
    for (uint64_t E = R.First; E < std::min(R.end(), Elements); ++E)
      Bits[E] = true;
  }
  Runs Expected;
  for (uint64_t E = 0; E < Elements; ++E)
    if (!Bits[E]) {
      if (Expected.empty() || Expected.back().end() != E)
        Expected.push_back({E, 0});
      ++Expected.back().Count;
    }
  EXPECT_EQ(gaps(S), Expected);
  EXPECT_EQ(S.size(), uint64_t(std::count(Bits.begin(), Bits.end(), true)));
}
