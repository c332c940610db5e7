//===- SharedCasesTest.cpp ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormWriter.h"
#include "TestLog.h"
#include "profile/ProfileBuilder.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

profile::Profile read(const LogBytes &Log) {
  auto Reader = EventLogReader::create(Log.Bytes, "test");
  EXPECT_TRUE(Reader);
  auto P = buildProfile(*Reader, "test");
  EXPECT_TRUE(P);
  return std::move(*P);
}

uint64_t damaged(const profile::Profile &P) {
  for (const profile::Gap &G : P.Gaps)
    if (G.What == "records" && G.Reason == "damaged")
      return G.Count;
  return 0;
}

void addForm(DescriptorWriter &D, gmprof_u32 Site, const ClosedForm &F) {
  const std::vector<int64_t> Words = wordsOf(F);
  D.form(Site, {Words.begin(), Words.end()});
}

/// Kernel k(int N) has the arrays tile, with 8 words, and last, with 1. Each thread t < N of each
/// block stores to tile[t], and thread 0 of block 0 to last.
LogBytes logWithKernel() {
  LogBytes Log;
  Log.run();
  DescriptorWriter D("k");
  D.Header.paramCount = 1;
  D.Header.modes = GMPROF_MODE_SHARED | GMPROF_MODE_SHARED_ALL;
  D.variable("tile", "int[8]", 4, 32);
  D.variable("last", "int", 4, 4);
  gmprof_u32 Tile = D.site(0, GMPROF_ACCESS_STORE, 20, GMPROF_RULE_CLOSED_FORM);
  gmprof_u32 Last = D.site(1, GMPROF_ACCESS_STORE, 21, GMPROF_RULE_CLOSED_FORM);
  ClosedForm Store;
  Store.Address = {{4, {TidX}}};
  Store.Constraints = {{{}, {{1, {parameter(0)}}, {-1, {TidX}}, {-1, {}}}}};
  addForm(D, Tile, Store);
  ClosedForm Once;
  Once.Constraints = {{{}, {{-1, {TidX}}}}, {{}, {{-1, {CtaidX}}}}};
  addForm(D, Last, Once);
  Log.kernel(1, "k", D.bytes());
  return Log;
}

/// k<<<16, 8>>>(3).
void addCase(LogBytes &Log, uint64_t Context, int64_t N = 3) {
  log::SharedCaseRecord R = {};
  R.context = Context;
  R.kernel = 1;
  R.grid[0] = 16;
  R.block[0] = 8;
  R.grid[1] = R.grid[2] = R.block[1] = R.block[2] = 1;
  R.valueCount = 1;
  Log.sharedCase(R, {N});
}

/// Returns the counts of tile, then of last.
std::vector<uint64_t> counts(const profile::SharedCounts &C) {
  auto Tile = C.Sums.begin() + (C.Addresses[0] - C.FirstAddress) / 4;
  std::vector<uint64_t> Counts(Tile, Tile + 8);
  Counts.push_back(C.Sums[(C.Addresses[1] - C.FirstAddress) / 4]);
  return Counts;
}

using Words = std::vector<uint64_t>;

} // namespace

TEST(SharedCases, LaunchesWithoutCloneHaveCounts) {
  LogBytes Log = logWithKernel();
  addCase(Log, 7);
  Log.launch(1, 1, 7, 16, 8);
  Log.launch(2, 1, 7, 16, 8);
  profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Shared.size(), 1u);
  const profile::SharedCounts &C = P.Shared[0];
  EXPECT_EQ(C.Context, 7u);
  EXPECT_EQ(C.Blocks, 32u);
  EXPECT_EQ(C.Threads, 256u);
  EXPECT_EQ(C.BlockSample, 1u);
  EXPECT_EQ(C.Lost, 0u);
  EXPECT_EQ(counts(C), (Words{32, 32, 32, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(P.Kernels[0].Desc->Forms.size(), 0u);
  EXPECT_EQ(P.Kernels[0].Desc->SharedForms.size(), 2u);
}

TEST(SharedCases, AddToCounts) {
  LogBytes Log = logWithKernel();
  addCase(Log, 7);
  Log.launch(1, 1, 8, 16, 8);
  Log.counts({.Context = 8,
              .Case = 7,
              .Blocks = 16,
              .Threads = 128,
              .FirstAddress = 1024,
              .Sums = {0, 0, 0, 0, 5, 0, 0, 9},
              .Addresses = {1040, 1024}});
  profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Shared.size(), 1u);
  EXPECT_EQ(P.Shared[0].Sums, (Words{1, 0, 0, 0, 5 + 16, 16, 16, 9}));
  EXPECT_EQ(P.Shared[0].Blocks, 16u);
}

TEST(SharedCases, InASampleOfBlocksTheyAreScaledDown) {
  LogBytes Log = logWithKernel();
  addCase(Log, 7);
  Log.launch(1, 1, 8, 16, 8);
  Log.counts({.Context = 8,
              .Case = 7,
              .Blocks = 4,
              .Threads = 32,
              .FirstAddress = 1024,
              .BlockSample = 4,
              .Sums = Words(16),
              .Addresses = {1040, 1024}});
  profile::Profile P = read(Log);
  ASSERT_EQ(P.Shared.size(), 1u);
  // A word that is accessed is not rounded to 0.
  EXPECT_EQ(counts(P.Shared[0]), (Words{4, 4, 4, 0, 0, 0, 0, 0, 1}));
}

TEST(SharedCases, ALayoutThatAnotherLaunchReportedIsUsed) {
  LogBytes Log = logWithKernel();
  addCase(Log, 7);
  Log.launch(1, 1, 8, 16, 8);
  Log.launch(2, 1, 7, 16, 8);
  Log.counts({.Context = 8,
              .Blocks = 16,
              .Threads = 128,
              .FirstAddress = 1024,
              .Sums = Words(16),
              .Addresses = {1040, 1024}});
  profile::Profile P = read(Log);
  ASSERT_EQ(P.Shared.size(), 2u);
  EXPECT_EQ(P.Shared[0].Sums, Words(16)); // it counted everything itself
  EXPECT_EQ(P.Shared[1].Addresses, (std::vector<uint32_t>{1040, 1024}));
  EXPECT_EQ(counts(P.Shared[1]), (Words{16, 16, 16, 0, 0, 0, 0, 0, 1}));
}

TEST(SharedCases, ReplaysOfAGraph) {
  LogBytes Log = logWithKernel();
  addCase(Log, 7);
  Log.launch(1, 1, 7, 16, 8, log::LaunchMode::Shared, 0, 0, /*Graph=*/true);
  Log.graph(1, {7});
  Log.graphLaunch(1);
  Log.graphLaunch(1);
  Log.graphLaunch(1);
  profile::Profile P = read(Log);
  ASSERT_EQ(P.Shared.size(), 1u);
  EXPECT_EQ(P.Shared[0].Blocks, 48u);
  EXPECT_EQ(counts(P.Shared[0]), (Words{48, 48, 48, 0, 0, 0, 0, 0, 3}));
}

TEST(SharedCases, AccessesBeyondTheCountedWordsAreLost) {
  LogBytes Log = logWithKernel();
  addCase(Log, 7);
  Log.launch(1, 1, 8, 16, 8);
  // Only the first two words of tile fit.
  Log.counts({.Context = 8,
              .Case = 7,
              .Blocks = 16,
              .Threads = 128,
              .FirstAddress = 1024,
              .Sums = Words(4),
              .Addresses = {1032, 1024}});
  profile::Profile P = read(Log);
  ASSERT_EQ(P.Shared.size(), 1u);
  EXPECT_EQ(P.Shared[0].Sums, (Words{1, 0, 16, 16}));
  EXPECT_EQ(P.Shared[0].Lost, 16u);
}

TEST(SharedCases, DamagedRecords) {
  LogBytes Log = logWithKernel();
  addCase(Log, 7);
  addCase(Log, 7);
  addCase(Log, 0);
  Log.counts({.Context = 8,
              .Case = 9,
              .Blocks = 16,
              .Threads = 128,
              .FirstAddress = 1024,
              .Sums = Words(16),
              .Addresses = {1040, 1024}});
  log::SharedCaseRecord R = {};
  R.context = 10;
  R.kernel = 1;
  R.valueCount = 1;
  Log.sharedCase(R, {1}); // no blocks
  R.grid[0] = R.grid[1] = R.grid[2] = R.block[0] = R.block[1] = R.block[2] = 1;
  R.valueCount = 2;
  Log.sharedCase(R, {1, 1}); // k has only one parameter
  R.kernel = 2;
  R.valueCount = 1;
  Log.sharedCase(R, {1});
  EXPECT_EQ(damaged(read(Log)), 6u);
}
