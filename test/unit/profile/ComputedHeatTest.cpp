//===- ComputedHeatTest.cpp -----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ComputedHeat.h"
#include "FormWriter.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::profile;
using namespace gmprof::test;

namespace {

constexpr uint64_t Page = GMPROF_HEAT_PAGE_BYTES;

/// A kernel with a pointer p (variable 0) and a shared memory array s (variable 1).
class ComputedHeatTest : public testing::Test {
protected:
  Descriptor Desc;
  DescribedLaunch Launch;
  HeatContext Heat;

  ComputedHeatTest() {
    Desc.Variables.resize(2);
    Desc.Variables[0].Kind = GMPROF_VARIABLE_PARAMETER;
    Desc.Variables[1].Kind = GMPROF_VARIABLE_SHARED;
    Launch.Block = {32, 1, 1};
    object(0x10000, 1 << 20);
    Heat.FirstAddress = 1024;
    Heat.Addresses = {None, 1024 + 64};
    Heat.SharedWords.resize(64);
  }

  void object(uint64_t Address, uint64_t Bytes) {
    Launch.Ranges.clear();
    Launch.Ranges.push_back({7, Address, Bytes, {}});
    Launch.Pointers = {Address, 0};
  }

  HeatForm &access(FormPolynomial Address, GmprofAccessKind Kind = GMPROF_ACCESS_LOAD,
                   uint32_t Variable = 0, unsigned Bytes = 4) {
    ClosedForm Form;
    Form.Address = std::move(Address);
    HeatForm F;
    F.Site = static_cast<uint32_t>(Desc.Sites.size());
    F.Variable = Variable;
    F.Words = wordsOf(Form);
    F.Bytes = F.PieceBytes = Bytes;
    Desc.HeatForms.push_back(F);
    Site S;
    S.Kind = Kind;
    S.Source = {"k.cu", 10 + F.Site, 1};
    Desc.Sites.push_back(S);
    return Desc.HeatForms.back();
  }

  const std::vector<HeatRun> &runs() {
    compute();
    EXPECT_EQ(Heat.Maps.size(), 1u);
    static const std::vector<HeatRun> None;
    return Heat.Maps.empty() ? None : Heat.Maps[0].Runs;
  }
  void compute() {
    Heat.Sites.resize(Desc.Sites.size() + 1);
    Heat.SharedSites.resize(Heat.Sites.size());
    EXPECT_TRUE(addComputedHeat(Desc, Launch, Heat));
  }
};

using Numbers = std::vector<unsigned>;
Numbers numbers(const Temperatures &T) {
  Numbers N(T.Words.begin(), T.Words.end());
  N.push_back(T.Sector);
  return N;
}
const Numbers AllOnce = {1, 1, 1, 1, 1, 1, 1, 1, 1}, Nothing = {0, 0, 0, 0, 0, 0, 0, 0, 0};

} // namespace

TEST_F(ComputedHeatTest, TwoWarpsSideBySide) {
  access({{4, {TidX}}});
  Launch.Block = {64, 1, 1};
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(R[0].First, 0u);
  EXPECT_EQ(R[0].Sectors, 8u);
  EXPECT_EQ(numbers(R[0].All), AllOnce);
  EXPECT_EQ(numbers(R[0].Of[GMPROF_COUNTER_READS]), AllOnce);
  EXPECT_EQ(numbers(R[0].Of[GMPROF_COUNTER_WRITES]), Nothing);
  EXPECT_EQ(R[0].Accesses[GMPROF_COUNTER_READS], 64u);
  EXPECT_EQ(R[0].Places, 1u);
  EXPECT_FALSE(R[0].SeveralBlocks);
  EXPECT_EQ(Heat.Maps[0].Object, 7u);
  EXPECT_EQ(Heat.Maps[0].Address, 0x10000u);
  EXPECT_EQ(Heat.Sites[0].requests, 2u);
  EXPECT_EQ(Heat.Sites[0].lanes, 64u);
  EXPECT_EQ(Heat.Sites[0].transactions, 8u);
  EXPECT_EQ(Heat.Sites[1].requests, 0u);
}

TEST_F(ComputedHeatTest, OneWordForAllBlocks) {
  access({{20, {}}});
  Launch.Grid = {3, 1, 1};
  Launch.Noted = {0, UINT64_MAX, 1};
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(numbers(R[0].All), (Numbers{0, 0, 0, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(R[0].Accesses[GMPROF_COUNTER_READS], 96u);
  EXPECT_TRUE(R[0].SeveralBlocks);
  EXPECT_EQ(Heat.Sites[0].requests, 3u);
  EXPECT_EQ(Heat.Sites[0].bytes, 12u);
}

/// Blocks 1 and 3 of five write 128 bytes each.
TEST_F(ComputedHeatTest, EverySecondBlock) {
  access(scaled(globalIndex(), 4), GMPROF_ACCESS_STORE);
  Launch.Grid = {5, 1, 1};
  Launch.Noted = {1, 5, 2};
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(R[0].First, 4u);
  EXPECT_EQ(R[1].First, 12u);
  EXPECT_EQ(R[1].Sectors, 4u);
  EXPECT_EQ(R[1].Accesses[GMPROF_COUNTER_WRITES], 32u);
  EXPECT_FALSE(R[1].SeveralBlocks);
}

/// Warp 0 reads words 0 to 31, writes words 1 to 32, and adds to word 0.
TEST_F(ComputedHeatTest, KindsOfAccesses) {
  access({{4, {TidX}}});
  access({{4, {TidX}}, {4, {}}}, GMPROF_ACCESS_STORE);
  access({}, GMPROF_ACCESS_ATOMIC);
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 3u);
  EXPECT_EQ(numbers(R[0].All), AllOnce);
  EXPECT_EQ(numbers(R[0].Of[GMPROF_COUNTER_WRITES]), (Numbers{0, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(numbers(R[0].Of[GMPROF_COUNTER_ATOMICS]), (Numbers{1, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(R[0].Accesses, (std::array<uint64_t, 3>{8, 7, 32}));
  EXPECT_EQ(R[0].Places, 7u);
  EXPECT_EQ(R[1].Sectors, 3u);
  EXPECT_EQ(R[2].First, 4u);
  EXPECT_EQ(numbers(R[2].All), (Numbers{1, 0, 0, 0, 0, 0, 0, 0, 1}));
}

/// The object begins in the third sector of its page, and has 16 words.
TEST_F(ComputedHeatTest, AnObjectThatIsTooSmall) {
  object(0x10000 + 2 * 32, 64);
  access({{4, {TidX}}});
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(R[0].First, 0u);
  EXPECT_EQ(R[0].Sectors, 2u);
  EXPECT_EQ(R[0].Accesses[GMPROF_COUNTER_READS], 16u);
  EXPECT_EQ(Heat.Outside, 16u);
  // Requests count all sectors, inside the object or not.
  EXPECT_EQ(Heat.Sites[0].transactions, 4u);
}

TEST_F(ComputedHeatTest, NoObjectAtAll) {
  Launch.Ranges.clear();
  access({{4, {TidX}}});
  compute();
  EXPECT_TRUE(Heat.Maps.empty());
  EXPECT_EQ(Heat.Outside, 32u);
  EXPECT_EQ(Heat.Sites[0].requests, 1u);
}

/// An 8-byte access with 4-byte alignment makes two requests, each with the stride of the access.
TEST_F(ComputedHeatTest, AccessesInPieces) {
  HeatForm &F = access({{8, {TidX}}}, GMPROF_ACCESS_LOAD, 0, 8);
  F.PieceBytes = 4;
  F.Offset = 32;
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(R[0].First, 1u);
  EXPECT_EQ(R[0].Sectors, 8u);
  EXPECT_EQ(R[0].Accesses[GMPROF_COUNTER_READS], 64u);
  EXPECT_EQ(Heat.Sites[0].requests, 2u);
  EXPECT_EQ(Heat.Sites[0].transactions, 16u);
  EXPECT_EQ(Heat.Sites[0].ideal, 8u);
  EXPECT_EQ(Heat.Sites[0].strided, 2u);
  EXPECT_EQ(Heat.Sites[0].stride, 16u);
}

/// Lanes read rows of 32 bytes, 8 of them in each of four iterations, by instructions of 16 bytes.
TEST_F(ComputedHeatTest, InstructionsOfTwoIterations) {
  ClosedForm Form;
  Form.Address = {{32, {TidX}}, {8, {loop(0)}}};
  Form.Loops = 1;
  Form.Constraints = {{std::nullopt, {{3, {}}, {-1, {loop(0)}}}}};
  HeatForm &F = access({}, GMPROF_ACCESS_LOAD, 1, 8);
  F.Words = wordsOf(Form);
  F.ProgramLoops = 1;
  F.PieceBytes = 16;
  Heat.SharedWords.resize(16 + 32 * 8);
  compute();
  EXPECT_EQ(Heat.SharedSites[0].requests, 2u);
  EXPECT_EQ(Heat.SharedSites[0].lanes, 64u);
  EXPECT_EQ(Heat.SharedSites[0].bytes, 1024u);
  EXPECT_EQ(Heat.SharedSites[0].transactions, 16u); // wavefronts: half of the banks have all words
  EXPECT_EQ(Heat.SharedSites[0].ideal, 8u);
  for (unsigned Word = 0; Word < 32 * 8; ++Word)
    EXPECT_EQ(Heat.SharedWords[16 + Word][GMPROF_COUNTER_READS].Accesses, 1u) << Word;
}

/// The same backwards, from the last 8 bytes of each row on.
TEST_F(ComputedHeatTest, InstructionsOfTwoIterationsBackwards) {
  ClosedForm Form;
  Form.Address = {{24, {}}, {32, {TidX}}, {-8, {loop(0)}}};
  Form.Loops = 1;
  Form.Constraints = {{std::nullopt, {{3, {}}, {-1, {loop(0)}}}}};
  HeatForm &F = access({}, GMPROF_ACCESS_LOAD, 1, 8);
  F.Words = wordsOf(Form);
  F.ProgramLoops = 1;
  F.PieceBytes = 16;
  Heat.SharedWords.resize(16 + 32 * 8);
  compute();
  EXPECT_EQ(Heat.SharedSites[0].requests, 2u);
  EXPECT_EQ(Heat.SharedSites[0].transactions, 16u);
  for (unsigned Word = 0; Word < 32 * 8; ++Word)
    EXPECT_EQ(Heat.SharedWords[16 + Word][GMPROF_COUNTER_READS].Accesses, 1u) << Word;
}

/// Lanes 8 bytes apart would make an instruction of 16 bytes in different iterations.
TEST_F(ComputedHeatTest, InstructionsThatLanesMakeInDifferentIterations) {
  HeatForm &F = access({{8, {TidX}}}, GMPROF_ACCESS_LOAD, 1, 8);
  F.PieceBytes = 16;
  Heat.Sites.resize(2);
  Heat.SharedSites.resize(2);
  EXPECT_FALSE(addComputedHeat(Desc, Launch, Heat));
}

/// Byte accesses: four lanes share a word.
TEST_F(ComputedHeatTest, PartsOfWords) {
  access({{1, {TidX}}}, GMPROF_ACCESS_STORE, 0, 1);
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(R[0].Sectors, 1u);
  EXPECT_EQ(numbers(R[0].All), AllOnce);
  EXPECT_EQ(R[0].Accesses[GMPROF_COUNTER_WRITES], 32u);
}

TEST_F(ComputedHeatTest, ALaunchThatRanThreeTimes) {
  access({{4, {TidX}}});
  Launch.Times = 3;
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 1u);
  EXPECT_EQ(R[0].Accesses[GMPROF_COUNTER_READS], 96u);
  EXPECT_EQ(Heat.Sites[0].requests, 3u);
}

/// Accesses one word of each page, in more pages than one part holds.
TEST_F(ComputedHeatTest, ManyPages) {
  constexpr uint32_t Pages = (1 << 14) + 3;
  object(0x10000, Pages * Page);
  access({{int64_t(Page), {CtaidX}}});
  Launch.Grid = {Pages, 1, 1};
  Launch.Block = {1, 1, 1};
  Launch.Noted = {0, UINT64_MAX, 1};
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), Pages);
  EXPECT_EQ(R.back().First, (Pages - 1) * Page / GMPROF_HEAT_SECTOR_BYTES);
  EXPECT_EQ(R.back().Accesses[GMPROF_COUNTER_READS], 1u);
  EXPECT_EQ(Heat.Sites[0].requests, Pages);
}

/// The clone recorded that warps 0 and 1 read word 0, and that block 5 wrote word 1.
TEST_F(ComputedHeatTest, IsMergedWithRecords) {
  NotedPages &Noted = Launch.Ranges[0].Noted;
  Noted.Contents.resize(2);
  Noted.Contents[0].warps[0] = 3;
  Noted.Contents[0].accesses[0] = 10;
  Noted.Contents[0].places[0] = 1 << 5;
  Noted.Contents[0].blocks[0] = 1;
  Noted.Contents[1].warps[1] = 4;
  Noted.Contents[1].accesses[1] = 1;
  Noted.Contents[1].blocks[0] = 77;
  Noted.Pages = {{0, GMPROF_COUNTER_READS, 0, &Noted.Contents[0]},
                 {0, GMPROF_COUNTER_WRITES, 6, &Noted.Contents[1]}};
  access({{4, {TidX}}});
  const std::vector<HeatRun> &R = runs();
  ASSERT_EQ(R.size(), 2u);
  EXPECT_EQ(numbers(R[0].All), (Numbers{2, 2, 1, 1, 1, 1, 1, 1, 3}));
  EXPECT_EQ(numbers(R[0].Of[GMPROF_COUNTER_READS]), (Numbers{2, 1, 1, 1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(R[0].Accesses, (std::array<uint64_t, 3>{18, 1, 0}));
  EXPECT_EQ(R[0].Places, 1u | 1u << 5);
  EXPECT_TRUE(R[0].SeveralBlocks);
  EXPECT_FALSE(R[1].SeveralBlocks);
}

/// s[tid.x] with two rows of threads: warps 0 and 1 of each block access each word.
TEST_F(ComputedHeatTest, WordsOfSharedMemoryOfSeveralWarps) {
  access({{4, {TidX}}}, GMPROF_ACCESS_STORE, 1);
  Launch.Block = {32, 2, 1};
  Launch.Grid = {2, 1, 1};
  Launch.Noted = {0, 2, 1};
  compute();
  const SharedWordHeat &Word = Heat.SharedWords[16 + 31][GMPROF_COUNTER_WRITES];
  EXPECT_EQ(Word.Warps, 3u);
  EXPECT_EQ(Word.Accesses, 2u); // in the first block only
  EXPECT_EQ(Word.Thread, GMPROF_NONE);
  EXPECT_EQ(Heat.SharedWords[15][GMPROF_COUNTER_WRITES].Warps, 0u);
  EXPECT_EQ(Heat.SharedSites[0].requests, 4u);
  EXPECT_EQ(Heat.SharedSites[0].transactions, 4u); // wavefronts
  EXPECT_TRUE(Heat.Maps.empty());
}

/// s[2 * tid.x] with 40 threads: thread 37 is lane 5 of warp 1. The words of the last two threads
/// lie beyond the block's.
TEST_F(ComputedHeatTest, WordsOfSharedMemoryOfAThread) {
  Heat.SharedWords.resize(16 + 76);
  access({{8, {TidX}}}, GMPROF_ACCESS_LOAD, 1);
  Launch.Block = {40, 1, 1};
  compute();
  EXPECT_EQ(Heat.SharedWords[16 + 74][GMPROF_COUNTER_READS].Thread, 38u);
  EXPECT_EQ(Heat.SharedWords[16 + 74][GMPROF_COUNTER_READS].Warps, 2u);
  EXPECT_EQ(Heat.SharedWords[16 + 75][GMPROF_COUNTER_READS].Thread, 0u);
  EXPECT_EQ(Heat.Lost, 2u);                        // by threads 38 and 39
  EXPECT_EQ(Heat.SharedSites[0].transactions, 3u); // 2 wavefronts, and 1 for eight lanes
  EXPECT_EQ(Heat.SharedSites[0].ideal, 2u);
}

TEST_F(ComputedHeatTest, TooManyRequests) {
  access({{4, {TidX}}});
  Launch.Grid = {1 << 30, 2, 1};
  Launch.Noted = {0, UINT64_MAX, 1};
  Heat.Sites.resize(2);
  Heat.SharedSites.resize(2);
  EXPECT_FALSE(addComputedHeat(Desc, Launch, Heat));
}
