//===- StridedLanesTest.cpp - Lanes that are apart, and by chance ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

// Each particle has a map of 3,528 bytes, and the particles that move in a step have no pattern:
// lanes are apart, not iterations.
TEST(HeatPatterns, LanesOfAMapEachAreApart) {
  HandMadeHeat H(1);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  for (const uint32_t Active : {0x9248a561u, 0x6db75a9eu})
    H.request(Site, 0, [&](unsigned Lane) {
      return Active >> Lane & 1 ? std::optional<uint64_t>(3528 * Lane) : std::nullopt;
    });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"strided_access/across_threads x:20"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 3528u);
  EXPECT_EQ(whole(Found[0], "sparse_sectors"), 32u);
  EXPECT_EQ(real(Found[0], "words_used_per_sector"), 1);
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 32u * 28);
}

// Searches in a table by the only warp of a block: its words are no pieces of single threads.
TEST(HeatPatterns, LookupsInATableAreNoPieces) {
  for (const unsigned Steps : {1u, 64u}) {
    HandMadeHeat H(1);
    const uint32_t X = H.object("x");
    const uint32_t Site = H.site(X, Load, 20);
    Random R;
    for (unsigned Step = 0; Step < Steps; ++Step)
      H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * R.below(64); });
    for (const std::string &Name : found(H))
      EXPECT_FALSE(Name.starts_with("strided_access")) << Name;
  }
}

// A 16 x 16 block reads every other float of its rows, which are 4 KiB apart: a warp has two rows,
// and so no common stride. Data that selects the same words once is no pattern.
TEST(HeatPatterns, LanesOfTwoRowsAreStridedAcrossThreads) {
  const auto Rows = [](bool IsComputed) {
    HandMadeHeat H(8);
    const uint32_t Site = H.site(H.object("x"), Load, 20);
    if (IsComputed)
      H.computed(Site);
    H.everyWarp(Site, [](unsigned W, unsigned Lane) {
      return 4096 * (2 * W + Lane / 16) + 8 * (Lane % 16);
    });
    return findingsOf(H);
  };
  EXPECT_EQ(names(Rows(false)), Names{});
  const std::vector<Finding> Found = Rows(true);
  ASSERT_EQ(names(Found), Names{"strided_access/across_threads x:20"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 8u);
  EXPECT_EQ(real(Found[0], "words_used_per_sector"), 4);
  EXPECT_TRUE(
      Found[0].Message.starts_with("Consecutive lanes access `x` with a stride of 8 bytes."));
}

// A rarely taken branch: one lane of each of five warps, by chance 33 words apart.
TEST(HeatPatterns, SingleRequestsOfWarpsAreNoIterations) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  for (unsigned W = 0; W < 5; ++W)
    H.request(Site, W, [&](unsigned Lane) {
      return Lane == W ? std::optional<uint64_t>(4 * 33 * W) : std::nullopt;
    });
  EXPECT_EQ(found(H), Names{});
}

/// Requests whose lanes access words of this many sectors, without a common stride.
static HandMadeHeat requestsOfSectors(unsigned Sectors, bool IsComputed) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  if (IsComputed)
    H.computed(Site);
  H.everyWarp(Site, [&](unsigned W, unsigned Lane) {
    return (W << 16) + 4096 * (Lane % Sectors) + 4 * (Lane / Sectors);
  });
  return H;
}

// A block of few columns covers several rows in a warp: from 12 sectors on it is uncoalesced, if
// the rows are no choice of data, and below strided.
TEST(HeatPatterns, UncoalescedRowsHaveTwelveSectors) {
  const auto Found = [](unsigned Sectors, bool IsComputed) {
    HandMadeHeat H = requestsOfSectors(Sectors, IsComputed);
    return found(H);
  };
  EXPECT_EQ(Found(12, true), Names{"uncoalesced_access/load x:20"});
  EXPECT_EQ(Found(11, true), Names{"strided_access/across_threads x:20"});
  EXPECT_EQ(Found(11, false), Found(12, false));
}
