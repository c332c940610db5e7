//===- HeatTest.cpp - Heat maps in text and comma-separated values --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TemporaryFolder.h"
#include "TestHeat.h"
#include "WrittenText.h"
#include "report/formats/HeatCsv.h"
#include "report/text/HeatTerminal.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

std::string textOf(const profile::Profile &P, HeatOf Of = HeatOf::All, TextOptions Options = {},
                   const HeatChoice &Choice = {}) {
  Options.Width = 80;
  SourceText Source(0);
  auto Launches = heatViews(P, Choice);
  return Launches ? heatText(*Launches, Of, Source, Options) : Launches.error();
}

std::string csvOf(const profile::Profile &P, bool Expand, HeatOf Of = HeatOf::All) {
  return writtenText(
      [&](std::FILE *To) { return writeHeatCsv(*heatViews(P, {}), Of, Expand, To); });
}

/// Rows with these temperatures, each of one line.
std::vector<HeatRow> rows(const std::string &Temperatures) {
  std::vector<HeatRow> Rows;
  for (char C : Temperatures) {
    HeatRow R;
    R.First = Rows.size();
    R.Line = static_cast<uint8_t>(C - '0');
    R.Accesses = Rows.size(); // makes no difference
    Rows.push_back(R);
  }
  return Rows;
}

} // namespace

TEST(Heat, RunsGapsAndTheEndsOfAnObject) {
  TestHeat P;
  // It begins in the middle of its first sector, and ends with 3 of 4 words of its last.
  P.object("d_x", 0x1010, 92);
  P.map({run(0, 1, {0, 0, 0, 0, 1, 1, 1, 1}, 2, 4), run(3, 1, {2, 2, 1, 0, 0, 0, 0, 0}, 2, 1234)});
  EXPECT_EQ(textOf(P), "k(float*)  /s/k.cu:1\n"
                       "  launch 7: grid (4,2), block 64; block 3 of 8 sampled (2 warps)\n"
                       "  temperature: warps of a block that access it:  . none   1  2\n"
                       "  lines are of /s/k.cu\n"
                       "\n"
                       "  x (d_x)  92 bytes, cudaMalloc\n"
                       "    offset     sectors   all    0  1  2  3  4  5  6  7  accesses  lines\n"
                       "    0x00-0x0f       x1     2                1  1  1  1         4  5\n"
                       "    0x10-0x4f       x2     .    .  .  .  .  .  .  .  .\n"
                       "    0x50-0x5b       x1     2    2  2  1                    1,234  5\n");
}

TEST(Heat, OneKindOfAccessesHasItsOwnRunsAndLines) {
  TestHeat P;
  P.object("d_x", 0x1000, 96);
  P.map({run(0, 1, {1, 1, 1, 1, 1, 1, 1, 1}, 1, 8, 3), run(1, 2, {1, 1, 1, 1, 1, 1, 1, 1}, 1, 16)});
  // The first sector is written as well.
  P.Heat[0].Maps[0].Runs[0].Of[GMPROF_COUNTER_WRITES] = {{2, 0, 0, 0, 0, 0, 0, 0}, 2};
  P.Heat[0].Maps[0].Runs[0].Accesses[GMPROF_COUNTER_WRITES] = 2;
  auto Launches = *heatViews(P, {});
  const HeatView &View = Launches[0].Views[0];

  std::vector<HeatRow> Reads = heatRows(Launches[0], View, HeatOf::Reads);
  ASSERT_EQ(Reads.size(), 1u);
  EXPECT_EQ(Reads[0].Lines, 3u);
  EXPECT_EQ(Reads[0].Accesses, 24u);
  EXPECT_EQ(Reads[0].Places, 1u);
  std::vector<HeatRow> Writes = heatRows(Launches[0], View, HeatOf::Writes);
  ASSERT_EQ(Writes.size(), 2u);
  EXPECT_EQ(Writes[0].Line, 2);
  EXPECT_EQ(Writes[0].Accesses, 2u);
  EXPECT_EQ(Writes[0].Places, 2u);
  EXPECT_EQ(Writes[1].Line, 0);
  EXPECT_EQ(Writes[1].Lines, 2u);
  std::vector<HeatRow> All = heatRows(Launches[0], View, HeatOf::All);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Accesses, 10u);
  EXPECT_EQ(All[0].Places, 3u);
  EXPECT_NE(textOf(P, HeatOf::Atomics).find("\n    no such access\n"), std::string::npos);
}

TEST(Heat, SharedMemoryByBanks) {
  TestHeat P;
  P.array("tile", 1032, 136); // from bank 2 on: 30 words of a row, 4 of the next
  P.word(0, GMPROF_COUNTER_WRITES, 1, 1, 1);
  P.word(1, GMPROF_COUNTER_WRITES, 1, 1, 1);
  P.word(1, GMPROF_COUNTER_READS, 1, 1, 2); // by another thread of the same warp
  P.word(2, GMPROF_COUNTER_WRITES, 1, 1, 1);
  P.word(2, GMPROF_COUNTER_READS, 2, 10, 33);
  P.word(33, GMPROF_COUNTER_READS, 2, 5, 34);
  EXPECT_EQ(textOf(P),
            "k(float*)  /s/k.cu:1\n"
            "  launch 7: grid (4,2), block 64; block 3 of 8 sampled (2 warps)\n"
            "  temperature: warps of a block that access it:  . none   1  2\n"
            "  lines are of /s/k.cu\n"
            "\n"
            "  tile  136 bytes of shared memory, float[34], /s/k.cu:2\n"
            "    offset        rows   all   bank 0   8        16       24        accesses\n"
            "    0x00-0x77       x1     2     T12... ........ ........ ........        14\n"
            "    0x78-0x87       x1     1   ...T                                        5\n"
            "    T only one thread accesses the word; 1: only one warp does\n");
  const std::string Names = "7,\"k(float*)\",shared,\"tile\",";
  EXPECT_EQ(csvOf(P, false),
            "tag,word0,word1,word2,word3,word4,word5,word6,word7,sector,sectors,accesses,"
            "launch,kernel,space,object,sharers\n"
            "32,0,0,1,1,2,0,0,0,2,1,14," +
                Names + "--TWS---\n36,0,0,0,1,0,0,0,0,1,1,5," + Names + "---T----\n");
}

TEST(Heat, AnArrayEndsWhereSharedMemoryDoes) {
  TestHeat P;
  P.array("tile", 1024, 8);
  P.word(1, GMPROF_COUNTER_WRITES, 1, 1, 1);
  P.Kernels[0].Desc->Variables[1].Bytes = UINT64_MAX - 1023;
  auto Launches = *heatViews(P, {});
  ASSERT_EQ(Launches[0].Views.size(), 1u);
  EXPECT_EQ(Launches[0].Views[0].Bytes, 8u);
  P.Heat[0].Addresses[1] = 2048; // behind the array: the word belongs to none
  Launches = *heatViews(P, {});
  ASSERT_EQ(Launches[0].Views.size(), 1u);
  EXPECT_EQ(Launches[0].Views[0].Name, "(other shared memory)");
  EXPECT_EQ(Launches[0].Views[0].Address, 1028u);
  EXPECT_EQ(Launches[0].Views[0].Bytes, 4u);
}

TEST(Heat, NamesOfDynamicSharedMemoryAreOneArray) {
  TestHeat P;
  P.array("low", 1024, 64);
  P.array("high", 1024, 64);
  for (unsigned V : {1u, 2u}) {
    P.Kernels[0].Desc->Variables[V].Kind = GMPROF_VARIABLE_SHARED_DYNAMIC;
    P.Kernels[0].Desc->Variables[V].Bytes = 0;
  }
  P.Heat[0].DynamicAddress = 1040; // others use the beginning
  P.Heat[0].DynamicSharedBytes = 48;
  P.Heat[0].Addresses = {profile::None, 1040, 1040};
  P.word(4, GMPROF_COUNTER_ATOMICS, 3, 5, GMPROF_NONE);
  for (const char *Name : {"low", "high", "low, high"}) {
    auto Launches = *heatViews(P, {"", Name, 0});
    ASSERT_EQ(Launches[0].Views.size(), 1u);
    EXPECT_EQ(Launches[0].Views[0].Name, "low, high");
    EXPECT_EQ(Launches[0].Views[0].Address, 1040u);
    EXPECT_EQ(Launches[0].Views[0].Bytes, 48u);
    EXPECT_EQ(heatRows(Launches[0], Launches[0].Views[0], HeatOf::Atomics)[0].Words[4], 2);
  }
}

TEST(Heat, CsvHasALineForEachRunOrSector) {
  TestHeat P;
  P.object("a \"b\", c", 0x1000, 128);
  P.map({run(1, 3, {1, 2, 2, 2, 2, 2, 2, 2}, 2, 45)});
  const std::string Names = "7,\"k(float*)\",global,\"x (a \"\"b\"\", c)\",\n";
  EXPECT_EQ(csvOf(P, false),
            "tag,word0,word1,word2,word3,word4,word5,word6,word7,sector,sectors,accesses,"
            "launch,kernel,space,object,sharers\n"
            "129,1,2,2,2,2,2,2,2,2,3,45," +
                Names);
  EXPECT_EQ(csvOf(P, true), "tag,word0,word1,word2,word3,word4,word5,word6,word7,sector,"
                            "launch,kernel,space,object,sharers\n"
                            "129,1,2,2,2,2,2,2,2,2," +
                                Names + "130,1,2,2,2,2,2,2,2,2," + Names +
                                "131,1,2,2,2,2,2,2,2,2," + Names);
  EXPECT_EQ(heatSectors(*heatViews(P, {}), HeatOf::All), 3u);
  EXPECT_EQ(heatSectors(*heatViews(P, {}), HeatOf::Writes), 0u);
}

TEST(Heat, RepeatsAreFoundWhereTheySaveTwoRows) {
  auto Is = [](const HeatRepeat &R, size_t First, size_t Period, size_t Times) {
    return R.First == First && R.Period == Period && R.Times == Times;
  };
  EXPECT_TRUE(Is(repeatAt(rows("121212"), 0), 0, 2, 2));
  EXPECT_TRUE(Is(repeatAt(rows("12121"), 0), 0, 2, 1)); // the last one is not all of it
  EXPECT_TRUE(Is(repeatAt(rows("312121"), 1), 1, 2, 1));
  EXPECT_TRUE(Is(repeatAt(rows("112"), 0), 0, 1, 0)); // would save one row
  EXPECT_TRUE(Is(repeatAt(rows("1112"), 0), 0, 1, 2));
  EXPECT_TRUE(Is(repeatAt(rows("123"), 0), 0, 1, 0));
  EXPECT_TRUE(Is(repeatAt(rows("12312341231234"), 0), 0, 7, 1)); // not 123 once more
  // 8 rows for 3 lines, rather than 18 for 10.
  EXPECT_TRUE(Is(repeatAt(rows("121212123121212123"), 0), 0, 2, 3));
  // The whole sequence repeats in 10 lines. If its end is missing, repeating the four 12 behind the
  // 3, in 3 lines, is better.
  const std::vector<HeatRow> Nested = rows("312121212312121212312121212");
  EXPECT_TRUE(Is(repeatAt(Nested, 0), 0, 9, 2));
  EXPECT_TRUE(Is(repeatAt(rows("31212121231212121231212121"), 0), 0, 1, 0));
  std::vector<HeatRow> Longer = rows("1212");
  Longer[3].Lines = 2;
  EXPECT_TRUE(Is(repeatAt(Longer, 0), 0, 1, 0));
}

TEST(Heat, RepeatedRowsAreShownOnceAndLongMapsAreCut) {
  TestHeat P;
  P.object("d_x", 0x1000, 1024);
  std::vector<profile::HeatRun> Runs;
  for (uint64_t I = 0; I < 10; ++I)
    Runs.push_back(run(2 * I, 1, {1, 0, 0, 0, 0, 0, 0, 0}, 1, 1));
  for (uint64_t I = 20; I < 32; ++I)
    Runs.push_back(run(I, 1, {static_cast<uint8_t>(1 + I % 2), 1, 1, 1, 1, 1, 1, 2}, 2, I * 100,
                       1 + I / 30)); // the last two from another line
  P.map(Runs);
  TextOptions Options;
  Options.Top = 4;
  const std::string Text = textOf(P, HeatOf::All, Options);
  EXPECT_EQ(Text.substr(Text.find("    offset")),
            "    offset       sectors   all    0  1  2  3  4  5  6  7  accesses  lines\n"
            "    0x000-0x01f       x1     1    1  .  .  .  .  .  .  .         1  5\n"
            "    0x020-0x03f       x1     .    .  .  .  .  .  .  .  .\n"
            "      and the same 2 rows 9 times more, to 0x27f: 9 accesses\n"
            "    0x280-0x29f       x1     2    1  1  1  1  1  1  1  2     2,000  5\n"
            "    0x2a0-0x2bf       x1     2    2  1  1  1  1  1  1  2     2,100  5\n"
            "      and the same 2 rows 4 times more, to 0x3bf: 20,400 accesses\n"
            "    2 rows more, from 0x3c0 on: --top 0 shows all, --format html draws them\n");
}

TEST(Heat, ColoursAreOfTheRampAndNamesHaveNone) {
  TestHeat P;
  P.object("\x1b[31mx", 0x1000, 32);
  P.map({run(0, 1, {1, 2, 0, 0, 0, 0, 0, 0}, 2, 3)});
  TextOptions Options;
  Options.Color = Options.Utf8 = true;
  const std::string Text = textOf(P, HeatOf::All, Options);
  EXPECT_NE(Text.find("\x1b[1mx (?[31mx)\x1b[0m"), std::string::npos) << Text;
  EXPECT_NE(
      Text.find("\u00d71   \x1b[48;5;124;38;5;231m  2\x1b[0m  \x1b[48;5;230;38;5;16m  1\x1b[0m"
                "\x1b[48;5;124;38;5;231m  2\x1b[0m\x1b[2m  .\x1b[0m"),
      std::string::npos)
      << Text;
}

TEST(Heat, LinesThatHaveNoRoomAreCut) {
  TestHeat P;
  P.object("", 0x1000, 32);
  for (unsigned Line = 100; Line < 110; ++Line) {
    profile::Site S = P.Kernels[0].Desc->Sites[0];
    S.Source.Line = Line;
    P.Kernels[0].Desc->Sites.push_back(S);
  }
  P.map({run(0, 1, {1, 1, 1, 1, 1, 1, 1, 1}, 2, 12, 0xfff)});
  TextOptions Options;
  Options.Utf8 = true;
  const std::string Text = textOf(P, HeatOf::All, Options);
  EXPECT_EQ(Text.substr(Text.find("    0x00")),
            "    0x00-0x1f       \u00d71     2    1  1  1  1  1  1  1  1        12  5 6 100 ...\n");
}

TEST(Heat, SeveralBlocksAndMergedRunsAreMarked) {
  TestHeat P;
  P.object("", 0x1000, 64);
  P.Heat[0].Objects = {0, 0};
  P.map({run(0, 2, {1, 2, 0, 0, 0, 0, 0, 0}, 2, 3, uint64_t(1) << 63)});
  P.Heat[0].Maps[0].Runs[0].SeveralBlocks = P.Heat[0].Maps[0].Runs[0].Merged = true;
  P.Heat[0].Maps[0].Merged = 2;
  P.Heat[0].Blocks = 8;
  P.Heat[0].Threads = 512;
  P.Heat[0].Outside = 1;
  EXPECT_EQ(textOf(P),
            "k(float*)  /s/k.cu:1\n"
            "  launch 7: grid (4,2), block 64; all 8 blocks sampled (2 warps)\n"
            "  1 access to memory of no known object, not shown\n"
            "  temperature: warps of a block that access it:  . none   1  2\n"
            "\n"
            "  object 1  64 bytes, cudaMalloc\n"
            "    offset     sectors   all    0  1  2  3  4  5  6  7  accesses  lines\n"
            "    0x00-0x3f     x2*~     2    1  2  .  .  .  .  .  .         3  ?\n"
            "    * accessed by several of the blocks: warps of different blocks with the same\n"
            "      number are one\n"
            "    ~ stands for sectors that differ (2 sectors), with the highest of each\n"
            "      number\n"
            "    ? not known: code without a line, one of more than 63 lines, or functions of\n"
            "      more than 8 translation units\n");
}

TEST(Heat, LaunchesAreInTheirOrder) {
  TestHeat P; // the log may have it otherwise
  P.object("x", 0x1000, 32);
  P.map({run(0, 1, {1, 1, 1, 1, 1, 1, 1, 1}, 1, 8)});
  profile::Launch L;
  L.Mode = log::LaunchMode::Heat;
  for (uint64_t Id : {9, 4, 5}) {
    L.Id = Id;
    L.Context = Id == 5 ? 4 : Id; // context of launch 4
    P.Launches.push_back(L);
    if (Id == L.Context) {
      P.Heat.push_back(P.Heat[0]);
      P.Heat.back().Context = Id;
    }
  }
  auto Launches = *heatViews(P, {});
  ASSERT_EQ(Launches.size(), 3u);
  EXPECT_EQ(Launches[0].First.Id, 4u);
  EXPECT_EQ(Launches[0].Launches, 2u);
  EXPECT_EQ(Launches[1].First.Id, 7u);
  EXPECT_EQ(Launches[2].First.Id, 9u);
  EXPECT_NE(
      textOf(P).find("  launch 4 and 1 like it: grid 1, block 1; block 3 of 1 sampled (2 warps)\n"
                     "  2 launches of this kernel were sampled too: 7, 9 (--launch shows one)\n"),
      std::string::npos);
  Launches = *heatViews(P, {"", "", 5});
  ASSERT_EQ(Launches.size(), 1u);
  EXPECT_EQ(Launches[0].Context->Context, 4u);
}

TEST(Heat, AVariableIsWhereItIsDeclared) {
  TestHeat P;
  P.object("x", 0x1000, 32);
  P.Objects.change(0, [](profile::Object &O) { O.Made.Api = ""; });
  P.map({run(0, 1, {1, 1, 1, 1, 1, 1, 1, 1}, 1, 8)});
  P.Kernels[0].Desc->Variables[0].Kind = GMPROF_VARIABLE_GLOBAL;
  P.Kernels[0].Desc->Variables[0].Source = {"/s/k.cu", 3, 0};
  EXPECT_NE(textOf(P).find("\n  x  32 bytes, variable of the module at /s/k.cu:3\n"),
            std::string::npos);
}

TEST(Heat, FilterWithoutMatchIsAnError) {
  TestHeat P;
  P.object("d_x", 0x1000, 32);
  P.map({run(0, 1, {1, 1, 1, 1, 1, 1, 1, 1}, 1, 8)});
  auto Said = [&](const HeatChoice &Choice) { return textOf(P, HeatOf::All, {}, Choice); };
  EXPECT_EQ(Said({"", "y", 0}),
            "no object or array is called 'y' in these launches; there are: x (d_x)");
  EXPECT_EQ(Said({"z", "", 0}), "no sampled kernel matches 'z'; there are: k");
  EXPECT_EQ(Said({"", "", 8}), "launch 8 does not exist; the sampled ones are: 7");
  for (const char *Name : {"x", "d_x", "x (d_x)"})
    EXPECT_NE(Said({"^k", Name, 7}).find("x (d_x)  32 bytes"), std::string::npos);
  P.Heat.clear();
  EXPECT_EQ(Said({}), "the run has no heat maps: make them with gmprof run --profile heat");
  P.TheRun.Profiles = {"heat"};
  EXPECT_EQ(Said({}), "no launch was sampled: gmreport on the summary says why");
}

TEST(Heat, SourceLinesOfFilesThatAreOlderThanTheRun) {
  gmprof::test::TemporaryFolder Own;
  const std::string Path = Own.file("source.cu");
  std::ofstream(Path) << "first\n\t x[i] = 1; \r\n\n" << std::string(300, 'y') << "\n";
  SourceText Any(0);
  EXPECT_EQ(Any.line({Path, 1, 0}), "first");
  EXPECT_EQ(Any.line({Path, 2, 0}), "x[i] = 1;");
  EXPECT_EQ(Any.line({Path, 3, 0}), "");
  EXPECT_EQ(Any.line({Path, 4, 0}), std::string(SourceText::MaxLine, 'y'));
  EXPECT_EQ(Any.line({Path, 5, 0}), "");
  EXPECT_EQ(Any.line({Path, 0, 0}), "");
  EXPECT_EQ(Any.line({testing::TempDir(), 1, 0}), "");
  EXPECT_EQ(Any.line({"/dev/zero", 1, 0}), "");
  SourceText Before(1'000'000'000), After(uint64_t(4'000'000'000) * 1'000'000'000);
  EXPECT_EQ(Before.line({Path, 1, 0}), "");
  EXPECT_EQ(After.line({Path, 1, 0}), "first");
}
