//===- PlacedRequestsTest.cpp - Tests of blocks at their untraced places --===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/PlacedRequests.h"
#include "../../TemporaryFolder.h"
#include "TestTraceChunk.h"
#include <filesystem>
#include <gmock/gmock.h>

namespace gmprof::host {
namespace {

using test::TraceChunk;
using testing::ElementsAre;

/// Site, clock and slot of a record.
using Placed = std::tuple<uint32_t, uint64_t, unsigned>;

std::vector<Placed> placed(const PlacedRecords &Of) {
  std::vector<Placed> All;
  for (const PlacedRecord &R : Of)
    All.emplace_back(R.Record->what & GMPROF_SITE_MASK, R.Clock, R.By.Slot);
  return All;
}

PlacedRecords recordsOf(const std::vector<const TraceChunk *> &Chunks) {
  PlacedRecords Records;
  for (const TraceChunk *Each : Chunks)
    appendRecords(Each->Bytes, Records);
  return Records;
}

/// Both blocks ran on SM 0, one after the other; untraced, they overlap on SM 5. Block 1 ran for
/// 200 cycles and takes 40: a record in the middle stays in the middle.
TEST(PlacedRequests, TimesAreThoseOfTheUntracedBlock) {
  TraceChunk A({1, 0, 0, 0, 0, 3}), B({1, 1, 0, 0, 1, 4});
  A.affine(0, 100, 0).affine(1, 200, 0);
  B.affine(2, 300, 0).affine(3, 400, 0).affine(4, 500, 0);
  const PlacedBlocks Where = {{1000, 1050, 5}, {1020, 1060, 5}};
  const auto Found = placeRecords({{0, recordsOf({&A, &B})}}, Where, 2);
  ASSERT_TRUE(Found);
  ASSERT_EQ(Found->size(), 1u);
  EXPECT_THAT(placed(Found->at(5)),
              ElementsAre(Placed(0, 1000, 0), Placed(2, 1020, 3), Placed(3, 1040, 3),
                          Placed(1, 1050, 0), Placed(4, 1060, 3)));
}

/// Block 2 begins when block 0 has ended, and gets its place; block 3 is on another SM.
TEST(PlacedRequests, PlacesAreUsedAgain) {
  TraceChunk A({1, 0, 0, 0, 0, 0}), B({1, 1, 0, 0, 0, 0}), C({1, 2, 0, 0, 0, 0}),
      D({1, 3, 0, 0, 0, 0});
  A.affine(0, 10, 0);
  B.affine(1, 10, 0);
  C.affine(2, 10, 0);
  D.affine(3, 10, 0);
  const PlacedBlocks Where = {{10, 20, 0}, {15, 40, 0}, {20, 30, 0}, {5, 50, 1}};
  const auto Found = placeRecords({{0, recordsOf({&A, &C})}, {1, recordsOf({&B, &D})}}, Where, 4);
  ASSERT_TRUE(Found);
  EXPECT_THAT(placed(Found->at(0)),
              ElementsAre(Placed(0, 10, 0), Placed(1, 15, 4), Placed(2, 20, 0)));
  EXPECT_THAT(placed(Found->at(1)), ElementsAre(Placed(3, 5, 0)));
}

TEST(PlacedRequests, RefusesBlocksWithoutAPlace) {
  TraceChunk A({1, 1, 0, 0, 0, 0});
  A.affine(0, 10, 0);
  const RecordsOfSms Traced = {{0, recordsOf({&A})}};
  EXPECT_FALSE(placeRecords(Traced, {{1, 2, 0}}, 1));
  EXPECT_FALSE(placeRecords(Traced, {{1, 2, 0}, {}}, 1));        // did not run
  EXPECT_FALSE(placeRecords(Traced, {{1, 2, 0}, {9, 8, 0}}, 1)); // ended before it began
  EXPECT_TRUE(placeRecords(Traced, {{1, 2, 0}, {1, 2, 0}}, 1));
}

TEST(BlockPlacements, FileHasEachLaunch) {
  const test::TemporaryFolder Own;
  const std::string Path = BlockPlacements::pathOf(Own.file("events-7.gmlog"));
  EXPECT_EQ(Path, Own.file("events-7.gmblocks"));
  const PlacedLaunch First = {"_Z1kv", 1, {2, 1, 1}, {32, 1, 1}};
  PlacedLaunch Second = First;
  Second.Number = 2;
  const std::vector<GmprofPlacedBlock> Blocks = {{1, 2, 3}, {4, 5, 6}}, Others = {{7, 8, 9}};
  ASSERT_TRUE(BlockPlacements::append(Path, First, Blocks));
  ASSERT_TRUE(BlockPlacements::append(Path, Second, Others));
  Result<BlockPlacements> Read = BlockPlacements::read(Path);
  ASSERT_TRUE(Read) << Read.error();
  const auto Found = Read->find(First);
  ASSERT_TRUE(Found);
  ASSERT_EQ(Found->size(), 2u);
  EXPECT_EQ(Found->at(1).end, 5u);
  EXPECT_EQ(Read->find(Second)->at(0).sm, 9u);
  PlacedLaunch Other = First;
  Other.Grid[0] = 3;
  EXPECT_FALSE(Read->find(Other));

  // The program was killed while the second launch was written.
  std::filesystem::resize_file(Path, std::filesystem::file_size(Path) - 1);
  Read = BlockPlacements::read(Path);
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_TRUE(Read->find(First));
  EXPECT_FALSE(Read->find(Second));
  EXPECT_EQ(BlockPlacements::read(Own.file("none")).error(),
            "cannot read '" + Own.file("none") + "': No such file or directory");
}

} // namespace
} // namespace gmprof::host
