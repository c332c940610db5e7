//===- RequestCoderTest.cpp - Encoding of requests ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestRequests.h"
#include "cache/TraceReader.h"
#include "cache/TraceWriter.h"
#include <gtest/gtest.h>
#include <optional>

using namespace gmprof;
using namespace gmprof::cache;

namespace {

TEST(RequestCoder, EverythingComesBack) {
  const std::vector<Request> All = everything();
  CoderState Encoder, Decoder;
  GrowingArray<std::byte> Bytes;
  for (const Request &R : All)
    encode(R, Encoder, Bytes);
  std::span<const std::byte> Rest = Bytes;
  for (const Request &R : All) {
    Request Back;
    ASSERT_TRUE(decode(Rest, Decoder, 3, Back));
    expectSame(R, Back);
  }
  EXPECT_TRUE(Rest.empty());
}

/// Returns the encoded size of each iteration of two warps in a loop of two instructions, whose
/// addresses advance by 16 bytes per iteration and start over in the last one, as in an inner loop.
std::vector<size_t> bytesOfTurns(Request R) {
  CoderState State;
  GrowingArray<std::byte> Bytes;
  std::vector<size_t> Turns;
  for (const uint64_t Turn : {0, 1, 2, 3, 4, 0}) {
    const size_t Before = Bytes.size();
    for (R.Site = 0; R.Site < 2; ++R.Site)
      for (R.Slot = 0; R.Slot < 2; ++R.Slot) {
        R.Block = R.Slot;
        R.Addresses[0] = (R.Slot + 1) << 11 | Turn << 4;
        encode(R, State, Bytes);
      }
    Turns.push_back(Bytes.size() - Before);
  }
  return Turns;
}

// Each request has a head and a slot. The first iteration adds form, size, stride and two bytes of
// an address to each, block and warp to the second warp's first request, and the site to the second
// request of each warp. The second iteration and the last one add the new address difference.
TEST(RequestCoder, ALoopTakesTwoBytesForARequest) {
  Request R;
  R.Affine = true;
  R.Stride = 4;
  EXPECT_EQ(bytesOfTurns(R),
            (std::vector<size_t>{4 * (2 + 3 + 2) + 2 + 2, 4 * (2 + 1), 8, 8, 8, 4 * (2 + 1)}));
  // Rows add their lanes and two bytes for the step, in the first iteration only.
  R.RowLanes = 16;
  R.Step = 1024;
  EXPECT_EQ(bytesOfTurns(R),
            (std::vector<size_t>{4 * (2 + 3 + 3 + 2) + 2 + 2, 4 * (2 + 1), 8, 8, 8, 4 * (2 + 1)}));
}

/// Returns the encoding of a request whose lanes 3, 7 and 31 access these distances from 0x1000.
std::vector<std::byte> bytesOfLanes(const std::array<uint64_t, 3> &Distances) {
  Request R;
  R.Mask = 1U << 3 | 1U << 7 | 1U << 31;
  unsigned Lane = 0;
  for (const unsigned Active : {3, 7, 31})
    R.Addresses[Active] = 0x1000 + Distances[Lane++];
  CoderState Encoder, Decoder;
  GrowingArray<std::byte> Bytes;
  encode(R, Encoder, Bytes);
  std::span<const std::byte> Rest = Bytes;
  Request Back;
  EXPECT_TRUE(decode(Rest, Decoder, 1, Back));
  EXPECT_TRUE(Rest.empty());
  expectSame(R, Back);
  return {Bytes.begin(), Bytes.end()};
}

// A head, a slot, form and size, the mask, and two bytes for 2 * 0x1000; then the shape of the
// lanes, and per lane the bytes that the largest distance needs without common low zero bits.
TEST(RequestCoder, LanesTakeAsManyBytesAsTheFarthestOne) {
  const size_t Before = 2 + 2 + 4 + 2;
  const auto LanesOf = [&](const std::array<uint64_t, 3> &Distances) {
    const std::vector<std::byte> All = bytesOfLanes(Distances);
    std::vector<unsigned> Lanes;
    for (size_t I = Before; I < All.size(); ++I)
      Lanes.push_back(std::to_integer<unsigned>(All[I]));
    return Lanes;
  };
  using Numbers = std::vector<unsigned>;
  EXPECT_EQ(LanesOf({0, 0, 0}), (Numbers{1, 0, 0, 0}));
  EXPECT_EQ(LanesOf({0, 1, 255}), (Numbers{1, 0, 1, 255}));
  EXPECT_EQ(LanesOf({255 * 4, 0, 8}), (Numbers{1 | 2 << 4, 255, 0, 2}));
  EXPECT_EQ(LanesOf({0, 256 * 4, 4}), (Numbers{2 | 2 << 4, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(LanesOf({0x10000, 1, 0}), (Numbers{3, 0, 0, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(LanesOf({0, 0x1000000, 1}), (Numbers{4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}));
  const uint64_t Far = uint64_t(1) << 32;
  EXPECT_EQ(LanesOf({1, 0, Far}).size(), 1U + 3 * 8);
  EXPECT_EQ(LanesOf({0, 0, Far}), (Numbers{3 | 15 << 4, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
}

TEST(RequestCoder, RefusesLanesOfAWidthThatCannotBe) {
  std::vector<std::byte> All = bytesOfLanes({0, 1, 255});
  ASSERT_EQ(All.size(), 14U);
  All.resize(64); // enough for any width
  for (const unsigned Width : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15}) {
    All[10] = static_cast<std::byte>(Width);
    std::span<const std::byte> Rest = All;
    CoderState State;
    Request Back;
    EXPECT_EQ(decode(Rest, State, 1, Back), (Width >= 1 && Width <= 4) || Width == 8) << Width;
  }
}

TEST(RequestCoder, RefusesRowsThatCannotBe) {
  Request R;
  R.Affine = true;
  R.RowLanes = 2;
  R.Addresses[0] = 0;
  CoderState State;
  GrowingArray<std::byte> Bytes;
  encode(R, State, Bytes);
  ASSERT_EQ(Bytes.size(), 7U); // head, slot, form, size, stride, rows, step
  const auto Decodes = [&](size_t At, unsigned Value) {
    std::vector<std::byte> Changed(Bytes.begin(), Bytes.end());
    Changed[At] = static_cast<std::byte>(Value);
    std::span<const std::byte> Rest = Changed;
    CoderState Fresh;
    Request Back;
    return decode(Rest, Fresh, 1, Back);
  };
  EXPECT_TRUE(Decodes(5, 1));
  EXPECT_TRUE(Decodes(5, 4));
  EXPECT_FALSE(Decodes(5, 0));
  EXPECT_FALSE(Decodes(5, 5));
  EXPECT_FALSE(Decodes(2, std::to_integer<unsigned>(Bytes[2]) & ~8U)); // not affine
  EXPECT_FALSE(Decodes(0, std::to_integer<unsigned>(Bytes[0]) | 4));   // form repeated
  EXPECT_FALSE(Decodes(0, std::to_integer<unsigned>(Bytes[0]) | 16));
}

TEST(RequestCoder, RefusesImpossibleRequests) {
  Request R;
  CoderState State;
  GrowingArray<std::byte> Bytes;
  R.Addresses.fill(0x1000);
  R.Site = 4;
  encode(R, State, Bytes);
  for (size_t Size = 0; Size < Bytes.size(); ++Size) {
    std::span<const std::byte> Part(Bytes.begin(), Size);
    CoderState Fresh;
    EXPECT_FALSE(decode(Part, Fresh, 5, R)) << Size;
  }
  std::span<const std::byte> Whole = Bytes;
  CoderState Fresh;
  EXPECT_FALSE(decode(Whole, Fresh, 4, R)); // site 4 does not exist
  Bytes[3] |= std::byte{7};                 // kind 7 neither
  Whole = Bytes;
  EXPECT_FALSE(decode(Whole, Fresh, 5, R));
}

/// Decodes a request; returns it with its size in bytes, or nothing if it is refused.
std::optional<std::pair<Request, size_t>> decoded(std::span<const std::byte> From) {
  CoderState State;
  std::pair<Request, size_t> Result;
  const size_t Before = From.size();
  if (!decode(From, State, 3, Result.first))
    return std::nullopt;
  Result.second = Before - From.size();
  return Result;
}

// Requests with fewer than 343 bytes, the maximum size, left in a chunk take another path of the
// decoder.
TEST(RequestCoder, DamagedOnesAreTheSameAtTheEndAndBefore) {
  const std::vector<Request> All = everything();
  for (size_t I = 0; I < All.size(); I += 7) {
    CoderState State;
    GrowingArray<std::byte> Encoded;
    encode(All[I], State, Encoded);
    std::vector<std::byte> Bytes(Encoded.begin(), Encoded.end());
    Bytes.resize(1000);
    for (size_t At = 0; At < std::min<size_t>(Encoded.size(), 12); ++At) {
      const std::byte Before = Bytes[At];
      for (unsigned Value = 0; Value < 256; ++Value) {
        Bytes[At] = static_cast<std::byte>(Value);
        const auto Inside = decoded(Bytes), Last = decoded(std::span(Bytes).first(300));
        ASSERT_EQ(Inside.has_value(), Last.has_value()) << I << " " << At << " " << Value;
        if (!Inside)
          continue;
        expectSame(Inside->first, Last->first);
        EXPECT_EQ(Inside->second, Last->second);
        // One byte less cuts the request.
        EXPECT_FALSE(decoded(std::span(Bytes).first(Inside->second - 1)));
        EXPECT_TRUE(decoded(std::span(Bytes).first(Inside->second)));
      }
      Bytes[At] = Before;
    }
  }
}

TEST(RequestCoder, RefusesBulkCopiesWithGaps) {
  Request Copy;
  Copy.Operator = CacheOperator::Bulk;
  Copy.Addresses.fill(0x1000);
  const auto ComesBack = [](const Request &R) {
    CoderState Encoder, Decoder;
    GrowingArray<std::byte> Bytes;
    encode(R, Encoder, Bytes);
    std::span<const std::byte> Rest = Bytes;
    Request Back;
    return decode(Rest, Decoder, 1, Back);
  };
  EXPECT_FALSE(ComesBack(Copy)); // not affine
  makeSideBySide(Copy);
  EXPECT_TRUE(ComesBack(Copy));
  Copy.Mask = 0b0111;
  EXPECT_TRUE(ComesBack(Copy));
  Copy.Mask = 0b1011;
  EXPECT_FALSE(ComesBack(Copy));
  Copy.Mask = 0b1110;
  EXPECT_FALSE(ComesBack(Copy));
  Copy.Mask = AllLanes;
  Copy.Stride = 2 * Copy.Size;
  EXPECT_FALSE(ComesBack(Copy));
  makeSideBySide(Copy);
  Copy.RowLanes = 16;
  Copy.Step = 16 * Copy.Size;
  EXPECT_FALSE(ComesBack(Copy));
}

} // namespace
