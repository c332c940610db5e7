//===- L1CacheTest.cpp - Tests of the L1 cache ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L1Cache.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;
using Op = LineAccess::Op;

namespace {

ByteMask wholeSectors(unsigned Sectors) {
  ByteMask Bytes;
  for (unsigned S = 0; S < LineSectors; ++S)
    if (Sectors >> S & 1)
      Bytes.add(S * SectorBytes, SectorBytes);
  return Bytes;
}

/// Fixture with an L1 cache of two lines and its counts so far.
class SmallL1 : public testing::Test {
protected:
  L1Model Model;
  bool FindsRefetches = false;
  std::unique_ptr<L1Cache> Cache;
  std::vector<AccessCounts> Counts = std::vector<AccessCounts>(4);
  L2Requests ToL2;

  void SetUp() override { Model.Policy = Replacement::Lru; }

  void access(uint64_t Line, unsigned Sectors, Op What, uint32_t Cell = 0, bool Local = false,
              bool PastL1 = false) {
    access(Line, wholeSectors(Sectors), What, Cell, Local, PastL1);
  }
  void access(uint64_t Line, const ByteMask &Bytes, Op What, uint32_t Cell = 0, bool Local = false,
              bool PastL1 = false) {
    if (!Cache)
      Cache = std::make_unique<L1Cache>(Model, 2, FindsRefetches);
    LineAccess A = {};
    A.Cell = Cell;
    A.What = What;
    A.Local = Local;
    A.PastL1 = PastL1;
    accessAs(A, Line, Bytes);
  }
  void accessAs(LineAccess A, uint64_t Line, const ByteMask &Bytes) {
    const CoalescedLine L = {Line, Bytes};
    A.Lines = 1;
    A.Sectors = static_cast<uint16_t>(countSectors(Bytes.sectors()));
    ToL2.clear();
    Cache->access({&A, 1}, {&L, 1}, Counts, ToL2);
  }
  uint64_t hits(uint32_t Cell = 0) { return std::exchange(Counts[Cell].L1Hits, 0); }
  /// Returns the sectors that the last access requested from L2, in exactly one request.
  unsigned asked(Op What) {
    EXPECT_EQ(ToL2.All.size(), 1U);
    if (ToL2.All.empty())
      return 0;
    EXPECT_EQ(ToL2.All[0].What, What);
    return ToL2.Lines[0].sectors();
  }
};

// Each byte of a fetched sector counts once until the line is evicted; stored and invalidated bytes
// no longer count as fetched.
TEST_F(SmallL1, CountsUsedBytesOfFetchedSectors) {
  FindsRefetches = true;
  const auto Used = [&](uint64_t Line, unsigned First, unsigned Bytes, Op What = Op::Read) {
    ByteMask Of;
    Of.add(First, Bytes);
    access(Line, Of, What);
    return std::exchange(Counts[0].BytesOfFetched, 0);
  };
  EXPECT_EQ(Used(1, 0, 4), 4U);
  EXPECT_EQ(Used(1, 0, 4), 0U);
  EXPECT_EQ(Used(1, 0, 8), 4U);
  EXPECT_EQ(Used(1, 28, 8), 8U); // last word of the sector, first word of the next
  EXPECT_EQ(Used(1, 8, 4, Op::Write), 0U);
  EXPECT_EQ(Used(1, 8, 8), 4U);
  EXPECT_EQ(Used(1, 0, 4, Op::Atomic), 0U);
  EXPECT_EQ(Used(1, 0, 32, Op::Write), 0U); // the whole sector
  EXPECT_EQ(Used(1, 0, 32), 0U);
  EXPECT_EQ(Used(2, 0, 16), 16U);
  EXPECT_EQ(Used(3, 0, 16), 16U); // evicts line 1
  EXPECT_EQ(Used(1, 32, 8), 8U);
}

TEST_F(SmallL1, MissingSectorsAreLoadedAndLinesEvictedWhole) {
  access(1, 0b0011, Op::Read);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(asked(Op::Read), 0b0011U);
  access(1, 0b0110, Op::Read);
  EXPECT_EQ(hits(), 1U);
  EXPECT_EQ(asked(Op::Read), 0b0100U);
  access(1, 0b0111, Op::Read);
  EXPECT_EQ(hits(), 3U);
  EXPECT_TRUE(ToL2.All.empty());
  access(2, 0b0001, Op::Read);
  access(3, 0b0001, Op::Read); // evicts line 1
  access(2, 0b0001, Op::Read);
  EXPECT_EQ(hits(), 1U);
  access(1, 0b0111, Op::Read);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(asked(Op::Read), 0b0111U);
  EXPECT_EQ(Counts[0].L1Lookups, 2U + 2 + 3 + 1 + 1 + 1 + 3);
  EXPECT_EQ(Counts[0].L2Reads, 2U + 1 + 1 + 1 + 3);
}

TEST_F(SmallL1, StoresAllocateAndAreWrittenThrough) {
  access(1, 0b0001, Op::Write);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(asked(Op::Write), 0b0001U);
  access(1, 0b0011, Op::Read);
  EXPECT_EQ(hits(), 1U);
  EXPECT_EQ(asked(Op::Read), 0b0010U);
  access(1, 0b0001, Op::Write);
  EXPECT_EQ(hits(), 1U);
  EXPECT_EQ(asked(Op::Write), 0b0001U);
  EXPECT_EQ(Counts[0].L2Writes, 2U);
}

TEST_F(SmallL1, StoredPartOfASectorHits) {
  ByteMask Word, Half;
  Word.add(4, 4);
  Half.add(6, 2);
  access(1, Word, Op::Write);
  access(1, Half, Op::Read);
  EXPECT_EQ(hits(), 1U);
  access(1, 0b0001, Op::Read);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(asked(Op::Read), 0b0001U);
}

TEST_F(SmallL1, StoresToOtherSectorsOfALineHit) {
  access(1, 0b0011, Op::Write);
  EXPECT_EQ(hits(), 0U);
  access(1, 0b1000, Op::Write);
  EXPECT_EQ(hits(), 1U);
  access(1, 0b1100, Op::Read); // sector 2 has never been fetched
  EXPECT_EQ(hits(), 1U);
  access(2, 0b0001, Op::Write);
  EXPECT_EQ(hits(), 0U);
}

TEST_F(SmallL1, StoresThatDoNotAllocate) {
  Model.Stores = L1Stores::Update;
  access(1, 0b0001, Op::Write);
  access(1, 0b0001, Op::Read);
  EXPECT_EQ(hits(), 0U);
  access(1, 0b0011, Op::Write);
  EXPECT_EQ(hits(), 2U);       // the line is present
  access(1, 0b0011, Op::Read); // the stored sector and the older one
  EXPECT_EQ(hits(), 2U);
}

TEST_F(SmallL1, StoresThatInvalidate) {
  Model.Stores = L1Stores::Invalidate;
  Model.CountsStoreHits = false;
  access(1, 0b0011, Op::Read);
  access(1, 0b0001, Op::Write);
  access(1, 0b0011, Op::Read);
  EXPECT_EQ(hits(), 1U);
}

TEST_F(SmallL1, AtomicsAreDoneByL2) {
  access(1, 0b0011, Op::Read);
  access(1, 0b0001, Op::Atomic);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(asked(Op::Atomic), 0b0001U);
  access(1, 0b0011, Op::Read);
  EXPECT_EQ(hits(), 1U);
  EXPECT_EQ(Counts[0].L2Atomics, 1U);
  EXPECT_EQ(Counts[0].L1Lookups, 5U);
}

TEST_F(SmallL1, LoadsPastL1) {
  access(1, 0b0001, Op::Read, 0, false, true);
  EXPECT_EQ(asked(Op::Read), 0b0001U);
  access(1, 0b0001, Op::Read, 0, false, true);
  EXPECT_EQ(asked(Op::Read), 0b0001U);
  EXPECT_EQ(hits(), 0U);
}

// A fence invalidates everything except local memory; lines keep their places.
TEST_F(SmallL1, FencesEmptyIt) {
  const auto Fence = [&] {
    LineAccess A = {};
    A.Fence = true;
    ToL2.clear();
    Cache->access({&A, 1}, {}, Counts, ToL2);
  };
  access(1, 0b0111, Op::Read);
  access(2, 0b0001, Op::Write, 1, true);
  Fence();
  EXPECT_TRUE(ToL2.All.empty());
  access(2, 0b0001, Op::Read, 1, true);
  EXPECT_EQ(hits(1), 1U);
  access(1, 0b0011, Op::Read);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(asked(Op::Read), 0b0011U);
  EXPECT_EQ(Counts[0].LostToFences, 2U);
  access(1, 0b1111, Op::Read); // the third sector was lost too; the fourth was never present
  EXPECT_EQ(hits(), 2U);
  EXPECT_EQ(Counts[0].LostToFences, 3U);
  for (unsigned Epoch = 0; Epoch < 65536; ++Epoch) // wraps the 16-bit epoch number
    Fence();
  access(1, 0b0100, Op::Read);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(Counts[0].LostToFences, 4U);
  Fence();
  access(1, 0b0100, Op::Write); // a store does not count as a loss
  access(1, 0b0100, Op::Read);
  EXPECT_EQ(hits(), 1U);
  access(1, 0b0110, Op::Atomic); // invalidates the sectors, which is no loss to a fence
  access(1, 0b0110, Op::Read);
  EXPECT_EQ(hits(), 0U);
  EXPECT_EQ(Counts[0].LostToFences, 4U);
  EXPECT_EQ(Counts[1].LostToFences, 0U);
}

// Bulk copies bypass L1 without lookups and leave its lines unchanged.
TEST_F(SmallL1, BulkCopiesPassItBy) {
  access(1, 0b0001, Op::Read);
  for (const Op What : {Op::Read, Op::Write, Op::Atomic}) {
    LineAccess A = {};
    A.What = What;
    A.PastL1 = A.Bulk = true;
    accessAs(A, 1, wholeSectors(0b0011));
    EXPECT_EQ(asked(What), 0b0011U);
  }
  EXPECT_EQ(Counts[0].L1Lookups, 1U);
  access(1, 0b0011, Op::Read);
  EXPECT_EQ(hits(), 1U);
}

TEST_F(SmallL1, LocalMemoryIsWrittenBackForWhoWroteIt) {
  access(1, 0b1111, Op::Write, 1, true);
  EXPECT_TRUE(ToL2.All.empty());
  access(1, 0b1111, Op::Read, 2, true);
  EXPECT_EQ(hits(2), 4U);
  access(2, 0b0001, Op::Read);
  EXPECT_EQ(ToL2.All.size(), 1U);
  access(3, 0b0001, Op::Read); // evicts line 1
  ASSERT_EQ(ToL2.All.size(), 2U);
  EXPECT_EQ(ToL2.All[0].What, Op::Write);
  EXPECT_EQ(ToL2.Lines[0].line(), 1U);
  EXPECT_EQ(ToL2.Lines[0].sectors(), 0b1111U);
  EXPECT_EQ(ToL2.All[0].Cell, 1U);
  EXPECT_EQ(Counts[1].L2Writes, 4U);
  EXPECT_EQ(Counts[0].L2Writes, 0U);
}

TEST_F(SmallL1, LocalMemoryMayBeWrittenThrough) {
  Model.LocalWriteBack = false;
  access(1, 0b0001, Op::Write, 0, true);
  EXPECT_EQ(asked(Op::Write), 0b0001U);
  access(1, 0b0001, Op::Read, 0, true);
  EXPECT_EQ(hits(), 1U);
}

TEST_F(SmallL1, SetsTakeTheLinesThatAreTheirs) {
  Model.Sets = 2;
  access(0, 0b0001, Op::Read);
  access(1, 0b0001, Op::Read);
  access(2, 0b0001, Op::Read); // evicts line 0
  access(1, 0b0001, Op::Read);
  EXPECT_EQ(hits(), 1U);
  access(0, 0b0001, Op::Read);
  EXPECT_EQ(hits(), 0U);
}

// A loop over lines 0, 1, 2 with two ways never hits with LRU, tree PLRU or first-in first-out.
TEST_F(SmallL1, ALoopOverMoreThanThereIs) {
  for (Replacement Policy : {Replacement::Lru, Replacement::TreePlru, Replacement::Fifo}) {
    Model.Policy = Policy;
    Cache.reset();
    for (uint64_t I = 0; I < 12; ++I)
      access(I % 3, 0b0001, Op::Read);
    EXPECT_EQ(hits(), 0U) << ReplacementNames[static_cast<size_t>(Policy)];
  }
}

} // namespace
