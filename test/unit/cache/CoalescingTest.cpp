//===- CoalescingTest.cpp - Tests of the sectors of a request -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Coalescing.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;

namespace {

Request strided(uint64_t Base, int64_t Stride, uint8_t Size, uint32_t Mask = AllLanes) {
  Request R;
  R.Size = Size;
  R.Mask = Mask;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    R.Addresses[Lane] = Base + Lane * static_cast<uint64_t>(Stride);
  return R;
}

struct Taken {
  unsigned Lines = 0, Sectors = 0, Bytes = 0;
  bool operator==(const Taken &) const = default;
};
std::ostream &operator<<(std::ostream &Out, const Taken &T) {
  return Out << T.Lines << " lines, " << T.Sectors << " sectors, " << T.Bytes << " bytes";
}

Taken taken(const Request &R, unsigned PassBytes = 0, LocalMemory Local = {64, 16}) {
  CoalescedLines Lines;
  coalesce(R, 0, Local, PassBytes, Lines);
  Taken T;
  for (const CoalescedLine &L : Lines) {
    ++T.Lines;
    T.Sectors += static_cast<unsigned>(std::popcount(L.Bytes.sectors()));
    T.Bytes += L.Bytes.count();
  }
  return T;
}

/// Checks a request with individual addresses and with base and stride.
void expectTaken(Request R, Taken Expected) {
  EXPECT_EQ(taken(R), Expected);
  findStride(R);
  EXPECT_TRUE(R.Affine);
  R.Addresses[1] = 0; // ignored
  EXPECT_EQ(taken(R), Expected);
}

TEST(Coalescing, NeighbouringWords) { expectTaken(strided(0x1000, 4, 4), {1, 4, 128}); }
TEST(Coalescing, Misaligned) { expectTaken(strided(0x1004, 4, 4), {2, 5, 128}); }
TEST(Coalescing, EverySecondWord) { expectTaken(strided(0x1000, 8, 4), {2, 8, 128}); }
TEST(Coalescing, OneWordForAll) { expectTaken(strided(0x1000, 0, 4), {1, 1, 4}); }
TEST(Coalescing, ALineEach) { expectTaken(strided(0x1000, 128, 4), {32, 32, 128}); }
TEST(Coalescing, Backwards) { expectTaken(strided(0x107c, -4, 4), {1, 4, 128}); }
TEST(Coalescing, SixteenBytesEach) { expectTaken(strided(0x1000, 16, 16), {4, 16, 512}); }
TEST(Coalescing, Bytes) { expectTaken(strided(0x1000, 1, 1), {1, 1, 32}); }
TEST(Coalescing, SomeLanes) { expectTaken(strided(0x1000, 4, 4, 0x80000001), {1, 2, 8}); }
TEST(Coalescing, AcrossLines) { expectTaken(strided(0x107c, 0, 8), {2, 2, 8}); }
TEST(Coalescing, NoLane) { EXPECT_EQ(taken(strided(0x1000, 4, 4, 0)), (Taken{0, 0, 0})); }

/// Checks rows of `Lanes` lanes, and the same request with an address for each lane.
void expectRows(Request R, unsigned Lanes, int64_t Step, unsigned PassBytes, Taken Expected) {
  findStride(R);
  R.RowLanes = static_cast<uint8_t>(Lanes);
  R.Step = Step;
  Request Each = R;
  Each.Affine = false;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    Each.Addresses[Lane] = R.address(Lane);
  EXPECT_EQ(taken(R, PassBytes), Expected);
  EXPECT_EQ(taken(Each, PassBytes), Expected);
}

// Blocks of 16 x 2 and 8 x 4 threads.
TEST(Coalescing, Rows) { expectRows(strided(0x1000, 4, 4), 16, 0x400, 0, {2, 4, 128}); }
TEST(Coalescing, RowsOfOneWord) { expectRows(strided(0x1000, 0, 4), 16, 0x400, 0, {2, 2, 8}); }
TEST(Coalescing, SameRows) { expectRows(strided(0x1000, 4, 4), 16, 0, 0, {1, 2, 64}); }
TEST(Coalescing, RowsOfColumns) { expectRows(strided(0x1000, 0x400, 4), 8, 4, 0, {8, 8, 128}); }
TEST(Coalescing, RowsBackwards) { expectRows(strided(0x101c, -4, 4), 8, 0x80, 0, {4, 4, 128}); }
TEST(Coalescing, SomeLanesOfRows) {
  // The first lane of the first row, and all but the last one of the others.
  expectRows(strided(0x1000, 4, 4, 0x7f7f7f01), 8, 0x80, 0, {4, 4, 4 + 3 * 28});
}
TEST(Coalescing, RowsWithSeveralPasses) {
  expectRows(strided(0x1000, 0, 16), 16, 0, 128, {4, 4, 64});
}
TEST(Coalescing, PassesWithSeveralRows) {
  expectRows(strided(0x1000, 0, 8), 4, 0, 128, {2, 2, 16});
}
TEST(Coalescing, PassesThatEndWithinRows) { // passes of 12, 12 and 8 lanes
  expectRows(strided(0x1000, 0, 8), 8, 0, 96, {3, 3, 24});
}

TEST(Coalescing, LanesThatRepeatAdvanceAndReturn) {
  Request R = strided(0x1000, 4, 4);
  R.Addresses[7] = 0x1000;  // repeated
  R.Addresses[8] = 0x101e;  // partly known bytes
  R.Addresses[9] = 0x0ffc;  // just before
  R.Addresses[10] = 0x1020; // continues at lane 8's end, less two bytes
  // Lanes 0 to 6, then the new bytes of lanes 8 and 10, then lane 9, then lanes 11 to 31.
  EXPECT_EQ(taken(R), (Taken{2, 5, 28 + 4 + 2 + 4 + 84}));
}

TEST(Coalescing, LinesAreInTheOrderOfTheLanes) {
  Request R = strided(0x1000, 128, 4, 0b111);
  R.Addresses[0] = 0x2000;
  R.Addresses[2] = 0x2004;
  CoalescedLines Lines;
  coalesce(R, 0, {}, 0, Lines);
  ASSERT_EQ(Lines.size(), 2U);
  EXPECT_EQ(Lines.begin()[0].Line, 0x2000U / 128);
  EXPECT_EQ(Lines.begin()[0].Bytes.count(), 8U);
  EXPECT_EQ(Lines.begin()[1].Line, 0x1080U / 128);
}

// Two groups of 16 lanes that both take the sector.
TEST(Coalescing, GroupsOfLanesShareNothing) {
  EXPECT_EQ(taken(strided(0x1000, 0, 8), 128), (Taken{2, 2, 16}));
  EXPECT_EQ(taken(strided(0x1000, 0, 4), 128), (Taken{1, 1, 4}));
  EXPECT_EQ(taken(strided(0x1000, 8, 8), 128), (Taken{2, 8, 256}));
}

/// Returns the L2 requests of a bulk copy.
Taken copied(uint64_t Address, unsigned Bytes, AccessKind Kind) {
  Request R = strided(Address, 16, 16, static_cast<uint32_t>((uint64_t(1) << Bytes / 16) - 1));
  R.Kind = Kind;
  R.Operator = CacheOperator::Bulk;
  return taken(R);
}

// Counts of L2 requests and sectors measured on an H100 (lts__t_requests_srcunit_tex and
// lts__t_sectors_srcunit_tex, test/bench/cache-model/bulk.cu).
TEST(Coalescing, BulkCopiesAskAsHardwareDoes) {
  struct {
    unsigned Bytes, Offset, Reads, Writes, Sectors;
  } const Measured[] = {{16, 0, 1, 1, 1},   {16, 16, 1, 1, 1},    {16, 96, 1, 1, 1},
                        {32, 0, 1, 1, 1},   {32, 16, 2, 1, 2},    {32, 96, 1, 1, 1},
                        {48, 0, 2, 1, 2},   {48, 16, 2, 1, 2},    {48, 96, 2, 2, 2},
                        {128, 0, 1, 1, 4},  {128, 16, 3, 2, 5},   {128, 96, 2, 2, 4},
                        {512, 0, 4, 4, 16}, {512, 16, 12, 8, 20}, {512, 96, 8, 8, 16}};
  for (const auto &M : Measured) {
    SCOPED_TRACE(std::to_string(M.Bytes) + " bytes at " + std::to_string(M.Offset));
    EXPECT_EQ(copied(0x1000 + M.Offset, M.Bytes, AccessKind::AsyncCopy),
              (Taken{M.Reads, M.Sectors, M.Bytes}));
    for (const AccessKind Kind : {AccessKind::Store, AccessKind::Reduction})
      EXPECT_EQ(copied(0x1000 + M.Offset, M.Bytes, Kind), (Taken{M.Writes, M.Sectors, M.Bytes}));
  }
}

TEST(Coalescing, FindStrideOfSomeLanes) {
  Request R = strided(0x1000, 12, 4, 0b10100100);
  for (unsigned Lane : {0U, 1U, 3U, 4U, 6U})
    R.Addresses[Lane] = 0xdead;
  findStride(R);
  ASSERT_TRUE(R.Affine);
  EXPECT_EQ(R.Stride, 12);
  EXPECT_EQ(R.address(2), 0x1000U + 24);
  Request Other = strided(0x1000, 12, 4);
  Other.Addresses[31] += 4;
  findStride(Other);
  EXPECT_FALSE(Other.Affine);
}

// Equation 1: (2 * 64 + 3) * 32 * 16 + (2 * 32 + 5) * 4 + 1.
TEST(LocalMemory, Equation1) {
  const LocalMemory Local = {64, 16};
  EXPECT_EQ(Local.address(2, 3, 5, 9) - LocalSpace, 67072U + 277);
}

TEST(LocalMemory, ThreadsThatAccessTheSameWordShareALine) {
  Request R = strided(8, 0, 4);
  R.Kind = AccessKind::LocalLoad;
  EXPECT_EQ(taken(R), (Taken{1, 4, 128}));
}

TEST(LocalMemory, WideAccessesAreSplitIntoWords) {
  Request R = strided(0, 0, 16);
  R.Kind = AccessKind::LocalStore;
  EXPECT_EQ(taken(R), (Taken{4, 16, 512}));
}

// Words 2 of slot 3 of SM 2 are in line 64 * 16 * 32 / 128 * 2 + 16 * 32 / 128 * 3 + 2.
TEST(LocalMemory, WordsOfActiveLanesAreTakenWithOrWithoutTheirAddresses) {
  Request R = strided(8, 0, 8);
  R.Kind = AccessKind::LocalLoad;
  R.Slot = 3;
  R.Mask = 0x80010006;
  for (const bool Affine : {false, true}) {
    if (Affine)
      findStride(R);
    EXPECT_EQ(R.Affine, Affine);
    CoalescedLines Lines;
    coalesce(R, 2, {64, 16}, 0, Lines);
    ASSERT_EQ(Lines.size(), 2U);
    for (unsigned Word = 0; Word < 2; ++Word) {
      const CoalescedLine &L = Lines.begin()[Word];
      EXPECT_EQ(L.Line - LocalSpace / LineBytes, 2 * 256U + 3 * 4 + 2 + Word);
      EXPECT_EQ(L.Bytes.Words, (std::array<uint64_t, 2>{0xff0, 0xf00000000000000f}));
    }
  }
}

TEST(LocalMemory, WarpsOfOtherSlotsAndSmsHaveTheirOwn) {
  const LocalMemory Local = {64, 16};
  EXPECT_EQ(Local.address(0, 1, 0, 0) - Local.address(0, 0, 0, 0), 512U);
  EXPECT_EQ(Local.address(1, 0, 0, 0) - Local.address(0, 0, 0, 0), 64 * 512U);
}

} // namespace
