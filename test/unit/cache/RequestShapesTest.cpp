//===- RequestShapesTest.cpp - Tests of the shapes of requests ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/RequestShapes.h"
#include "cache/LineHash.h"
#include <gtest/gtest.h>

namespace gmprof::cache {
namespace {

struct RequestShapesTest : testing::Test {
  RequestShapes Shapes;
  CoalescedLines Free;

  /// Returns a request in rows of `Lanes` lanes of 4 bytes.
  static Request rows(uint64_t Address, unsigned Lanes, int64_t Stride, int64_t Step) {
    Request R;
    R.Affine = true;
    R.Addresses[0] = Address;
    R.RowLanes = static_cast<uint8_t>(Lanes);
    R.Stride = Stride;
    R.Step = Step;
    return R;
  }
};

// Access of a 512 x 512 matrix product in blocks of 16 x 16: a warp has two rows of the block.
TEST_F(RequestShapesTest, TwoRowsOfABlock) {
  const Request R = rows(1000 * 128 + 64, 16, 4, 2048);
  const RequestShapes::Shape *S = Shapes.of(R, Free);
  ASSERT_NE(S, nullptr);
  ASSERT_EQ(S->Lines, 2);
  EXPECT_EQ(S->Sectors, 4);
  EXPECT_EQ(S->BytesUsed, 128);
  EXPECT_EQ(S->line(R, 0), 1000U);
  EXPECT_EQ(S->line(R, 1), 1016U);
  EXPECT_EQ(S->Bytes[0], ByteMask::of(64, 64));
  EXPECT_EQ(S->Bytes[1], ByteMask::of(64, 64));
}

TEST_F(RequestShapesTest, ShapeIsIndependentOfTheAddress) {
  const RequestShapes::Shape *First = Shapes.of(rows(1000 * 128 + 64, 16, 4, 2048), Free);
  const Request R = rows(7 * 128 + 64, 16, 4, 2048);
  EXPECT_EQ(Shapes.of(R, Free), First);
  EXPECT_EQ(First->line(R, 0), 7U);
  EXPECT_EQ(First->line(R, 1), 23U);
}

TEST_F(RequestShapesTest, DependsOnTheFirstByte) {
  const Request R = rows(1000 * 128 + 96, 16, 4, 2048);
  Shapes.of(rows(1000 * 128 + 64, 16, 4, 2048), Free);
  const RequestShapes::Shape *S = Shapes.of(R, Free);
  ASSERT_EQ(S->Lines, 4); // each row ends in the next line
  EXPECT_EQ(S->line(R, 1), 1001U);
  EXPECT_EQ(S->Bytes[1], ByteMask::of(0, 32));
}

TEST_F(RequestShapesTest, NotOfManyLines) {
  for (int Again = 0; Again < 2; ++Again) {
    EXPECT_NE(Shapes.of(rows(0, 8, 4, 128), Free), nullptr);
    EXPECT_EQ(Shapes.of(rows(0, 4, 4, 128), Free), nullptr);
    EXPECT_EQ(Free.size(), 0U);
  }
}

// Distances from 2^31 lines on are not stored.
TEST_F(RequestShapesTest, NotOfLinesFarAway) {
  constexpr int64_t Far = int64_t(1) << 38;
  EXPECT_EQ(Shapes.of(rows(0, 16, 4, Far), Free), nullptr);
  EXPECT_NE(Shapes.of(rows(0, 16, 4, Far - 128), Free), nullptr);
}

// Addresses in a damaged trace are arbitrary; remembered shapes must not change the result for
// them.
TEST_F(RequestShapesTest, SameAsCoalescing) {
  uint64_t Number = 0;
  const auto Below = [&](uint64_t Most) { return mixed(++Number) % Most; };
  const auto OneOf = [&](auto... Each) {
    const std::array<int64_t, sizeof...(Each)> All = {Each...};
    return All[Below(All.size())];
  };
  unsigned Known = 0;
  for (unsigned I = 0; I < 50000; ++I) {
    Request R =
        rows(static_cast<uint64_t>(OneOf(0, 64, 1 << 20, -256, 4096)) + Below(128),
             1U << OneOf(1, 2, 3, 4, 5), OneOf(0, 4, 8, -4, 16, 36), OneOf(0, 64, 512, -72));
    R.Size = static_cast<uint8_t>(1U << OneOf(0, 2, 3, 4));
    R.Mask = static_cast<uint32_t>(OneOf(-1, 1, 0xffff, 0x11, 0x80000001));
    CoalescedLines Expected;
    coalesce(R, 0, {}, 0, Expected);
    const RequestShapes::Shape *S = Shapes.of(R, Free);
    ASSERT_EQ(S != nullptr, Expected.size() <= RequestShapes::MostLines);
    if (!S)
      continue;
    ++Known;
    ASSERT_EQ(S->Lines, Expected.size());
    unsigned Sectors = 0, Bytes = 0;
    for (unsigned L = 0; L < S->Lines; ++L) {
      const CoalescedLine &Of = Expected.begin()[L];
      ASSERT_EQ(S->line(R, L), Of.Line);
      ASSERT_EQ(S->Bytes[L], Of.Bytes);
      Sectors += countSectors(Of.Bytes.sectors());
      Bytes += Of.Bytes.count();
    }
    ASSERT_EQ(S->Sectors, Sectors);
    ASSERT_EQ(S->BytesUsed, Bytes);
  }
  EXPECT_GT(Known, 10000U);
}

} // namespace
} // namespace gmprof::cache
