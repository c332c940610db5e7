//===- ReuseCandidatesTest.cpp - Tests of ReuseCandidates.h ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ReuseCandidates.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace gmprof::analysis;

namespace {

using Candidate = ReuseCandidates::Candidate;
using Wanted = ReuseCandidates::Wanted;

std::optional<uint32_t> lastOf(const std::vector<Candidate> &Of, const Wanted &W) {
  std::optional<uint32_t> Last;
  for (const Candidate &C : Of)
    if (W.LeastBytes <= C.Bytes && C.Bytes <= W.MostBytes && C.LastCall < W.FirstCall &&
        C.Release > W.Allocation && (!Last || C.Position > *Last))
      Last = C.Position;
  return Last;
}

} // namespace

TEST(ReuseCandidatesTest, Empty) {
  ReuseCandidates None({});
  None.erase(0);
  EXPECT_EQ(None.last({0, UINT64_MAX, UINT32_MAX, 0}), std::nullopt);
}

TEST(ReuseCandidatesTest, EachBound) {
  const ReuseCandidates One({{7, 100, 20, 30}});
  EXPECT_EQ(One.last({100, 100, 21, 29}), 7u);
  EXPECT_EQ(One.last({101, 200, 21, 29}), std::nullopt);
  EXPECT_EQ(One.last({50, 99, 21, 29}), std::nullopt);
  EXPECT_EQ(One.last({100, 100, 20, 29}), std::nullopt); // last used by that very call
  EXPECT_EQ(One.last({100, 100, 21, 30}), std::nullopt); // released by that very call
}

TEST(ReuseCandidatesTest, LastRemainingCandidate) {
  ReuseCandidates Some({{3, 100, 1, UINT32_MAX}, {5, 110, 1, UINT32_MAX}, {9, 500, 1, UINT32_MAX}});
  const Wanted W = {100, 120, 2, 0};
  EXPECT_EQ(Some.last(W), 5u);
  Some.erase(5);
  Some.erase(5);
  Some.erase(4); // unknown position
  EXPECT_EQ(Some.last(W), 3u);
  Some.erase(3);
  EXPECT_EQ(Some.last(W), std::nullopt);
}

// Searches and removals agree with a linear search.
TEST(ReuseCandidatesTest, AgreesWithLookingAtAll) {
  std::mt19937 Random(1); // NOLINT: the same in every run
  auto Below = [&](uint32_t Limit) { return static_cast<uint32_t>(Random() % Limit); };
  std::vector<Candidate> All;
  for (uint32_t I = 0; I < 500; ++I)
    All.push_back({2 * I, Below(100), Below(1000), Below(4) ? Below(1000) : UINT32_MAX});
  std::shuffle(All.begin(), All.end(), Random);
  ReuseCandidates Tree(All);
  unsigned Found = 0;
  while (!All.empty()) {
    for (unsigned I = 0; I < 10; ++I) {
      const uint64_t Least = Below(100);
      const Wanted W = {Least, Least + Below(20), Below(1000), Below(1000)};
      const std::optional<uint32_t> Expected = lastOf(All, W);
      ASSERT_EQ(Tree.last(W), Expected);
      Found += Expected.has_value();
    }
    Tree.erase(All.back().Position);
    All.pop_back();
  }
  EXPECT_GT(Found, 1000u); // both answers occur
  EXPECT_LT(Found, 4900u);
}
