//===- ElementCoverageTest.cpp - Elements whose use is not known ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandMadeElements.h"

using namespace gmprof;
using namespace gmprof::test;

static constexpr auto Reads = GMPROF_COUNTER_READS;

TEST(ElementCoverage, LaunchesThatWereLeftOut) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, fromParameter());
  uint32_t X = H.allocate(400);
  H.launch(X, 10, 0);
  H.launch(X, 10, 10);
  H.P.Launches[1].Mode = log::LaunchMode::Plain;
  H.P.Launches[1].Context = 0;
  ElementUse U = H.onlyUse();
  EXPECT_EQ(U.Accessed, 10u);
  EXPECT_TRUE(U.Sampled);
  EXPECT_EQ(U.Unseen, "");
  EXPECT_EQ(U.Launches, 2u);
  EXPECT_EQ(U.LaunchesProfiled, 1u);
  // Accesses of a kernel without profiled launches are unknown.
  H.P.Kernels.push_back({});
  H.P.Launches[1].Kernel = 1;
  EXPECT_EQ(H.onlyUse().Unseen, "a kernel that may access it was not profiled");
}

TEST(ElementCoverage, BlocksThatWereLeftOut) {
  HandMadeElements H;
  uint32_t V = H.variable("x");
  H.site(V, GMPROF_ACCESS_LOAD, 8);
  uint32_t X = H.allocate(16);
  profile::GlobalContext &C = H.launch(X, 4, 0, false);
  C.BlockSample = 16;
  profile::GlobalCounts &Counts = H.counts(1, Reads, {1, 1, 0, 0});
  Counts.Context = C.Context;
  Counts.BlockSample = 16;
  ElementUse U = H.onlyUse();
  EXPECT_TRUE(U.Sampled);
  EXPECT_TRUE(U.Frequencies.empty());
}

TEST(ElementCoverage, ClosedFormsDoNotDependOnTheSampleOfBlocks) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, fromParameter());
  uint32_t X = H.allocate(400);
  H.launch(X, 10, 0).BlockSample = 16;
  ElementUse U = H.onlyUse();
  EXPECT_FALSE(U.Sampled);
  EXPECT_EQ(U.Frequencies.size(), 1u);
}

TEST(ElementCoverage, AccessesThatWereNotCounted) {
  HandMadeElements H;
  uint32_t V = H.variable("x");
  H.form(V, GMPROF_ACCESS_LOAD, 7, fromParameter());
  uint32_t X = H.allocate(400);
  H.launch(X, 10, 0);
  H.desc().Sites[H.site(V, GMPROF_ACCESS_LOAD, 9, GMPROF_RULE_SKIPPED)].GlobalReason = "no";
  EXPECT_EQ(H.onlyUse().Unseen, "no");
}

TEST(ElementCoverage, CountsThatWereLost) {
  HandMadeElements H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 8);
  uint32_t X = H.allocate(16);
  H.launches(2, 1, 4, {1}, {}, false).LaunchesCounted = 1;
  H.call(X);
  H.counts(1, Reads, {1, 1, 0, 0});
  EXPECT_EQ(H.onlyUse().Unseen, "counts of some launches are missing");
}

TEST(ElementCoverage, LaunchesInPassesAreASample) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, fromParameter());
  H.launch(H.allocate(400), 10, 0);
  H.P.Gaps.push_back({"objects of launches", "there was no device memory", 3});
  EXPECT_TRUE(H.onlyUse().Sampled);
}

// A launch of an unknown kernel may access all live objects.
TEST(ElementCoverage, UnknownKernels) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_STORE, 7, fromParameter());
  const uint32_t X = H.allocate(400), Y = H.allocate(400);
  H.launch(X, 10, 0);
  H.launch(Y, 10, 0);
  H.T.release(X);
  H.T.launch("unknown", {}, {});
  H.T.Apis.back().Inferred = true;
  H.T.release(Y);
  const std::vector<ElementUse> Uses = H.uses();
  ASSERT_EQ(Uses.size(), 2u);
  EXPECT_EQ(Uses[0].Unseen, "");
  EXPECT_EQ(Uses[0].Launches, 1u);
  EXPECT_EQ(Uses[1].Unseen, "a kernel that may access it was not profiled");
  EXPECT_EQ(Uses[1].Launches, 2u);
  EXPECT_EQ(Uses[1].LaunchesProfiled, 1u);
}

// The launch is known to access y, but neither counters nor closed forms cover it.
TEST(ElementCoverage, AccessesThroughTextures) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_STORE, 7, fromParameter());
  const uint32_t X = H.allocate(400), Y = H.allocate(400);
  H.launch(Y, 10, 0);
  H.launch(X, 10, 0);
  H.T.Apis.back().Accesses.push_back({Y, true, false, 0, 0});
  const std::vector<ElementUse> Uses = H.uses();
  ASSERT_EQ(Uses.size(), 2u);
  EXPECT_EQ(Uses[0].Unseen, "");
  EXPECT_EQ(Uses[1].Unseen,
            "a kernel accesses it in a way that is not counted, as through a texture");
}
