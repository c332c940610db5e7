//===- HeatRecordsTest.cpp ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestLog.h"
#include "profile/HeatRuns.h"
#include "profile/ProfileBuilder.h"
#include <functional>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

constexpr uint8_t Row[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

/// A kernel with a global and a shared variable, and one site for each.
LogBytes logWithKernel() {
  LogBytes Log;
  Log.run();
  DescriptorWriter D("k");
  D.pointer("x", 4, 0, 0);
  D.variable("tile", "float[32]", 4, 128);
  D.globalSite(0, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
  D.site(1, GMPROF_ACCESS_STORE, 21);
  Log.kernel(1, "k", D.bytes());
  return Log;
}

LogBytes::Heat someHeat() {
  LogBytes::Heat H;
  H.Record.context = 7;
  H.Record.firstBlock = 2;
  H.Record.endBlock = 9;
  H.Record.blockStep = 3;
  H.Record.blocks = 3;
  H.Record.threads = 96;
  H.Record.outside = 5;
  H.Record.lost = 6;
  H.Record.otherBlocks = 7;
  H.Record.kernel = 1;
  H.Record.firstAddress = 1024;
  H.Record.dynamicAddress = 1152;
  H.Record.dynamicSharedBytes = 64;
  H.Sites = {{2, 64, 256, 10, 8, 2, 0, 0}, {1, 32, 128, 1, 1, 0, 0, 0}, {}};
  H.Words = {{}, {1, 3, 5, 0}, {}, {3, 2, GMPROF_NONE, 0}, {}, {}};
  H.Objects = {3, 0};
  H.Variables = {GMPROF_NONE, 1024};
  return H;
}

log::HeatRun someRun(uint64_t First, uint64_t Sectors) {
  log::HeatRun R = {};
  R.first = First;
  R.sectors = Sectors;
  std::copy(Row, Row + 9, R.temperatures[0]);
  std::copy(Row, Row + 9, R.temperatures[1]);
  R.accesses[0] = 8 * Sectors;
  R.places = 1;
  return R;
}

log::HeatRunsRecord someMap() { return {7, 3, 0x7010, 0, 0}; }

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

/// Returns true if a context is refused after Change.
bool refused(const std::function<void(LogBytes::Heat &)> &Change) {
  LogBytes Log = logWithKernel();
  LogBytes::Heat H = someHeat();
  Change(H);
  Log.heat(H);
  profile::Profile P = read(Log);
  return damaged(P) == 1 && P.Heat.empty();
}

/// Returns true if a map of these runs is refused.
bool refused(const std::vector<log::HeatRun> &Runs, const log::HeatRunsRecord &R = someMap()) {
  LogBytes Log = logWithKernel();
  Log.heat(someHeat());
  Log.heatRuns(R, Runs);
  profile::Profile P = read(Log);
  return damaged(P) == 1 && P.Heat.at(0).Maps.empty();
}

} // namespace

TEST(HeatRecords, AContext) {
  LogBytes Log = logWithKernel();
  Log.launch(1, 1, 7, 12, 32, log::LaunchMode::Heat);
  Log.heat(someHeat());
  profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  EXPECT_EQ(P.Launches[0].Mode, log::LaunchMode::Heat);
  ASSERT_EQ(P.Heat.size(), 1u);
  const profile::HeatContext &C = P.Heat[0];
  EXPECT_EQ(C.Context, 7u);
  EXPECT_EQ(C.Kernel, 0u);
  EXPECT_EQ(C.FirstBlock, 2u);
  EXPECT_EQ(C.EndBlock, 9u);
  EXPECT_EQ(C.BlockStep, 3u);
  EXPECT_EQ(C.Blocks, 3u);
  EXPECT_EQ(C.Threads, 96u);
  EXPECT_EQ(C.warpsPerBlock(), 1u);
  EXPECT_EQ(C.Outside, 5u);
  EXPECT_EQ(C.Lost, 6u);
  EXPECT_EQ(C.OtherBlocks, 7u);
  EXPECT_EQ(C.FirstAddress, 1024u);
  EXPECT_EQ(C.DynamicAddress, 1152u);
  EXPECT_EQ(C.DynamicSharedBytes, 64u);
  ASSERT_EQ(C.Sites.size(), 3u);
  EXPECT_EQ(C.Sites[0].transactions, 10u);
  EXPECT_EQ(C.Sites[0].misaligned, 2u);
  EXPECT_EQ(C.Sites[2].requests, 0u);
  EXPECT_EQ(C.Objects, (std::vector<uint64_t>{3, 0}));
  EXPECT_EQ(C.Addresses, (std::vector<uint32_t>{GMPROF_NONE, 1024}));
  ASSERT_EQ(C.SharedWords.size(), 2u);
  EXPECT_EQ(C.SharedWords[0][GMPROF_COUNTER_READS].Warps, 0u);
  EXPECT_EQ(C.SharedWords[0][GMPROF_COUNTER_WRITES].Warps, 1u);
  EXPECT_EQ(C.SharedWords[0][GMPROF_COUNTER_WRITES].Accesses, 3u);
  EXPECT_EQ(C.SharedWords[0][GMPROF_COUNTER_WRITES].Thread, 5u);
  EXPECT_EQ(C.SharedWords[1][GMPROF_COUNTER_READS].Thread, GMPROF_NONE);
  EXPECT_TRUE(C.Maps.empty());
}

TEST(HeatRecords, MapsOfObjects) {
  LogBytes Log = logWithKernel();
  Log.heat(someHeat());
  log::HeatRun Second = someRun(4, 100);
  Second.merged = Second.severalBlocks = 1;
  const uint8_t All[] = {2, 0, 0, 0, 0, 0, 0, 3, 5}, Writes[] = {2, 0, 0, 0, 0, 0, 0, 2, 4};
  std::copy(All, All + 9, Second.temperatures[0]);
  std::fill_n(Second.temperatures[1], 9, 0);
  std::copy(Writes, Writes + 9, Second.temperatures[2]);
  Second.accesses[0] = 0;
  Second.accesses[1] = 12;
  Second.places = 1ull << 63;
  log::HeatRunsRecord R = someMap();
  R.merged = 100;
  Log.heatRuns(R, {someRun(1, 3), Second});
  R.object = 4;
  R.merged = 0;
  Log.heatRuns(R, {});
  profile::Profile P = read(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.Heat.at(0).Maps.size(), 2u);
  const profile::HeatMap &M = P.Heat[0].Maps[0];
  EXPECT_EQ(M.Object, 3u);
  EXPECT_EQ(M.Address, 0x7010u);
  EXPECT_EQ(M.Merged, 100u);
  ASSERT_EQ(M.Runs.size(), 2u);
  EXPECT_EQ(M.Runs[0].First, 1u);
  EXPECT_EQ(M.Runs[0].end(), 4u);
  EXPECT_EQ(M.Runs[0].All, M.Runs[0].Of[GMPROF_COUNTER_READS]);
  EXPECT_EQ(M.Runs[0].Of[GMPROF_COUNTER_WRITES], profile::Temperatures());
  EXPECT_EQ(M.Runs[0].Accesses[GMPROF_COUNTER_READS], 24u);
  EXPECT_FALSE(M.Runs[0].Merged || M.Runs[0].SeveralBlocks);
  EXPECT_TRUE(M.Runs[1].Merged && M.Runs[1].SeveralBlocks);
  EXPECT_EQ(M.Runs[1].All.Words[7], 3u);
  EXPECT_EQ(M.Runs[1].All.Sector, 5u);
  EXPECT_EQ(M.Runs[1].Of[GMPROF_COUNTER_WRITES].Sector, 4u);
  EXPECT_EQ(M.Runs[1].Accesses[GMPROF_COUNTER_WRITES], 12u);
  EXPECT_EQ(M.Runs[1].Places, 1ull << 63);
  EXPECT_EQ(P.Heat[0].Maps[1].Object, 4u);
}

TEST(HeatRecords, DamagedContexts) {
  EXPECT_FALSE(refused([](LogBytes::Heat &) {}));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Record.context = 0; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Record.kernel = 2; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Record.blockStep = 0; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Record.firstBlock = 10; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Record.threads = 2; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Record.threads = 5000; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Sites.pop_back(); }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Variables.pop_back(); }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Words.pop_back(); }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Sites[0].lanes = 65; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Sites[0].ideal = 11; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Sites[0].misaligned = 3; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Sites[0].strided = 3; }));
  // Thread 4 belongs to warp 0; a word has warps if and only if it has threads.
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Words[1].warps = 2; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Words[1].thread = 1025; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Words[0].warps = 1; }));
  EXPECT_TRUE(refused([](LogBytes::Heat &H) { H.Words[0].thread = GMPROF_NONE; }));

  LogBytes Twice = logWithKernel();
  Twice.heat(someHeat());
  Twice.heat(someHeat());
  EXPECT_EQ(damaged(read(Twice)), 1u);
}

TEST(HeatRecords, DamagedRuns) {
  EXPECT_FALSE(refused({someRun(1, 3), someRun(4, 1)}));
  EXPECT_TRUE(refused({someRun(1, 3), someRun(3, 1)}));
  EXPECT_TRUE(refused({someRun(4, 1), someRun(1, 3)}));
  EXPECT_TRUE(refused({someRun(1, 0)}));
  EXPECT_TRUE(refused({someRun(1, ~0ull)}));
  EXPECT_TRUE(refused({someRun(~0ull, 1)}));
  log::HeatRun Run = someRun(0, 1);
  std::fill_n(Run.temperatures[0], 9, 33);
  EXPECT_TRUE(refused({Run}));
  Run = someRun(0, 1);
  std::fill_n(Run.temperatures[0], 9, 0);
  EXPECT_TRUE(refused({Run}));
  Run = someRun(0, 1);
  Run.temperatures[0][8] = 9; // eight words with one warp each
  EXPECT_TRUE(refused({Run}));
  Run = someRun(0, 1);
  Run.temperatures[0][0] = 2; // more than the sector's temperature
  EXPECT_TRUE(refused({Run}));
  Run = someRun(0, 1);
  Run.temperatures[1][0] = Run.temperatures[1][8] = 2; // more than by all accesses
  EXPECT_TRUE(refused({Run}));
  Run = someRun(0, 1);
  Run.merged = 1; // differs from the record's number
  EXPECT_TRUE(refused({Run}));
  Run.merged = 2;
  EXPECT_TRUE(refused({Run}));
  EXPECT_TRUE(refused({}, {8, 3, 0x7000, 0, 0}));
  EXPECT_TRUE(refused({}, {7, 0, 0x7000, 0, 0}));

  LogBytes Twice = logWithKernel();
  Twice.heat(someHeat());
  Twice.heatRuns(someMap(), {someRun(0, 1)});
  Twice.heatRuns(someMap(), {someRun(0, 1)});
  EXPECT_EQ(damaged(read(Twice)), 1u);
}

TEST(HeatRecords, DamagedCompression) {
  const std::vector<log::HeatRun> Runs = {someRun(0, 1), someRun(2, 1)};
  const std::vector<std::byte> Good = compressHeatRuns(Runs);
  const auto Refused = [&](const std::vector<std::byte> &Compressed, uint64_t Count) {
    LogBytes Log = logWithKernel();
    Log.heat(someHeat());
    log::HeatRunsRecord R = someMap();
    R.runs = Count;
    Log.compressedHeatRuns(R, Compressed);
    return damaged(read(Log)) == 1;
  };
  EXPECT_FALSE(Refused(Good, 2));
  EXPECT_TRUE(Refused(Good, 1));
  EXPECT_TRUE(Refused(Good, MaxHeatRuns + 1));
  std::vector<std::byte> Bad = Good;
  Bad.push_back(std::byte(0));
  EXPECT_TRUE(Refused(Bad, 2));
  EXPECT_TRUE(Refused({Good.begin(), Good.end() - 1}, 2));
  EXPECT_TRUE(Refused({}, 2));
}

TEST(HeatRecords, PlacesAreLinesInTheOrderOfTheSites) {
  profile::Descriptor Desc;
  const auto Add = [&](const char *File, unsigned Line) {
    Desc.Sites.emplace_back().Source = {File, Line, 0};
  };
  Add("a.cu", 10);
  Add("a.cu", 9);
  Add("a.cu", 10);
  Add("b.cu", 10);
  EXPECT_EQ(heatPlaces(Desc), (std::vector<uint32_t>{0, 1, 0, 2}));
  for (unsigned Line = 100; Line < 170; ++Line)
    Add("a.cu", Line);
  const std::vector<uint32_t> Places = heatPlaces(Desc);
  EXPECT_EQ(Places[4], 3u);
  EXPECT_EQ(Places[4 + 59], 62u);
  EXPECT_EQ(Places[4 + 60], 63u);
  EXPECT_EQ(Places.back(), 63u);
}

// They follow the kernel's own lines, one of which is also in a function.
TEST(HeatRecords, PlacesOfFunctionsThatAreNotInlined) {
  profile::Descriptor Desc;
  const auto Add = [&](unsigned Line, uint32_t FunctionSite) {
    Desc.Sites.emplace_back().Source = {"a.cu", Line, 0};
    Desc.Sites.back().FunctionSite = FunctionSite;
  };
  Add(10, 1);
  Add(9, 0);
  Add(10, profile::None);
  Add(20, profile::None);
  Add(11, GMPROF_SITE_UNKNOWN);
  EXPECT_EQ(heatPlaces(Desc), (std::vector<uint32_t>{0, 2, 0, 1, 63}));
}
