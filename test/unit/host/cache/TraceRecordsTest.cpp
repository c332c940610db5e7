//===- TraceRecordsTest.cpp - Tests of records and their order ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/TraceRecords.h"
#include "TestTraceChunk.h"
#include "host/cache/RequestOrder.h"
#include <gmock/gmock.h>

namespace gmprof::host {
namespace {

using test::TraceChunk;
using testing::ElementsAre;

/// The only record of a chunk.
const GmprofTraceRecord &recordIn(const TraceChunk &C) {
  return *reinterpret_cast<const GmprofTraceRecord *>(C.Bytes.data() + sizeof(GmprofTraceChunk));
}

/// Sites tell the records of a test apart.
std::vector<unsigned> sitesOf(const PlacedRecords &Records) {
  std::vector<unsigned> Sites;
  for (const PlacedRecord &R : Records)
    Sites.push_back(R.Record->what & GMPROF_SITE_MASK);
  return Sites;
}

/// Returns the sites of all records in the chunk.
std::vector<unsigned> sitesIn(const TraceChunk &C) {
  PlacedRecords Records;
  appendRecords(C.Bytes, Records);
  return sitesOf(Records);
}

/// Counts lines of 64 bytes that contain non-zero bytes, and the bytes by which the largest record
/// may extend beyond them.
TEST(TraceRecords, EndAtUnwrittenBytes) {
  TraceChunk C({1, 0, 0, 0, 0, 0});
  C.affine(0, 0, 64).scattered<gmprof_i32>(1, 0, 64, 7, {0, 4, 100});
  EXPECT_EQ(C.Bytes.size(), 32u + 24 + 24 + 16); // three offsets are 12 bytes, and padding
  C.Bytes.resize(GMPROF_TRACE_CHUNK_BYTES);
  EXPECT_EQ(traceBytes(C.Bytes), 2 * 64u + 24 + 256);
  EXPECT_THAT(sitesIn(C), ElementsAre(0, 1));
  // A full one ends where its bytes do.
  TraceChunk Full({1, 0, 0, 0, 0, 0});
  while (Full.Bytes.size() + sizeof(GmprofTraceRecord) <= GMPROF_TRACE_CHUNK_BYTES)
    Full.affine(0, 0, 64);
  EXPECT_EQ(traceBytes(Full.Bytes), 32u + 84 * 24);
  EXPECT_EQ(sitesIn(Full).size(), 84u);
}

/// All lanes access the address of the first one, so 256 bytes of zeros are a part of the record.
TEST(TraceRecords, MayEndInZeros) {
  TraceChunk C({1, 0, 0, 0, 0, 0});
  C.scattered<gmprof_u64>(0, 0, 64, ~0u, std::vector<gmprof_u64>(32));
  const size_t Written = C.Bytes.size();
  C.Bytes.resize(GMPROF_TRACE_CHUNK_BYTES);
  EXPECT_EQ(Written, 32u + 24 + 256);
  EXPECT_GE(traceBytes(C.Bytes), Written);
}

TEST(TraceRecords, NothingIsInZeros) {
  const std::vector<std::byte> Chunk(GMPROF_TRACE_CHUNK_BYTES);
  EXPECT_LT(traceBytes(Chunk), 512u);
  PlacedRecords Records;
  appendRecords(Chunk, Records);
  EXPECT_TRUE(Records.empty());
}

TEST(TraceRecords, AffineRequest) {
  TraceChunk C({});
  C.record({0xff00,
            17u | 3u << GMPROF_TRACE_BYTES_SHIFT | GMPROF_TRACE_STORE << GMPROF_TRACE_KIND_SHIFT |
                GMPROF_TRACE_CS << GMPROF_TRACE_OPERATOR_SHIFT,
            0, -16, 0x1000});
  const cache::Request R = requestOf({70000, 3, 9}, recordIn(C));
  EXPECT_EQ(R.Site, 17u);
  EXPECT_EQ(R.Block, 70000u);
  EXPECT_EQ(R.Warp, 3u);
  EXPECT_EQ(R.Slot, 9u);
  EXPECT_EQ(R.Kind, cache::AccessKind::Store);
  EXPECT_EQ(R.Operator, cache::CacheOperator::Cs);
  EXPECT_EQ(R.Size, 8u);
  EXPECT_EQ(R.Mask, 0xff00u);
  EXPECT_TRUE(R.Affine);
  EXPECT_EQ(R.address(8), 0x1000u);
  EXPECT_EQ(R.address(15), 0x1000u - 7 * 16);
}

TEST(TraceRecords, ScatteredRequests) {
  TraceChunk Near({});
  Near.scattered<gmprof_i32>(0, 0, 0x500000000, 0x80000003, {0, -8, 1 << 30});
  cache::Request R = requestOf({}, recordIn(Near));
  EXPECT_FALSE(R.Affine);
  EXPECT_EQ(R.address(0), 0x500000000u);
  EXPECT_EQ(R.address(1), 0x4fffffff8u);
  EXPECT_EQ(R.address(31), 0x540000000u);
  TraceChunk Far({});
  Far.scattered<gmprof_u64>(0, 0, 16, 0x6, {16, 0x700000000000});
  R = requestOf({}, recordIn(Far));
  EXPECT_EQ(R.address(1), 16u);
  EXPECT_EQ(R.address(2), 0x700000000000u);
}

/// Blocks of 8 by 4 threads read four rows of a matrix, from right to left.
TEST(TraceRecords, RequestsInRows) {
  TraceChunk C({});
  C.rows(0, 0, 0x10000, -4, {0x500, 8}).affine(1, 0, 64);
  C.Bytes.resize(GMPROF_TRACE_CHUNK_BYTES);
  EXPECT_THAT(sitesIn(C), ElementsAre(0, 1)); // 24 + 8 bytes, and 24
  const cache::Request R = requestOf({}, recordIn(C));
  EXPECT_TRUE(R.Affine);
  EXPECT_EQ(R.RowLanes, 8u);
  EXPECT_EQ(R.Step, 0x500);
  EXPECT_EQ(R.Mask, ~0u);
  EXPECT_EQ(R.address(0), 0x10000u);
  EXPECT_EQ(R.address(7), 0x10000u - 28);
  EXPECT_EQ(R.address(8), 0x10500u);
  EXPECT_EQ(R.address(31), 0x10f00u - 28);
}

TEST(RequestOrder, LowerHalvesOfClocksContinueFromTheHead) {
  TraceChunk C({1, 0, 0x1fffffff0, 0, 0, 0});
  C.affine(0, 0xfffffff8, 0).affine(1, 8, 0).affine(2, 9, 0);
  PlacedRecords Records;
  appendRecords(C.Bytes, Records);
  ASSERT_EQ(Records.size(), 3u);
  EXPECT_EQ(Records[0].Clock, 0x1fffffff8u);
  EXPECT_EQ(Records[1].Clock, 0x200000008u);
  EXPECT_EQ(Records[2].Clock, 0x200000009u);
}

/// Another warp has continued where the first one left the chunk.
TEST(RequestOrder, RecordsAreThoseOfTheLastWriter) {
  TraceChunk C({1, 7, 100, 5, 3, 9});
  C.affine(0, 110, 0).writer(0x20, 70000, 0x200000000, 11).affine(1, 5, 0).affine(2, 6, 0);
  C.writer(0, 8, 0x300000000, 0).affine(3, 7, 0);
  C.Bytes.resize(GMPROF_TRACE_CHUNK_BYTES); // zeros to the end of the chunk
  PlacedRecords Records;
  appendRecords(C.Bytes, Records);
  EXPECT_THAT(sitesOf(Records), ElementsAre(0, 1, 2, 3));
  using Writing = std::tuple<uint64_t, uint64_t, unsigned, unsigned>;
  std::vector<Writing> Writers;
  for (const PlacedRecord &R : Records)
    Writers.emplace_back(R.Clock, R.By.Block, R.By.Warp, R.By.Slot);
  EXPECT_THAT(Writers,
              ElementsAre(Writing(110, 7, 3, 9), Writing(0x200000005, 70000, 0x20, 11),
                          Writing(0x200000006, 70000, 0x20, 11), Writing(0x300000007, 8, 0, 0)));
}

TEST(RequestOrder, ByClock) {
  TraceChunk A({1, 0, 100, 0, 0, 0}), B({1, 0, 90, 0, 1, 1});
  A.affine(0, 100, 0).affine(1, 130, 0);
  B.affine(2, 95, 0).affine(3, 131, 0).affine(4, 132, 0);
  PlacedRecords Records;
  appendRecords(A.Bytes, Records);
  appendRecords(B.Bytes, Records);
  OrderMemory Memory;
  orderByClock(Records, Memory);
  EXPECT_THAT(sitesOf(Records), ElementsAre(2, 0, 1, 3, 4));
}

/// Many records over a second, each clock twice, as clocks of several warps may be.
TEST(RequestOrder, ManyRequestsByClock) {
  constexpr uint64_t Count = 5000, First = 0x7ffffff00, Step = 400003;
  TraceChunk C({1, 0, First, 0, 0, 0});
  C.affine(0, 0, 0);
  PlacedRecords Records;
  appendRecords(C.Bytes, Records);
  const PlacedRecord One = Records[0];
  Records.clear();
  for (uint16_t Warp = 0; Warp < 2; ++Warp)
    for (uint64_t I = 0; I < Count; ++I) // 1777 and 5000 have no common divisor
      Records.push_back({First + I * 1777 % Count * Step, {I, Warp, 0}, One.Record});
  OrderMemory Memory;
  orderByClock(Records, Memory);
  ASSERT_EQ(Records.size(), 2 * Count);
  for (uint64_t I = 0; I < 2 * Count; ++I) {
    EXPECT_EQ(Records[I].Clock, First + I / 2 * Step);
    EXPECT_EQ(Records[I].By.Warp, I % 2);
    EXPECT_EQ(Records[I].By.Block * 1777 % Count, I / 2);
  }
}

/// An SM's blocks 0, 132 and 264, which ran one after the other.
TEST(RequestOrder, ByTurnsOfTheWarpsOfResidentBlocks) {
  TraceChunk A({1, 0, 0, 0, 0, 0}), B({1, 0, 0, 0, 1, 1}), C({1, 132, 0, 0, 0, 0}),
      D({1, 264, 0, 0, 0, 0});
  A.affine(0, 10, 0).affine(1, 20, 0);
  B.affine(2, 30, 0);
  C.affine(3, 40, 0).affine(4, 50, 0).affine(5, 60, 0);
  D.affine(6, 70, 0);
  PlacedRecords Records;
  auto Ordered = [&](uint32_t Resident) {
    Records.clear();
    for (const TraceChunk *Each : {&D, &B, &C, &A})
      appendRecords(Each->Bytes, Records);
    orderByTurns(Records, Resident, 2);
    return sitesOf(Records);
  };
  auto Slots = [&] {
    std::vector<unsigned> All;
    for (const PlacedRecord &R : Records)
      All.push_back(R.By.Slot);
    return All;
  };
  // Block 264 starts where block 0 has ended.
  EXPECT_THAT(Ordered(2), ElementsAre(0, 2, 3, 1, 4, 6, 5));
  EXPECT_THAT(Slots(), ElementsAre(0, 1, 2, 0, 2, 0, 2));
  EXPECT_THAT(Ordered(1), ElementsAre(0, 2, 1, 3, 4, 5, 6));
  EXPECT_THAT(Ordered(32), ElementsAre(0, 2, 3, 6, 1, 4, 5));
  EXPECT_THAT(Slots(), ElementsAre(0, 1, 2, 4, 0, 2, 2));
  EXPECT_EQ(Ordered(0), Ordered(1));
}

/// Two warps before and after a barrier. The second one has more to do before it, and the first one
/// after it.
TEST(RequestOrder, BarrierOrdersRequests) {
  TraceChunk A({1, 0, 0, 0, 0, 0}), B({1, 0, 0, 0, 1, 1});
  A.affine(0, 10, 0).affine(1, 40, 0).affine(2, 50, 0);
  B.affine(3, 20, 0).affine(4, 30, 0).affine(5, 60, 0);
  PlacedRecords Records;
  for (const TraceChunk *Each : {&B, &A})
    appendRecords(Each->Bytes, Records);
  orderByTurns(Records, 1, 2);
  EXPECT_THAT(sitesOf(Records), ElementsAre(0, 3, 4, 1, 5, 2));
}

/// Lanes that were apart wrote to a chunk of their own meanwhile.
TEST(RequestOrder, ChunksOfAWarpAreJoined) {
  TraceChunk Whole({1, 0, 0, 0, 0, 0}), Half({1, 0, 0, 0, 0, 0}), Again({1, 0, 0, 0, 0, 0});
  Whole.affine(0, 10, 0);
  Half.affine(1, 20, 0, 4, 0xffff);
  Again.affine(2, 30, 0);
  PlacedRecords Records;
  for (const TraceChunk *Each : {&Again, &Half, &Whole})
    appendRecords(Each->Bytes, Records);
  orderByTurns(Records, 1, 1);
  EXPECT_THAT(sitesOf(Records), ElementsAre(0, 1, 2));
}

} // namespace
} // namespace gmprof::host
