//===- HeatCasesTest.cpp --------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormWriter.h"
#include "TestLog.h"
#include "profile/HeatPages.h"
#include "profile/ProfileBuilder.h"
#include <functional>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

/// A kernel that reads x[threadIdx.x], with a closed form, and also writes to x. Blocks before
/// FirstBlock return at once.
LogBytes logWithKernel(int64_t FirstBlock = 0) {
  LogBytes Log;
  Log.run();
  DescriptorWriter D("k");
  D.pointer("x", 4, 0, 0);
  D.globalSite(0, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
  D.globalSite(0, GMPROF_ACCESS_STORE, GMPROF_RULE_COUNTED, "", 21);
  ClosedForm F;
  F.Address = {{4, {TidX}}};
  if (FirstBlock != 0)
    F.Constraints = {{std::nullopt, {{1, {CtaidX}}, {-FirstBlock, {}}}}};
  D.heatForm(0, wordsOf(F));
  D.Header.paramCount = 1;
  D.Header.modes = GMPROF_MODE_OBJECTS | GMPROF_MODE_HEAT;
  Log.kernel(1, "k", D.bytes());
  return Log;
}

/// Launches of three blocks of 32 threads; the last block is recorded.
LogBytes::HeatCase someCase() {
  LogBytes::HeatCase C;
  C.Record.context = 5;
  C.Record.firstBlock = 2;
  C.Record.endBlock = 3;
  C.Record.blockStep = 1;
  C.Record.kernel = 1;
  C.Record.grid[0] = 3;
  C.Record.block[0] = 32;
  C.Record.grid[1] = C.Record.grid[2] = C.Record.block[1] = C.Record.block[2] = 1;
  C.Values = {0};
  C.Objects = {9};
  C.Pointers = {0x20000};
  C.Ranges = {{9, 0x20000, 4096}};
  return C;
}

/// Heat of another context, without the case's closed forms.
LogBytes::Heat someHeat() {
  LogBytes::Heat H;
  H.Record.context = 7;
  H.Record.firstBlock = 2;
  H.Record.endBlock = 3;
  H.Record.blockStep = 1;
  H.Record.blocks = 1;
  H.Record.threads = 32;
  H.Record.heatCase = 5;
  H.Record.kernel = 1;
  H.Sites = {{}, {1, 1, 4, 1, 1, 0, 0, 0}, {}};
  H.Objects = {9};
  H.Variables = {GMPROF_NONE};
  return H;
}

/// Recorded pages: warp 0 writes word 3.
struct SomePages {
  GmprofHeatPage Content = {};
  log::HeatPagesRecord Record = {7, 0x20000, 0, 0};
  std::vector<std::byte> Compressed;

  SomePages() {
    Content.warps[3] = 1;
    Content.accesses[3] = 1;
    Content.places[0] = 2;
    Content.blocks[0] = 3;
    const HeatPage Page = {40, GMPROF_COUNTER_WRITES, 0, &Content};
    Compressed = compressHeatPages({&Page, 1}, 40, Record);
  }
};

profile::Profile read(const LogBytes &Log) {
  auto Reader = EventLogReader::create(Log.Bytes, "test");
  EXPECT_TRUE(Reader);
  auto P = buildProfile(*Reader, "test");
  EXPECT_TRUE(P);
  return std::move(*P);
}

uint64_t gap(const profile::Profile &P, const std::string &What) {
  for (const profile::Gap &G : P.Gaps)
    if (G.What == What)
      return G.Count;
  return 0;
}

bool refused(const std::function<void(LogBytes::HeatCase &)> &Change) {
  LogBytes Log = logWithKernel();
  LogBytes::HeatCase C = someCase();
  Change(C);
  Log.heatCase(C);
  Log.launch(1, 1, 5, 3, 32, log::LaunchMode::Heat);
  const profile::Profile P = read(Log);
  return gap(P, "records") == 1 && P.Heat.empty();
}

} // namespace

TEST(HeatCases, LaunchesOfTheProgramsOwnKernel) {
  LogBytes Log = logWithKernel();
  LogBytes::HeatCase Second = someCase(), Never = someCase();
  Second.Record.context = 6;
  Never.Record.context = 8;
  Log.heatCase(someCase());
  Log.launch(1, 1, 5, 3, 32, log::LaunchMode::Heat);
  Log.heatCase(Second);
  Log.launch(2, 1, 6, 3, 32, log::LaunchMode::Heat);
  Log.heatCase(Never);
  const profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Heat.size(), 2u);
  EXPECT_EQ(P.Heat[0].Context, 5u);
  EXPECT_EQ(P.Heat[1].Context, 6u);
  for (const profile::HeatContext &C : P.Heat) {
    EXPECT_EQ(C.Kernel, 0u);
    EXPECT_EQ(C.FirstBlock, 2u);
    EXPECT_EQ(C.Blocks, 1u);
    EXPECT_EQ(C.Threads, 32u);
    EXPECT_EQ(C.Objects, (std::vector<uint64_t>{9}));
    ASSERT_EQ(C.Sites.size(), 3u);
    EXPECT_EQ(C.Sites[0].requests, 1u);
    EXPECT_EQ(C.Sites[0].transactions, 4u);
    EXPECT_EQ(C.Sites[1].requests, 0u);
    ASSERT_EQ(C.Maps.size(), 1u);
    EXPECT_EQ(C.Maps[0].Object, 9u);
    ASSERT_EQ(C.Maps[0].Runs.size(), 1u);
    EXPECT_EQ(C.Maps[0].Runs[0].Sectors, 4u);
  }
}

// Block 0 is outside of a stencil's interior; of 5 blocks, 2 is in the middle.
TEST(HeatCases, ABlockThatAccessesNothingIsReplacedByTheMiddle) {
  const auto Read = [](int64_t FirstWithAccess, uint64_t EndOfSelected) {
    LogBytes Log = logWithKernel(FirstWithAccess);
    LogBytes::HeatCase C = someCase();
    C.Record.firstBlock = 0;
    C.Record.endBlock = EndOfSelected;
    C.Record.grid[0] = 5;
    Log.heatCase(C);
    Log.launch(1, 1, 5, 5, 32, log::LaunchMode::Heat);
    const profile::Profile P = read(Log);
    const profile::HeatContext &H = P.Heat.at(0);
    return std::array<uint64_t, 3>{H.FirstBlock, H.EndBlock, H.Sites.at(0).requests};
  };
  EXPECT_EQ(Read(1, 1), (std::array<uint64_t, 3>{2, 3, 1}));
  EXPECT_EQ(Read(0, 1), (std::array<uint64_t, 3>{0, 1, 1})); // block 0 accesses memory
  EXPECT_EQ(Read(3, 1), (std::array<uint64_t, 3>{2, 3, 0})); // so does none of both
  EXPECT_EQ(Read(3, 2), (std::array<uint64_t, 3>{0, 2, 0})); // two blocks were asked for
}

TEST(HeatCases, AGraphsNodeRanThreeTimes) {
  LogBytes Log = logWithKernel();
  Log.heatCase(someCase());
  Log.launch(1, 1, 5, 3, 32, log::LaunchMode::Heat, 0, 0, /*Graph=*/true);
  Log.graph(1, {5});
  for (int I = 0; I < 3; ++I)
    Log.graphLaunch(1);
  const profile::Profile P = read(Log);
  ASSERT_EQ(P.Heat.size(), 1u);
  EXPECT_EQ(P.Heat[0].Blocks, 3u);
  EXPECT_EQ(P.Heat[0].Sites[0].requests, 3u);
  EXPECT_EQ(P.Heat[0].Maps[0].Runs[0].Accesses[GMPROF_COUNTER_READS], 96u);
}

TEST(HeatCases, AreMergedWithRecordsOfAClone) {
  LogBytes Log = logWithKernel();
  Log.heatCase(someCase());
  Log.launch(1, 1, 7, 3, 32, log::LaunchMode::Heat);
  Log.heat(someHeat());
  const SomePages Pages;
  Log.heatPages(Pages.Record, Pages.Compressed);
  const profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Heat.size(), 1u);
  const profile::HeatContext &C = P.Heat[0];
  EXPECT_EQ(C.Context, 7u);
  EXPECT_EQ(C.Sites[0].requests, 1u);
  EXPECT_EQ(C.Sites[1].requests, 1u);
  EXPECT_EQ(C.Blocks, 1u);
  ASSERT_EQ(C.Maps.size(), 1u);
  ASSERT_EQ(C.Maps[0].Runs.size(), 2u);
  const profile::HeatRun &First = C.Maps[0].Runs[0];
  EXPECT_EQ(First.Of[GMPROF_COUNTER_WRITES].Words[3], 1u);
  EXPECT_EQ(First.All.Sector, 1u); // one warp
  EXPECT_EQ(First.Places, 3u);
  EXPECT_FALSE(First.SeveralBlocks); // both accesses are by block 2
}

// Closed forms: thread T reads x[T] and writes s[T]. The clone recorded that threads 0 and 4 write
// s[0] and s[1]. Two such launches.
TEST(HeatCases, EqualLaunchesAreMergedWithTheirRecords) {
  LogBytes Log;
  Log.run();
  DescriptorWriter D("k");
  D.pointer("x", 4, 0, 0);
  D.variable("s", "float[32]", 4, 128);
  D.globalSite(0, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
  D.site(1, GMPROF_ACCESS_STORE, 21);
  D.site(1, GMPROF_ACCESS_STORE, 22);
  ClosedForm F;
  F.Address = {{4, {TidX}}};
  D.heatForm(0, wordsOf(F));
  D.heatForm(1, wordsOf(F));
  D.Header.paramCount = 1;
  D.Header.modes = GMPROF_MODE_OBJECTS | GMPROF_MODE_HEAT | GMPROF_MODE_HEAT_CLONE;
  Log.kernel(1, "k", D.bytes());
  LogBytes::Heat H = someHeat();
  H.Sites.resize(4);
  H.SharedSites = {{}, {}, {1, 2, 8, 1, 1, 0, 0, 0}, {}};
  H.Words.resize(size_t(32) * GMPROF_COUNTER_KINDS);
  H.Words[GMPROF_COUNTER_WRITES] = {1, 1, 1, 0};
  H.Words[GMPROF_COUNTER_KINDS + GMPROF_COUNTER_WRITES] = {1, 1, 5, 0};
  H.Objects = {9, 0};
  H.Variables = {GMPROF_NONE, 0};
  LogBytes::HeatCase C = someCase();
  C.Objects = {9, 0};
  C.Pointers = {0x20000, 0};
  for (int I = 0; I < 2; ++I) {
    C.Record.context = H.Record.heatCase = 5 + I;
    H.Record.context = 7 + I;
    Log.heatCase(C);
    Log.launch(1 + I, 1, 7 + I, 3, 32, log::LaunchMode::Heat);
    Log.heat(H);
  }
  const profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Heat.size(), 2u);
  for (const profile::HeatContext &Of : P.Heat) {
    EXPECT_TRUE(Of.ClosedForms);
    EXPECT_EQ(Of.Sites[0].transactions, 4u);
    EXPECT_EQ(Of.SharedSites[1].requests, 1u);
    EXPECT_EQ(Of.SharedSites[2].lanes, 2u);
    ASSERT_EQ(Of.Maps.size(), 1u);
    EXPECT_EQ(Of.Maps[0].Runs.at(0).Sectors, 4u);
    const auto Word = [&](size_t W) { return Of.SharedWords.at(W)[GMPROF_COUNTER_WRITES]; };
    EXPECT_EQ(Word(0).Accesses, 2u);
    EXPECT_EQ(Word(0).Thread, 1u);
    EXPECT_EQ(Word(1).Accesses, 2u);
    EXPECT_EQ(Word(1).Thread, GMPROF_NONE);
    EXPECT_EQ(Word(2).Accesses, 1u);
    EXPECT_EQ(Word(2).Warps, 1u);
    EXPECT_EQ(Word(2).Thread, 3u);
  }
}

TEST(HeatCases, DamagedCases) {
  EXPECT_FALSE(refused([](LogBytes::HeatCase &) {}));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Record.kernel = 2; }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Record.blockStep = 0; }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Record.endBlock = 1; }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Record.grid[1] = 0; }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Record.block[1] = 64; }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Values.push_back(0); }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Pointers.push_back(0); }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Ranges[0].bytes = 0; }));
  EXPECT_TRUE(refused([](LogBytes::HeatCase &C) { C.Ranges.push_back({9, 0x20004, 4}); }));
}

TEST(HeatCases, DamagedPages) {
  const SomePages Good;
  const auto Damaged = [&](const std::function<void(SomePages &)> &Change, uint32_t Case = 5) {
    LogBytes Log = logWithKernel();
    Log.heatCase(someCase());
    LogBytes::Heat H = someHeat();
    H.Record.heatCase = Case;
    Log.heat(H);
    SomePages Pages;
    Change(Pages);
    Log.heatPages(Pages.Record, Pages.Compressed);
    return gap(read(Log), "records");
  };
  EXPECT_EQ(Damaged([](SomePages &) {}), 0u);
  EXPECT_EQ(Damaged([](SomePages &) {}, 0), 1u);
  EXPECT_EQ(Damaged([](SomePages &) {}, 6), 2u); // the context is damaged too
  EXPECT_EQ(Damaged([](SomePages &P) { P.Record.context = 8; }), 1u);
  EXPECT_EQ(Damaged([](SomePages &P) { P.Record.address = 0x21000; }), 1u);
  EXPECT_EQ(Damaged([](SomePages &P) { P.Record.pages = 2; }), 1u);
  EXPECT_EQ(Damaged([](SomePages &P) { P.Compressed.pop_back(); }), 1u);
}

/// More requests than MostHeatRequests.
TEST(HeatCases, UncomputableCaseIsAGap) {
  LogBytes Log = logWithKernel();
  LogBytes::HeatCase C = someCase();
  C.Record.grid[0] = C.Record.grid[1] = 1 << 16;
  C.Record.endBlock = UINT64_MAX;
  Log.heatCase(C);
  Log.launch(1, 1, 5, 3, 32, log::LaunchMode::Heat);
  const profile::Profile P = read(Log);
  EXPECT_TRUE(P.Heat.empty());
  EXPECT_EQ(gap(P, "heat maps"), 1u);
}
