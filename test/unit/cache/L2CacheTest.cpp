//===- L2CacheTest.cpp - Tests of the L2 cache and DRAM -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L2Cache.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;
using gmprof::Workers;
using Op = LineAccess::Op;

namespace {

ByteMask wholeSectors(unsigned Sectors) {
  ByteMask Bytes;
  for (unsigned S = 0; S < LineSectors; ++S)
    if (Sectors >> S & 1)
      Bytes.add(S * SectorBytes, SectorBytes);
  return Bytes;
}

/// Returns the model of a cache of 1 KB in one slice: four sets of two lines, line L in set L % 4.
L2Model smallModel() {
  L2Model Model;
  Model.Kb = 1;
  Model.Ways = 2;
  Model.Hash = SetHash::Modulo;
  Model.CountsWriteAllocates = Model.CountsMissingSectors = false;
  return Model;
}

class SmallL2 : public testing::Test {
protected:
  L2Model Model = smallModel();
  std::unique_ptr<L2Cache> Cache;
  std::vector<AccessCounts> Counts = std::vector<AccessCounts>(4);
  std::vector<L2Requests> BySm = std::vector<L2Requests>(4);

  void run(size_t Threads = 1) {
    Workers Of(Threads);
    if (!Cache)
      Cache = std::make_unique<L2Cache>(Model, 1);
    Cache->access(BySm, ~uint64_t(0), 0, Counts, Of);
  }
  void ask(uint64_t Line, const ByteMask &Bytes, Op What, uint32_t Sm = 0, uint32_t Cell = 0,
           uint32_t Request = 0) {
    BySm[Sm].add({Request, Cell, 0, What, false}, Line, Bytes.sectors(), Bytes);
  }
  AccessCounts access(uint64_t Line, unsigned Sectors, Op What, uint32_t Sm = 0) {
    return access(Line, wholeSectors(Sectors), What, Sm);
  }
  AccessCounts access(uint64_t Line, const ByteMask &Bytes, Op What, uint32_t Sm = 0) {
    ask(Line, Bytes, What, Sm);
    run();
    return std::exchange(Counts[0], {});
  }
};

TEST_F(SmallL2, ReadsFetchMissingSectors) {
  EXPECT_EQ(access(1, 0b0011, Op::Read).DramReads, 2U);
  const AccessCounts C = access(1, 0b0111, Op::Read);
  EXPECT_EQ(C.L2Hits, 2U);
  EXPECT_EQ(C.DramReads, 1U);
}

TEST_F(SmallL2, WriteBackTraffic) {
  EXPECT_EQ(access(0, 0b1111, Op::Write).DramWrites, 0U);
  EXPECT_EQ(access(0, 0b0001, Op::Write).L2Hits, 1U);
  EXPECT_EQ(Cache->dirtySectors(), 4U);
  EXPECT_EQ(access(4, 0b0001, Op::Read).DramWrites, 0U); // set 0 holds both
  EXPECT_EQ(access(8, 0b0001, Op::Read).DramWrites, 4U); // evicts line 0
  EXPECT_EQ(Cache->writtenBack(), 4U);
  EXPECT_EQ(Cache->dirtySectors(), 0U);
  EXPECT_EQ(access(12, 0b0001, Op::Read).DramWrites, 0U); // line 4 was only read
  EXPECT_EQ(access(0, 0b1111, Op::Read).DramReads, 4U);
}

TEST_F(SmallL2, LastWriterPaysForTheWriteBack) {
  ask(0, wholeSectors(0b0001), Op::Write, 0, 1);
  ask(4, wholeSectors(0b0001), Op::Read, 0, 2);
  ask(8, wholeSectors(0b0001), Op::Read, 0, 3);
  run();
  EXPECT_EQ(Counts[1].DramWrites, 1U);
  EXPECT_EQ(Counts[3].DramWrites, 0U);
}

TEST_F(SmallL2, WritesOfEarlierLaunches) {
  access(0, 0b0011, Op::Write);
  Counts.assign(3, {});
  ask(4, wholeSectors(0b0001), Op::Read);
  ask(8, wholeSectors(0b0001), Op::Read);
  Workers One(1);
  Cache->access(BySm, ~uint64_t(0), 2, Counts, One); // the launch's cells start at 2
  EXPECT_EQ(Counts[0].DramWrites, 2U);
  EXPECT_EQ(Counts[2].DramReads, 2U);
}

TEST_F(SmallL2, PartialSectorsAreReadOnRequest) {
  ByteMask Word;
  Word.add(0, 4);
  EXPECT_EQ(access(1, Word, Op::Write).DramReads, 0U);
  const AccessCounts C = access(1, 0b0001, Op::Read);
  EXPECT_EQ(C.L2Hits, 0U);
  EXPECT_EQ(C.DramReads, 1U);
  EXPECT_EQ(access(1, 0b0001, Op::Read).L2Hits, 1U);
  EXPECT_EQ(Cache->dirtySectors(), 1U);
}

TEST_F(SmallL2, PartialSectorsMayBeReadWhenWritten) {
  Model.FillsPartialWrites = true;
  ByteMask Word;
  Word.add(0, 4);
  EXPECT_EQ(access(1, Word, Op::Write).DramReads, 1U);
  EXPECT_EQ(access(1, 0b0001, Op::Read).L2Hits, 1U);
  EXPECT_EQ(access(1, 0b0010, Op::Write).DramReads, 0U);
}

TEST_F(SmallL2, AtomicsReadAndWrite) {
  const AccessCounts C = access(1, 0b0001, Op::Atomic);
  EXPECT_EQ(C.L2Hits, 0U);
  EXPECT_EQ(C.DramReads, 1U);
  EXPECT_EQ(access(1, 0b0001, Op::Atomic).L2Hits, 1U);
  EXPECT_EQ(Cache->dirtySectors(), 1U);
}

TEST_F(SmallL2, FetchesSeveralSectorsTogether) {
  Model.FetchBytes = 64;
  EXPECT_EQ(access(1, 0b0001, Op::Read).DramReads, 2U);
  EXPECT_EQ(access(1, 0b0010, Op::Read).L2Hits, 1U);
  EXPECT_EQ(access(1, 0b1000, Op::Read).DramReads, 2U);
}

TEST_F(SmallL2, CountsHitsLikeHardware) {
  Model.CountsWriteAllocates = Model.CountsMissingSectors = true;
  EXPECT_EQ(access(1, 0b0011, Op::Write).L2Hits, 2U);
  const AccessCounts C = access(1, 0b1111, Op::Read);
  EXPECT_EQ(C.L2Hits, 4U);
  EXPECT_EQ(C.DramReads, 2U);
  EXPECT_EQ(access(2, 0b0001, Op::Read).L2Hits, 0U);
}

// Lines of 64 bytes: two per line of L1, line L in set L % 8.
TEST_F(SmallL2, LinesOf64Bytes) {
  Model.LineBytes = 64;
  EXPECT_EQ(access(0, 0b1111, Op::Write).L2Hits, 0U);    // lines 0 and 1
  access(4, 0b0001, Op::Read);                           // line 8
  EXPECT_EQ(access(8, 0b0001, Op::Read).DramWrites, 2U); // line 16, evicts line 0
  EXPECT_EQ(access(0, 0b1100, Op::Read).L2Hits, 2U);
}

// SMs take turns. SM 0 requests line 0 twice, SM 1 lines 4 and 8, all in one set of two ways. The
// order 0, 4, 0, 8 has a hit. If SM 0's second access is in its third request, the order is 0, 4,
// 8, 0, without a hit.
TEST_F(SmallL2, SmsTakeTurns) {
  for (uint32_t Second : {1, 2}) {
    Cache.reset();
    Counts.assign(4, {});
    ask(0, wholeSectors(1), Op::Read, 0, 0, 0);
    ask(0, wholeSectors(1), Op::Read, 0, 0, Second);
    ask(4, wholeSectors(1), Op::Read, 1, 1, 0);
    ask(8, wholeSectors(1), Op::Read, 1, 1, 1);
    run();
    EXPECT_EQ(Counts[0].L2Hits, Second == 1 ? 1U : 0U);
  }
}

/// Fixture with line 0 at home in partition 0 and line 1 in partition 1; SMs 0 and 1 are in
/// partition 0.
class TwoPartitions : public SmallL2 {
protected:
  void SetUp() override {
    Model.Partitions = 2;
    Model.Replicates = true;
    Model.TpcPartitions = {0, 1};
  }
};

TEST_F(TwoPartitions, EachKeepsCopiesOfItsReads) {
  AccessCounts C = access(1, 0b0011, Op::Read, 0);
  EXPECT_EQ(C.L2Hits, 0U);
  EXPECT_EQ(C.OtherPartition, 2U);
  EXPECT_EQ(C.DramReads, 2U);
  C = access(1, 0b0011, Op::Read, 0);
  EXPECT_EQ(C.L2Hits, 2U);
  EXPECT_EQ(C.OtherPartition, 0U);
  C = access(1, 0b0011, Op::Read, 2); // at home
  EXPECT_EQ(C.L2Hits, 2U);
  EXPECT_EQ(C.DramReads, 0U);
}

TEST_F(TwoPartitions, HomeHasTheSectorsOfACopy) {
  access(1, 0b0001, Op::Read, 2);
  const AccessCounts C = access(1, 0b0001, Op::Read, 0);
  EXPECT_EQ(C.L2Hits, 0U);
  EXPECT_EQ(C.OtherPartition, 1U);
  EXPECT_EQ(C.DramReads, 0U);
}

TEST_F(TwoPartitions, WriterKeepsACopyAndOthersLoseTheirs) {
  access(1, 0b0001, Op::Read, 0);
  EXPECT_EQ(access(1, 0b0001, Op::Write, 0).OtherPartition, 1U);
  AccessCounts C = access(1, 0b0001, Op::Read, 0);
  EXPECT_EQ(C.L2Hits, 1U);
  EXPECT_EQ(C.OtherPartition, 0U);
  EXPECT_EQ(Cache->dirtySectors(), 1U); // at home only
  EXPECT_EQ(access(1, 0b0001, Op::Write, 2).OtherPartition, 0U);
  C = access(1, 0b0001, Op::Read, 0);
  EXPECT_EQ(C.L2Hits, 0U);
  EXPECT_EQ(C.OtherPartition, 1U);
  EXPECT_EQ(C.DramReads, 0U);
}

TEST_F(TwoPartitions, AtomicsAreDoneAtHome) {
  access(1, 0b0001, Op::Read, 0);
  EXPECT_EQ(access(1, 0b0001, Op::Atomic, 0).OtherPartition, 1U);
  const AccessCounts C = access(1, 0b0001, Op::Read, 0);
  EXPECT_EQ(C.L2Hits, 0U);
  EXPECT_EQ(C.OtherPartition, 1U);
}

TEST_F(TwoPartitions, WithoutCopies) {
  Model.Replicates = false;
  EXPECT_EQ(access(1, 0b0001, Op::Read, 0).OtherPartition, 1U);
  const AccessCounts C = access(1, 0b0001, Op::Read, 0);
  EXPECT_EQ(C.L2Hits, 1U);
  EXPECT_EQ(C.OtherPartition, 1U);
  EXPECT_EQ(access(1, 0b0001, Op::Read, 2).OtherPartition, 0U);
}

/// Copies write at home; no cell counts their write-backs to DRAM.
TEST_F(TwoPartitions, CopiesWriteToTheHomePartition) {
  Model.CountsWriteAllocates = true;
  access(1, 0b0001, Op::Read, 0); // a copy
  const auto Write = [&](uint64_t Line) {
    L2Requests Of;
    Of.add({0, 0, 0, Op::Write, false}, Line, 0b0011, wholeSectors(0b0011));
    Workers One(1);
    Cache->written({&Of, 1}, Counts, One);
  };
  Write(1);
  AccessCounts C = access(1, 0b0001, Op::Read, 0); // the copy was invalidated
  EXPECT_EQ(C.L2Hits, 0U);
  EXPECT_EQ(C.OtherPartition, 1U);
  EXPECT_EQ(C.DramReads, 0U);
  C = access(1, 0b0011, Op::Read, 2);
  EXPECT_EQ(C.L2Hits, 2U);
  EXPECT_EQ(Cache->dirtySectors(), 2U);
  // Evict the line from its set of two ways.
  Write(5);
  Write(9);
  EXPECT_EQ(Cache->writtenBack(), 2U);
  EXPECT_EQ(Counts, std::vector<AccessCounts>(4));
}

/// Fixture for accesses of warps at the same step.
class Coalescer : public SmallL2 {
protected:
  void SetUp() override { Model.CoalescedRequests = 10; }
  void askAt(uint32_t Step, uint32_t Request, unsigned Sectors, Op What, uint32_t Sm) {
    BySm[Sm].add({Request, 0, Step, What, false}, 1, Sectors, wholeSectors(Sectors));
    (What == Op::Read ? Counts[0].L2Reads : Counts[0].L2Writes) += // as L1 counts
        static_cast<unsigned>(std::popcount(Sectors));
  }
};

TEST_F(Coalescer, ReadsOfTheSameStepAreOne) {
  askAt(3, 0, 0b0011, Op::Read, 0);
  askAt(3, 10, 0b0011, Op::Read, 1);
  askAt(3, 10, 0b0111, Op::Read, 2); // one of these sectors has not been read
  run();
  EXPECT_EQ(Counts[0].Coalesced, 2U);
  EXPECT_EQ(Counts[0].L2Reads, 5U);
  EXPECT_EQ(Counts[0].L2Hits, 2U);
  EXPECT_EQ(Counts[0].fetched(), 7U);
}

TEST_F(Coalescer, ReadsOfOtherStepsOrTimesAreNot) {
  askAt(3, 0, 0b0001, Op::Read, 0);
  askAt(4, 1, 0b0001, Op::Read, 1);
  askAt(4, 12, 0b0001, Op::Read, 2);
  run();
  EXPECT_EQ(Counts[0].Coalesced, 0U);
  EXPECT_EQ(Counts[0].L2Reads, 3U);
}

TEST_F(Coalescer, WritesOfTheSameStepAreOneButNotReadsAfterThem) {
  askAt(3, 0, 0b0001, Op::Write, 0);
  askAt(3, 1, 0b0001, Op::Write, 0);
  askAt(3, 2, 0b0001, Op::Read, 0);
  askAt(3, 3, 0b0001, Op::Write, 0);
  run();
  EXPECT_EQ(Counts[0].Coalesced, 1U);
  EXPECT_EQ(Counts[0].L2Writes, 2U);
  EXPECT_EQ(Counts[0].L2Reads, 1U);
}

// An SM that reads a sector again has lost it, so its read is not coalesced; writes of other SMs
// are not either.
TEST_F(Coalescer, ReadsAreThoseOfOtherSmsAndWritesOfTheSame) {
  askAt(3, 0, 0b0001, Op::Read, 0);
  askAt(3, 1, 0b0001, Op::Read, 0);
  askAt(3, 2, 0b0010, Op::Write, 0);
  askAt(3, 3, 0b0010, Op::Write, 1);
  run();
  EXPECT_EQ(Counts[0].Coalesced, 0U);
}

TEST_F(Coalescer, OtherBytesAreWrittenByThemselves) {
  for (unsigned Byte : {0, 4, 4}) {
    ByteMask Bytes;
    Bytes.add(Byte, 4);
    ask(1, Bytes, Op::Write);
    ++Counts[0].L2Writes;
  }
  run();
  EXPECT_EQ(Counts[0].Coalesced, 1U);
  EXPECT_EQ(Counts[0].L2Writes, 2U);
}

TEST_F(Coalescer, ALaunchBeginsWithNothing) {
  askAt(3, 0, 0b0001, Op::Read, 0);
  run();
  Cache->beginLaunch();
  askAt(3, 0, 0b0001, Op::Read, 1);
  run();
  EXPECT_EQ(Counts[0].Coalesced, 0U);
}

// SM 1 has reached request 2: later requests of SM 0 wait, even if they are ready.
TEST_F(SmallL2, SimulatesRequestsBeforeANumber) {
  Cache = std::make_unique<L2Cache>(Model, 1);
  for (uint32_t I = 0; I < 4; ++I)
    ask(I, wholeSectors(0b0001), I == 2 ? Op::Read : Op::Write, 0, I, I);
  ask(1, wholeSectors(0b0010), Op::Read, 1, 1, 1);
  Workers One(1);
  Cache->access(BySm, 2, 0, Counts, One);
  EXPECT_EQ(Counts[1].DramReads, 1U);
  EXPECT_EQ(Counts[2].DramReads, 0U);
  ASSERT_EQ(BySm[0].All.size(), 2U);
  EXPECT_EQ(BySm[0].Lines.size(), 2U);
  EXPECT_EQ(BySm[0].Lines[0].line(), 2U);
  EXPECT_EQ(BySm[0].Bytes.size(), 1U); // of the write
  EXPECT_TRUE(BySm[1].All.empty());
  run();
  EXPECT_EQ(Counts[2].DramReads, 1U);
  EXPECT_EQ(Cache->dirtySectors(), 3U);
}

/// Returns random requests of three SMs.
std::vector<L2Requests> randomRequests(uint64_t Count) {
  std::vector<L2Requests> BySm(3);
  uint64_t State = 1;
  for (uint64_t I = 0; I < Count; ++I) {
    State = State * 6364136223846793005 + 1442695040888963407;
    const auto Sectors = 1 + static_cast<unsigned>((State >> 40) % 15);
    const auto What = (State >> 50) % 3 ? Op::Read : Op::Write;
    BySm[I % 3].add(
        {static_cast<uint32_t>(I / 6), static_cast<uint32_t>(State >> 33 & 1), 0, What, false},
        State >> 54, Sectors, wholeSectors(Sectors));
  }
  return BySm;
}

L2Model someSlices() {
  L2Model Model;
  Model.Kb = 64;
  Model.Slices = 4;
  Model.Ways = 4;
  return Model;
}

// Slices are independent, so neither the number of threads nor the division of the requests
// matters.
TEST(L2Cache, ThreadsAndDrainsMakeNoDifference) {
  const L2Model Model = someSlices();
  std::vector<L2Requests> BySm = randomRequests(60000);
  constexpr uint64_t All = ~uint64_t(0);
  std::vector<AccessCounts> One(2), Three(2), Parts(2);
  std::vector<L2Requests> Again = BySm, InParts = BySm;
  Workers Alone(1), Together(3);
  L2Cache(Model, 1).access(BySm, All, 0, One, Alone);
  L2Cache(Model, 1).access(Again, All, 0, Three, Together);
  EXPECT_EQ(One, Three);
  L2Cache Last(Model, 1);
  for (const uint64_t Before : {uint64_t(1), uint64_t(8500), All})
    Last.access(InParts, Before, 0, Parts, Together);
  EXPECT_EQ(One, Parts);
  EXPECT_GT(One[0].L2Hits, 0U);
  EXPECT_GT(One[0].DramWrites, 0U);
}

// Exceeds the number of requests buffered for the slices, 2^18 per thread.
TEST(L2Cache, ManyAtOnceMakeNoDifference) {
  const L2Model Model = someSlices();
  std::vector<L2Requests> AtOnce = randomRequests(2200000), InParts = AtOnce;
  std::vector<AccessCounts> One(2), Parts(2);
  Workers Alone(1);
  L2Cache(Model, 1).access(AtOnce, ~uint64_t(0), 0, One, Alone);
  L2Cache Other(Model, 1);
  for (const uint64_t Before : {uint64_t(130000), uint64_t(260000), ~uint64_t(0)})
    Other.access(InParts, Before, 0, Parts, Alone);
  EXPECT_EQ(One, Parts);
  EXPECT_TRUE(AtOnce[0].All.empty());
}

} // namespace
