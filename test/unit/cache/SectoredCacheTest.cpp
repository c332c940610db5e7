//===- SectoredCacheTest.cpp - Tests of the sectored cache ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/SectoredCache.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;

namespace {

// Compares the cache with a list of its lines.
TEST(SectoredCache, FindsItsLines) {
  for (const uint32_t Ways : {1U, 7U, 32U, 33U, 300U}) {
    constexpr uint32_t Sets = 4;
    SectoredCache<Fifo> Cache(Sets, Ways, false);
    std::vector<std::vector<uint64_t>> Held(Sets, std::vector<uint64_t>(Ways, CachedLine::None));
    std::vector<uint32_t> Next(Sets);
    unsigned Found = 0, Missed = 0;
    for (uint64_t I = 0; I < 20000; ++I) {
      const auto Set = static_cast<uint32_t>(mixed(2 * I) % Sets);
      // Two of three lookups hit; lines differ in few bits, which are far apart.
      const uint64_t Line = (mixed(2 * I + 1) % (Ways + Ways / 2 + 1)) << 40 | Set;
      const auto At = std::find(Held[Set].begin(), Held[Set].end(), Line);
      const uint32_t Slot = Cache.find(Line);
      if (At != Held[Set].end()) {
        ASSERT_EQ(Slot, Set * Ways + (At - Held[Set].begin())) << Ways;
        ++Found;
        continue;
      }
      ASSERT_EQ(Slot, SectoredCache<Fifo>::None) << Ways;
      const uint32_t Victim = Cache.take(Set);
      ASSERT_EQ(Victim, Set * Ways + Next[Set]);
      Cache.replace(Victim, Line);
      Held[Set][Next[Set]] = Line;
      Next[Set] = (Next[Set] + 1) % Ways;
      ++Missed;
    }
    EXPECT_GT(Found, 1000U) << Ways;
    EXPECT_GT(Missed, 1000U) << Ways;
  }
}

// Lines that share a bucket, which has room for 16, and a tag of seven hash bits: multiplication
// with an odd number moves the low bits of a factor to the upper bits of the product.
TEST(LineIndex, FindsLinesBeyondItsBuckets) {
  constexpr uint64_t Inverse = 0xf1de83e19937733d; // of 0x9e3779b97f4a7c15
  ASSERT_EQ(multiplied(Inverse), 1U);
  std::vector<uint64_t> Lines;
  for (uint64_t I = 0; I < 40; ++I)
    Lines.push_back(Inverse * (uint64_t(0xab) << 56 | I));
  LineIndex Index(40);
  std::vector<uint64_t> Held(40);
  const auto Put = [&](uint32_t Slot, uint64_t Line) {
    Index.put(Slot, Line);
    Held[Slot] = Line;
  };
  const auto Check = [&] {
    for (const uint64_t Line : Lines) {
      const auto At = std::find(Held.begin(), Held.end(), Line);
      const uint32_t Slot = Index.find(Line, [&](uint32_t S) { return Held[S] == Line; });
      EXPECT_EQ(Slot, At == Held.end() ? LineIndex::None : At - Held.begin());
    }
  };
  for (uint32_t Slot = 0; Slot < 39; ++Slot)
    Put(Slot, Lines[Slot]);
  Check();
  Put(38, Lines[39]); // replaces a line outside the bucket
  Check();
  Put(3, Lines[38]); // replaces a line in the bucket
  Check();
  for (uint32_t Slot = 0; Slot < 39; ++Slot)
    Put(Slot, Lines[39 - Slot]);
  Check();
}

TEST(SectoredCache, BytesWrittenMakeASectorWhole) {
  SectoredCache<Lru> Cache(1, 2, true);
  Cache.replace(0, 7);
  ByteMask First, Rest;
  First.add(32, 8);
  Rest.add(40, 24);
  Cache.write(0, First);
  EXPECT_EQ(Cache.line(0).Valid, 0);
  EXPECT_EQ(Cache.line(0).Partial, 0b0010);
  Cache.write(0, Rest);
  EXPECT_EQ(Cache.line(0).Valid, 0b0010);
  EXPECT_EQ(Cache.line(0).Partial, 0);
  // Bytes written to an evicted line do not count for its successor.
  Cache.write(0, First);
  Cache.replace(0, 9);
  Cache.write(0, Rest);
  EXPECT_EQ(Cache.line(0).Valid, 0);
}

} // namespace
