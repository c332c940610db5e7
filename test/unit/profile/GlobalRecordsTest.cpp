//===- GlobalRecordsTest.cpp ----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// A kernel with variables x and y.
LogBytes logWithKernel() {
  LogBytes Log;
  Log.run();
  DescriptorWriter D("k");
  D.variable("x", "float *", 4, 0, 12, GMPROF_VARIABLE_PARAMETER);
  D.variable("y", "float *", 4, 0, 12, GMPROF_VARIABLE_PARAMETER);
  Log.kernel(1, "k", D.bytes());
  return Log;
}

LogBytes::Global someContext() {
  LogBytes::Global G;
  G.Context = 7;
  G.Grid = 4;
  G.BlockSample = 2;
  G.CounterBytes = 100;
  G.ObjectBytes = 400;
  G.Objects = {3, 0};
  G.Offsets = {16, 0};
  G.Values = {-1, 0, 5};
  return G;
}

log::GlobalCountsRecord someCounts() {
  log::GlobalCountsRecord R = {};
  R.object = 3;
  R.firstElement = 2;
  R.kernel = 1;
  R.counterKind = GMPROF_COUNTER_WRITES;
  R.elementShift = 3;
  R.threshold = 255;
  R.launches = 6;
  return R;
}

uint64_t damaged(const profile::Profile &P) {
  for (const profile::Gap &G : P.Gaps)
    if (G.What == "records" && G.Reason == "damaged")
      return G.Count;
  return 0;
}

} // namespace

TEST(GlobalRecords, ContextsAndTheirTotals) {
  LogBytes Log = logWithKernel();
  Log.globalContext(someContext());
  Log.launch(1, 1, 7, 4, 32, log::LaunchMode::Global);
  Log.launch(2, 1, 7, 4, 32, log::LaunchMode::GlobalAll);
  Log.globalTotals({7, 1, 2, 64, 5});
  Log.globalTotals({7, 1, 2, 64, 1});
  profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.GlobalContexts.size(), 1u);
  const profile::GlobalContext &C = P.GlobalContexts[0];
  EXPECT_EQ(C.Context, 7u);
  EXPECT_EQ(C.Grid[0], 4u);
  EXPECT_EQ(C.Block[0], 32u);
  EXPECT_EQ(C.BlockSample, 2u);
  EXPECT_TRUE(C.ClosedForms);
  EXPECT_EQ(C.CounterBytes, 100u);
  EXPECT_EQ(C.ObjectBytes, 400u);
  EXPECT_EQ(C.Objects, (std::vector<uint64_t>{3, 0}));
  EXPECT_EQ(C.Offsets, (std::vector<int64_t>{16, 0}));
  EXPECT_EQ(C.Values, (std::vector<int64_t>{-1, 0, 5}));
  EXPECT_EQ(C.LaunchesCounted, 2u);
  EXPECT_EQ(C.Blocks, 4u);
  EXPECT_EQ(C.Threads, 128u);
  EXPECT_EQ(C.Outside, 6u);
  ASSERT_EQ(P.Launches.size(), 2u);
  EXPECT_EQ(P.Launches[1].Mode, log::LaunchMode::GlobalAll);
}

TEST(GlobalRecords, CountsAreKeptCompressed) {
  LogBytes Log = logWithKernel();
  const std::vector<uint64_t> Sums(100000, 6);
  std::vector<uint32_t> Capped(100000);
  Capped[99999] = 2;
  Log.globalCounts(someCounts(), Sums);
  Log.globalCounts(someCounts(), Sums, Capped);
  EXPECT_LT(Log.Bytes.size(), 20000u);
  profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Global.size(), 2u);
  const profile::GlobalCounts &C = P.Global[1];
  EXPECT_EQ(C.Object, 3u);
  EXPECT_EQ(C.Kernel, 0u);
  EXPECT_EQ(C.Kind, GMPROF_COUNTER_WRITES);
  EXPECT_EQ(C.ElementShift, 3u);
  EXPECT_EQ(C.Threshold, 255u);
  EXPECT_EQ(C.FirstElement, 2u);
  EXPECT_EQ(C.Elements, 100000u);
  EXPECT_EQ(C.Launches, 6u);
  EXPECT_FALSE(P.Global[0].ThresholdReached);
  EXPECT_TRUE(C.ThresholdReached);
  ElementSums Read;
  ASSERT_TRUE(decompressCounts(P.Global[0].Compressed, 100000, false, Read));
  EXPECT_EQ(Read.Sums.values(), Sums);
  EXPECT_TRUE(Read.Capped.empty());
  ASSERT_TRUE(decompressCounts(C.Compressed, 100000, true, Read));
  EXPECT_EQ(Read.Sums.values(), Sums);
  EXPECT_EQ(Read.Capped, Capped);
}

TEST(GlobalRecords, SumsAreAsWideAsTheLargest) {
  for (uint64_t Largest :
       {uint64_t(0), uint64_t(255), uint64_t(256), uint64_t(65535), uint64_t(65536),
        (uint64_t(1) << 32) - 1, uint64_t(1) << 32, ~uint64_t(0)})
    for (const std::vector<uint32_t> &Capped : {std::vector<uint32_t>(), {0, 7, 0}}) {
      const std::vector<uint64_t> Sums = {1, Largest, 0};
      ElementSums Read;
      ASSERT_TRUE(decompressCounts(compressCounts(Sums, Capped), 3, !Capped.empty(), Read));
      EXPECT_EQ(Read.Sums.values(), Sums);
      EXPECT_EQ(Read.Capped, Capped);
    }
}

TEST(GlobalRecords, CompressedCountsThatAreDamaged) {
  const std::vector<uint64_t> Sums = {1, 2, 3, 1000000};
  const std::vector<std::byte> Good = compressCounts(Sums, {});
  EXPECT_TRUE(holdsCounts(Good, 4, false));
  EXPECT_FALSE(holdsCounts(Good, 5, false));
  EXPECT_FALSE(holdsCounts(Good, 4, true));
  EXPECT_FALSE(holdsCounts({}, 0, false));
  ElementSums Read;
  for (size_t N = 0; N < Good.size(); ++N)
    EXPECT_FALSE(decompressCounts(std::span(Good).first(N), 4, false, Read)) << N;
  for (size_t N = 0; N < Good.size(); ++N) {
    std::vector<std::byte> Bad = Good;
    Bad[N] ^= std::byte(0xff);
    (void)decompressCounts(Bad, 4, false, Read); // must not crash
  }
  EXPECT_TRUE(decompressCounts(compressCounts({}, {}), 0, false, Read));
  EXPECT_TRUE(decompressCounts(compressCounts({}, {}), 0, true, Read));
}

TEST(GlobalRecords, DamagedOnesAreLeftOut) {
  LogBytes Log = logWithKernel();
  LogBytes::Global G = someContext();
  G.Kernel = 2; // unknown kernel
  Log.globalContext(G);
  G = someContext();
  G.Objects = {3}; // one of two variables
  Log.globalContext(G);
  G = someContext();
  G.Grid = 0;
  Log.globalContext(G);
  G = someContext();
  Log.globalContext(G);
  Log.globalContext(G); // duplicate
  log::GlobalCountsRecord R = someCounts();
  R.counterKind = GMPROF_COUNTER_KINDS;
  Log.globalCounts(R, {1});
  R = someCounts();
  R.elementShift = 64;
  Log.globalCounts(R, {1});
  R = someCounts();
  R.firstElement = ~uint64_t(0);
  Log.globalCounts(R, {1});
  R = someCounts();
  Log.record(log::RecordKind::GlobalCounts, std::vector<std::byte>(sizeof(R)));
  Log.globalTotals({8, 1, 1, 1, 0}); // unknown context
  profile::Profile P = read(Log);
  EXPECT_EQ(P.GlobalContexts.size(), 1u);
  EXPECT_TRUE(P.Global.empty());
  EXPECT_EQ(damaged(P), 9u);
}
