//===- L2SliceTest.cpp - Tests of a slice of the L2 cache -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L2Slice.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;

namespace {

/// Lines of a set in order of use: the next victim first, the last used line last.
using ByUse = std::vector<uint64_t>;

/// Compares a slice with reference lists of its sets' lines.
template <typename Policy> void findsWhatItHolds(uint32_t Ways, bool HitsCount) {
  constexpr uint32_t Sets = 3;
  L2Slice<Policy> Slice(Sets, Ways, true);
  std::vector<ByUse> Held(Sets);
  unsigned Found = 0, Missed = 0;
  for (uint64_t I = 0; I < 20000; ++I) {
    const auto Set = static_cast<uint32_t>(mixed(2 * I) % Sets);
    // Two of three lookups hit. With this many lines, some share a byte of the hash.
    const uint64_t Line = mixed(mixed(2 * I + 1) % (Ways + Ways / 2 + 1)) >> 6;
    ByUse &Lines = Held[Set];
    const auto At = std::find(Lines.begin(), Lines.end(), Line);
    const auto P = Slice.find(Set, Line);
    ASSERT_EQ(P.WasThere, At != Lines.end()) << Ways;
    ASSERT_EQ(P.Valid, P.WasThere ? 1 + Line % 15 : 0) << Ways;
    ++(P.WasThere ? Found : Missed);
    Slice.use(P, Line, 1 + static_cast<unsigned>(Line % 15));
    if (At != Lines.end() && !HitsCount)
      continue;
    if (At != Lines.end())
      Lines.erase(At);
    else if (Lines.size() == Ways)
      Lines.erase(Lines.begin());
    Lines.push_back(Line);
  }
  EXPECT_GT(Found, 1000U) << Ways;
  EXPECT_GT(Missed, 1000U) << Ways;
}

TEST(L2Slice, FindsItsLines) {
  for (const uint32_t Ways : {1U, 7U, 8U, 16U, 24U, 31U, 32U}) {
    findsWhatItHolds<LruOfFew>(Ways, true);
    findsWhatItHolds<Lru>(Ways, true);
    findsWhatItHolds<Fifo>(Ways, false);
  }
}

// Lines whose hashes share the first byte are distinguished.
TEST(L2Slice, DistinguishesLinesOfTheSameSignature) {
  ByUse Alike;
  for (uint64_t Line = 1; Alike.size() < 4; ++Line)
    if (multiplied(Line) >> 56 == 0x5a)
      Alike.push_back(Line);
  L2Slice<LruOfFew> Slice(1, 3, true);
  for (unsigned I = 0; I < 3; ++I)
    Slice.use(Slice.find(0, Alike[I]), Alike[I], 1U << I);
  for (unsigned I = 0; I < 3; ++I)
    EXPECT_EQ(Slice.find(0, Alike[I]).Valid, 1U << I);
  const auto P = Slice.find(0, Alike[3]);
  EXPECT_FALSE(P.WasThere);
  EXPECT_EQ(P.Valid, 0U);
  EXPECT_EQ(P.Way, 0U); // the first line's
}

TEST(L2Slice, BytesWrittenMakeASectorWhole) {
  L2Slice<LruOfFew> Slice(1, 1, true);
  const auto Place = [&](uint64_t Line) {
    const auto P = Slice.find(0, Line);
    if (Slice.replacesWritten(P))
      Slice.takeWritten(0, P.Way);
    Slice.use(P, Line, P.Valid);
    return P;
  };
  const ByteMask First = ByteMask::of(32, 8), Rest = ByteMask::of(40, 24);
  const auto P = Place(7);
  Slice.write(P, First);
  EXPECT_EQ(Slice.valid(P), 0U);
  EXPECT_EQ(Slice.written(P).Partial, 0b0010);
  Slice.write(P, Rest);
  EXPECT_EQ(Slice.valid(P), 0b0010U);
  EXPECT_EQ(Slice.written(P).Partial, 0);
  Slice.write(P, ByteMask::of(64, 64));
  EXPECT_EQ(Slice.valid(P), 0b1110U);
  // Bytes written to an evicted line do not count for its successor.
  Slice.invalidate(0, 7, 0b0110);
  EXPECT_EQ(Slice.valid(P), 0b1000U);
  Slice.write(P, First);
  const auto Next = Place(9);
  Slice.write(Next, Rest);
  EXPECT_EQ(Slice.valid(Next), 0U);
}

TEST(L2Slice, LastWriterOwnsDirtySectors) {
  L2Slice<Fifo> Slice(2, 2, true);
  const auto P = Slice.find(1, 5);
  Slice.use(P, 5, 0);
  Slice.setDirty(P, 0b0001, 7);
  Slice.setDirty(P, 0b0110, 8);
  EXPECT_EQ(Slice.dirtySectors(), 3U);
  EXPECT_FALSE(Slice.replacesWritten(Slice.find(1, 5)));
  Slice.use(Slice.find(1, 6), 6, 0);
  ASSERT_TRUE(Slice.replacesWritten(Slice.find(1, 9)));
  const auto Old = Slice.takeWritten(1, P.Way);
  EXPECT_EQ(Old.Dirty, 0b0111);
  EXPECT_EQ(Old.Owner, 8U);
  EXPECT_EQ(Slice.dirtySectors(), 0U);
  EXPECT_FALSE(Slice.replacesWritten(Slice.find(1, 9)));
}

} // namespace
