//===- BankConflictsTest.cpp - Findings about shared memory ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"
#include <fmt/format.h>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

TEST(HeatPatterns, BankConflictsAndTheirRemedy) {
  HandMadeHeat H(8, 2);
  const uint32_t Tile = H.array("tile", "float[32][32]", 4096);
  const uint32_t Column = H.site(Tile, Load, 9), Row = H.site(Tile, Store, 6);
  H.everyWarp(Row, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  H.everyWarp(Column, [](unsigned W, unsigned L) { return 4 * (32 * L + W); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"bank_conflict/load tile:9"});
  const Finding &F = Found[0];
  EXPECT_EQ(F.Origin, "gmprof");
  EXPECT_EQ(whole(F, "requests"), 8u);
  EXPECT_EQ(real(F, "wavefronts_per_request"), 32);
  EXPECT_EQ(real(F, "ideal_wavefronts_per_request"), 1);
  EXPECT_EQ(whole(F, "needless_wavefronts"), 2u * 8 * 31);
  EXPECT_EQ(whole(F, "stride_bytes"), 128u);
  EXPECT_NE(F.Suggestion.find("float tile[32][33]"), std::string::npos) << F.Suggestion;
}

// A warp covers two rows of 16 words. Data may decide here: nothing says that the accesses are
// rows.
TEST(HeatPatterns, RowsShorterThanAWarpKeepGeneralAdviceWithoutClosedForms) {
  HandMadeHeat H(8);
  const uint32_t Tile = H.array("tile", "float[16][16]", 1024);
  const uint32_t Column = H.site(Tile, Load, 9), Row = H.site(Tile, Store, 6);
  H.everyWarp(Row, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  H.everyWarp(Column, [](unsigned W, unsigned L) { return 4 * (16 * (L % 16) + 2 * W + L / 16); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"bank_conflict/load tile:9"});
  EXPECT_EQ(real(Found[0], "wavefronts_per_request"), 8);
  EXPECT_EQ(Found[0].Suggestion,
            "Let the lanes of a warp access words of different banks: consecutive words, an odd "
            "stride in words, or a swizzled index (column ^ row).");
}

// Counters of a byte each, a row for each lane: rows that are one byte longer would still put four
// lanes into one bank.
TEST(HeatPatterns, RowsOfBytesArePaddedByAWord) {
  const auto Remedy = [](unsigned ZeroedBytes) {
    HandMadeHeat H(1);
    const uint32_t Counters = H.array("cnt", "unsigned char[32][256]", 8192, 1);
    const uint32_t Zero = H.site(Counters, Store, 6, ZeroedBytes),
                   Count = H.site(Counters, Load, 9, 1);
    H.everyWarp(Zero, [&](unsigned, unsigned L) { return ZeroedBytes * L; });
    for (uint32_t Bin = 0; Bin < 32; ++Bin)
      H.everyWarp(Count, [&](unsigned, unsigned L) { return 256 * L + Bin; });
    const std::vector<Finding> Found = findingsOf(H);
    EXPECT_EQ(names(Found), Names{"bank_conflict/load cnt:9"});
    return Found.empty() ? "" : Found[0].Suggestion;
  };
  const std::string Pad = "Pad each row by 4 elements (unsigned char cnt[32][260]), so that the "
                          "words of a column lie in different banks.";
  EXPECT_EQ(Remedy(1), Pad);
  EXPECT_EQ(Remedy(4),
            Pad + " Accesses of several elements (k.cu:6) must use the new row length, too.");
  // A word would misalign them.
  EXPECT_EQ(Remedy(16), "Pad each row by 16 elements (unsigned char cnt[32][272]), so that rows "
                        "begin in different banks. These 16 bytes keep accesses of several "
                        "elements (k.cu:6) aligned, which must use the new row length, too.");
}

// No row to pad: advice of an odd stride in words would misalign vectors, and only them.
// Lanes copy adjacent float4 by one assignment, which clang compiles to two accesses of 8 bytes:
// each leaves half of the banks to the other. With rows of 64 bytes, the stride is the cause.
TEST(HeatPatterns, BankConflictsOfCopiesThatClangSplits) {
  for (const unsigned Stride : {16u, 64u}) {
    HandMadeHeat H(8);
    const uint32_t Tile = H.array("tile", "float4[1024]", 16384, 16);
    const uint32_t Fill = H.site(Tile, GMPROF_ACCESS_COPY_TO, 6, 16);
    H.desc().Sites[Fill].MachineWidth = true;
    for (unsigned At = 0; At < 16; At += 8)
      H.everyWarp(
          Fill, [&](unsigned W, unsigned L) { return Stride * (32 * W + L) % 16384 + At; }, 8);
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"bank_conflict/store tile:6"});
    const bool IsSplit = Stride == 16;
    EXPECT_EQ(real(Found[0], "wavefronts_per_request"), IsSplit ? 4 : 16);
    EXPECT_EQ(real(Found[0], "ideal_wavefronts_per_request"), 2);
    EXPECT_EQ(Found[0].Level, IsSplit ? Severity::Low : Severity::High);
    EXPECT_TRUE(Found[0].Message.ends_with(
        " clang splits this copy of 16 bytes into 2 accesses of 8 bytes; nvcc makes one."));
    EXPECT_EQ(Found[0].Suggestion.starts_with("Copy the members one by one"), IsSplit);
  }
}

TEST(HeatPatterns, StridesKeepVectorsAligned) {
  const auto Remedy = [](unsigned StoredBytes) {
    HandMadeHeat H(1);
    const uint32_t Tile = H.array("tile", "float[1024]", 4096, 4);
    const uint32_t Fill = H.site(Tile, Store, 6, StoredBytes), Read = H.site(Tile, Load, 9, 4);
    H.everyWarp(Fill, [&](unsigned, unsigned L) { return StoredBytes * L; });
    for (unsigned Step = 0; Step < 8; ++Step)
      H.everyWarp(Read, [&](unsigned, unsigned L) { return 64 * L + 4 * Step; });
    const std::vector<Finding> Found = findingsOf(H);
    EXPECT_EQ(names(Found), Names{"bank_conflict/load tile:9"});
    return Found.empty() ? "" : Found[0].Suggestion;
  };
  EXPECT_EQ(Remedy(4), "Let the lanes of a warp access words of different banks: consecutive "
                       "words, an odd stride in words, or a swizzled index (column ^ row).");
  EXPECT_EQ(Remedy(16),
            "Let the lanes of a warp access words of different banks: consecutive words, or a "
            "stride or swizzled index (column ^ row) in units of 16 bytes, so that accesses of "
            "several elements (k.cu:6) stay aligned.");
}

namespace {

/// The finding about a block of 8 warps that reads columns of an array with rows of 64 elements of
/// two bytes and padding.
std::vector<Finding> columnsOfShorts(unsigned Pitch) {
  HandMadeHeat H(8);
  const uint32_t Tile = H.array("tile", fmt::format("short[64][{}]", Pitch), 128u * Pitch, 2);
  const uint32_t Column = H.site(Tile, Load, 9, 2);
  H.everyWarp(Column, [&](unsigned W, unsigned L) { return 2 * (Pitch * L + W); });
  return findingsOf(H);
}

} // namespace

// One more element of two bytes moves every second row by a bank only: 65 * L / 2 of even and odd L
// meet in one bank. With two more, rows are 33 words apart.
TEST(HeatPatterns, RowsOfSmallElementsArePaddedByAWord) {
  const std::vector<Finding> Found = columnsOfShorts(64);
  ASSERT_EQ(names(Found), Names{"bank_conflict/load tile:9"});
  EXPECT_EQ(real(Found[0], "wavefronts_per_request"), 32);
  EXPECT_EQ(Found[0].Suggestion, "Pad each row by 2 elements (short tile[64][66]), so that the "
                                 "words of a column lie in different banks.");
  const std::vector<Finding> Narrow = columnsOfShorts(65);
  ASSERT_EQ(names(Narrow), Names{"bank_conflict/load tile:9"});
  EXPECT_EQ(real(Narrow[0], "wavefronts_per_request"), 2);
  EXPECT_EQ(names(columnsOfShorts(66)), Names{});
}

// Counts[Lane * 32] += 1: one statement, one cause. The array has no rows to pad.
TEST(HeatPatterns, BankConflictsOfAStatementAreOneFinding) {
  HandMadeHeat H(2);
  const uint32_t Counts = H.array("counts", "int[1024]", 4096);
  const uint32_t Read = H.site(Counts, Load, 9), Write = H.site(Counts, Store, 9),
                 OfOther = H.site(Counts, Load, 12);
  for (uint32_t Site : {Read, Write, OfOther})
    H.request(Site, Site == OfOther, [](unsigned L) { return 128 * L; });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found),
            (Names{"bank_conflict/load counts:12", "bank_conflict/load_and_store counts:9"}));
  const Finding &Both = Found[0].Source.Line == 9 ? Found[0] : Found[1];
  EXPECT_EQ(whole(Both, "needless_wavefronts"), 62u);
  EXPECT_EQ(Both.Message, "32 wavefronts/request (ideal 1): lanes of a warp load and store "
                          "different words of one bank of `counts`.");
  EXPECT_EQ(Both.Suggestion,
            "Insert one unused element after every 32 elements (element i moves to i + i / 32), so "
            "that words with a stride of 128 bytes lie in different banks.");
}

// Atomics to bins that data decides on: padding does not help.
TEST(HeatPatterns, BankConflictsOfAHistogramAreNoDefectOfItsLayout) {
  HandMadeHeat H(8);
  const uint32_t Bins = H.array("bins", "int[256]", 1024);
  const uint32_t Add = H.site(Bins, GMPROF_ACCESS_ATOMIC, 9);
  Random R;
  for (unsigned Step = 0; Step < 16; ++Step)
    H.everyWarp(Add, [&](unsigned, unsigned) { return 4 * R.below(256); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"bank_conflict/atomic bins:9"});
  EXPECT_EQ(Found[0].Level, Severity::Info);
  EXPECT_EQ(Found[0].Suggestion, "Data decides on the words, so that no padding avoids the "
                                 "conflicts; random words take about 3.5 wavefronts/request.");
}

// Lookups in a table: nothing says that they are regular, and they conflict as random words do.
TEST(HeatPatterns, BankConflictsOfLookupsAreLow) {
  HandMadeHeat H(8);
  const uint32_t Table = H.array("table", "int[256]", 1024);
  const uint32_t Look = H.site(Table, Load, 9);
  Random R;
  for (unsigned Step = 0; Step < 16; ++Step)
    H.everyWarp(Look, [&](unsigned, unsigned) { return 4 * R.below(256); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"bank_conflict/load table:9"});
  EXPECT_EQ(Found[0].Level, Severity::Low);
  EXPECT_TRUE(Found[0].Suggestion.ends_with(
      "If data decides on the words, keep them: random words take about 3.5 wavefronts/request."))
      << Found[0].Suggestion;
}

// Lane l updates a word of bank 0 in row 5 l modulo 32, as computed from its number: no stride, but
// no data either.
TEST(HeatPatterns, BankConflictsOfComputedAtomicsHaveARemedy) {
  for (const bool IsComputed : {false, true}) {
    HandMadeHeat H(8);
    const uint32_t Sums = H.array("sums", "int[1024]", 4096);
    const uint32_t Add = H.site(Sums, GMPROF_ACCESS_ATOMIC, 9);
    if (IsComputed)
      H.computed(Add);
    H.everyWarp(Add, [](unsigned, unsigned L) { return 128 * (5 * L % 32); });
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"bank_conflict/atomic sums:9"});
    EXPECT_EQ(real(Found[0], "wavefronts_per_request"), 32);
    EXPECT_EQ(Found[0].Level, IsComputed ? Severity::High : Severity::Info);
    EXPECT_EQ(Found[0].Suggestion.starts_with("Data decides on the words"), !IsComputed);
  }
}

// A thread resets a word and reads what atomics of the block left there: here only its own.
TEST(HeatPatterns, AtomicsAreForSeveralThreads) {
  for (bool Atomic : {false, true}) {
    HandMadeHeat H(1);
    const uint32_t Found = H.array("found", "int", 4);
    const uint32_t Reset = H.site(Found, Store, 5), Read = H.site(Found, Load, 7),
                   Update = H.site(Found, Atomic ? GMPROF_ACCESS_ATOMIC : Store, 6);
    for (uint32_t Site : {Reset, Update, Read})
      H.request(Site, 0, [](unsigned L) -> std::optional<uint64_t> {
        return L == 0 ? std::optional<uint64_t>(0) : std::nullopt;
      });
    const std::vector<Finding> All = findingsOf(H);
    EXPECT_EQ(std::ranges::any_of(All, [](const Finding &F) { return F.Kind == "thread_local"; }),
              !Atomic);
  }
}

TEST(HeatPatterns, BankConflictsOfBarriers) {
  HandMadeHeat H(8);
  const uint32_t Barriers = H.array("barriers", "uint64_t[32][16]", 4096);
  const uint32_t Arrive = H.site(Barriers, GMPROF_ACCESS_BARRIER, 7);
  H.everyWarp(Arrive, [](unsigned, unsigned L) { return 128 * L; });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"bank_conflict/atomic barriers:7"});
  EXPECT_TRUE(Found[0].Message.starts_with("32 wavefronts/request (ideal "));
  EXPECT_TRUE(Found[0].Message.ends_with(
      "): lanes of a warp update different words of one bank of `barriers`."));
}

TEST(HeatPatterns, SharedMemoryOfThreads) {
  // Y_shr[y] = 0; Y_shr[y] += …, each by one thread.
  HandMadeHeat H(8);
  const uint32_t Y = H.array("Y_shr", "float[256]", 1024);
  const uint32_t Init = H.site(Y, Store, 5), Read = H.site(Y, Load, 6), Write = H.site(Y, Store, 6);
  for (uint32_t Site : {Init, Read, Write})
    H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"shared_memory_abuse/thread_local Y_shr:8"});
  EXPECT_EQ(whole(Found[0], "words_of_one_thread"), 256u);
  EXPECT_EQ(real(Found[0], "words_per_thread"), 1);
  EXPECT_EQ(Found[0].BytesSaved, 1024u);
}

TEST(HeatPatterns, SharedMemoryOfWarps) {
  // One lane of each warp stores a word that all its lanes load.
  HandMadeHeat H(8);
  const uint32_t S = H.array("base", "int[8]", 32);
  const uint32_t Write = H.site(S, Store, 5), Read = H.site(S, Load, 6);
  H.everyWarp(Write, [](unsigned W, unsigned L) -> std::optional<uint64_t> {
    return L == 31 ? std::optional<uint64_t>(4 * W) : std::nullopt;
  });
  H.everyWarp(Read, [](unsigned W, unsigned) { return 4 * W; });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"shared_memory_abuse/warp_local base:8"});
  EXPECT_EQ(whole(Found[0], "words_of_one_warp"), 8u);
}

// S[t] - S[t - 1] crosses warps in one word of 32, and needs __syncthreads for it. Where the first
// lane of a warp leaves out its neighbour, __syncwarp suffices.
TEST(HeatPatterns, NeighboursOfOtherWarpsNeedABarrier) {
  for (bool Crosses : {false, true}) {
    HandMadeHeat H(8);
    const uint32_t S = H.array("s", "float[256]", 1024);
    const uint32_t Write = H.site(S, Store, 5), Read = H.site(S, Load, 6),
                   Neighbour = H.site(S, Load, 6);
    for (uint32_t Site : {Write, Read})
      H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
    H.everyWarp(Neighbour, [&](unsigned W, unsigned L) -> std::optional<uint64_t> {
      const unsigned T = 32 * W + L;
      return T == 0 || (L == 0 && !Crosses) ? std::nullopt : std::optional<uint64_t>(4 * (T - 1));
    });
    EXPECT_EQ(found(H), Crosses ? Names{} : Names{"shared_memory_abuse/warp_local s:8"});
  }
}

// One word that lane 0 reads of another thread: the array is no array of registers.
TEST(HeatPatterns, AWordOfAnotherThreadIsNoRegister) {
  for (bool Other : {false, true}) {
    HandMadeHeat H(8);
    const uint32_t S = H.array("s", "float[256]", 1024);
    const uint32_t Write = H.site(S, Store, 5), Read = H.site(S, Load, 6);
    H.everyWarp(Write, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
    H.everyWarp(Read, [&](unsigned W, unsigned L) {
      return 4 * (32 * W + (Other && W == 0 && L == 0 ? 1 : L));
    });
    const Names Found = found(H);
    EXPECT_EQ(std::ranges::count(Found, "shared_memory_abuse/thread_local s:8"), Other ? 0 : 1);
  }
}

// Data decides that warp 0 of a block uses the word; in another block it can be several warps.
TEST(HeatPatterns, SharedMemoryThatOneOfSeveralWarpsUses) {
  for (unsigned Warps : {1u, 8u}) {
    HandMadeHeat H(Warps);
    const uint32_t Found = H.array("found", "int", 4);
    for (GmprofAccessKind Kind : {Store, Load})
      H.request(H.site(Found, Kind, 5), 0, [](unsigned L) -> std::optional<uint64_t> {
        return L < 2 ? std::optional<uint64_t>(0) : std::nullopt;
      });
    EXPECT_EQ(found(H), Warps == 1 ? Names{"shared_memory_abuse/warp_local found:8"} : Names{});
  }
}

TEST(HeatPatterns, BlocksOfOneWarp) {
  // A broadcast word is reported in such blocks too; a transposed tile is not.
  for (bool Whole : {false, true}) {
    HandMadeHeat H(1);
    const uint32_t S = H.array("s", Whole ? "float[32][33]" : "float", Whole ? 32 * 33 * 4 : 4);
    const uint32_t Write = H.site(S, Store, 5), Read = H.site(S, Load, 6);
    for (unsigned I = 0; I < (Whole ? 32 : 1); ++I) {
      H.request(Write, 0, [&](unsigned L) -> std::optional<uint64_t> {
        return Whole || L == 0 ? std::optional<uint64_t>(4 * (33 * I + L)) : std::nullopt;
      });
      H.request(Read, 0, [&](unsigned L) { return Whole ? 4 * (33 * L + I) : 0; });
    }
    EXPECT_EQ(found(H), Whole ? Names{} : Names{"shared_memory_abuse/warp_local s:8"});
  }
}

TEST(HeatPatterns, NecessarySharedMemoryIsNoAbuse) {
  for (GmprofAccessKind Kind : {GMPROF_ACCESS_ASYNC_FROM, GMPROF_ACCESS_ASYNC_TO,
                                GMPROF_ACCESS_MATRIX, GMPROF_ACCESS_BARRIER, GMPROF_ACCESS_LOAD}) {
    HandMadeHeat H(8);
    const uint32_t S = H.array("s", "float[256]", 1024);
    const uint32_t Needs = H.site(S, Load, 5), Write = H.site(S, Store, 4);
    H.desc().Sites[Needs].Kind = Kind;
    for (uint32_t Site : {Write, Needs})
      H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
    EXPECT_EQ(found(H),
              Kind == GMPROF_ACCESS_LOAD ? Names{"shared_memory_abuse/thread_local s:8"} : Names{})
        << Kind;
  }
}

TEST(HeatPatterns, WordsThatAreOnlyWritten) {
  HandMadeHeat H(8);
  const uint32_t S = H.array("s", "float[256]", 1024);
  const uint32_t Write = H.site(S, Store, 5);
  H.everyWarp(Write, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  EXPECT_EQ(found(H), Names{});
}

// Each lane copies a float4, which clang compiles to four instructions of 4 bytes. One of 16 bytes
// has no conflicts if lanes copy adjacent elements, but eight lanes share each bank if each copies
// the first element of a row of 128 bytes.
TEST(HeatPatterns, LoadsOfCopiesThatClangSplits) {
  const auto FoundWith = [](unsigned Stride) {
    HandMadeHeat H(1);
    const uint32_t Tile = H.array("tile", "float4[256]", 4096, 16);
    const uint32_t Site = H.site(Tile, GMPROF_ACCESS_COPY_FROM, 9, 16);
    H.desc().Sites[Site].MachineWidth = true;
    for (unsigned At = 0; At < 16; At += 4)
      H.everyWarp(Site, [&](unsigned, unsigned L) { return Stride * L + At; }, 4);
    const std::vector<Finding> Found = findingsOf(H);
    EXPECT_EQ(names(Found), Names{"bank_conflict/load tile:9"});
    return Found.empty() ? Finding() : Found[0];
  };
  const std::string Split =
      " clang splits this copy of 16 bytes into 4 accesses of 4 bytes; nvcc makes one.";
  const Finding Adjacent = FoundWith(16), Apart = FoundWith(128);
  EXPECT_EQ(Adjacent.Message, "4 wavefronts/request (ideal 1): lanes of a warp load different "
                              "words of one bank of `tile`." +
                                  Split);
  EXPECT_EQ(Adjacent.Suggestion.substr(0, 31), "Copy the members one by one ins");
  EXPECT_EQ(Apart.Message, "32 wavefronts/request (ideal 1): lanes of a warp load different "
                           "words of one bank of `tile`." +
                               Split);
  EXPECT_EQ(Apart.Suggestion.find("Copy the members"), std::string::npos) << Apart.Suggestion;
}
