//===- WhatIfTest.cpp - Tests of rewritten traces -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/WhatIf.h"
#include "cache/TraceReader.h"
#include "cache/TraceSimulation.h"
#include "cache/TraceWriter.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace gmprof;
using namespace gmprof::cache;

namespace {

class WhatIfTest : public testing::Test {
protected:
  std::string From = testing::TempDir() + "gmprof-whatif-" + std::to_string(::getpid());
  std::string To = From + "-new";
  TraceLaunch Launch;
  TraceKernel Kernel = {"k", false};
  TraceLaunchEnd End;
  std::vector<Request> Requests; ///< of SM 0
  std::vector<TraceWritten> Written, NewWritten;

  void TearDown() override {
    std::filesystem::remove(From);
    std::filesystem::remove(To);
  }

  void write() {
    auto W = TraceWriter::create(From, {"sm_90", "", 0, 0, 0});
    ASSERT_TRUE(W);
    (*W)->addKernel(Kernel);
    for (uint32_t I = 0; I < 3; ++I)
      (*W)->addSite({0, "a.cu", I + 1, "", {}});
    (*W)->allocate({1, "m", 0x10000, 0x4000});
    for (const TraceWritten &By : Written)
      (*W)->written(By);
    (*W)->beginLaunch(Launch);
    (*W)->add(0, Requests);
    (*W)->endLaunch(End);
    ASSERT_TRUE((*W)->finish());
  }
  std::string errorOf(const WhatIf &What) {
    write();
    const Result<uint64_t> R = rewriteTrace(From, To, What);
    return R ? "" : R.error();
  }
  /// Reads the new trace's requests, launch and object.
  std::vector<Request> read(TraceLaunch &NewLaunch, TraceObject &Object) {
    auto R = TraceReader::open(To);
    EXPECT_TRUE(R) << R.error();
    std::vector<Request> All, Part;
    while (R) {
      Result<TraceItem> Item = (*R)->next();
      EXPECT_TRUE(Item);
      if (!Item || std::holds_alternative<TraceEnd>(*Item))
        break;
      if (const auto *L = std::get_if<TraceLaunch>(&*Item))
        NewLaunch = *L;
      if (const auto *O = std::get_if<TraceObject>(&*Item))
        Object = *O;
      if (const auto *By = std::get_if<TraceWritten>(&*Item))
        NewWritten.push_back(*By);
      if (const auto *C = std::get_if<RequestChunk>(&*Item)) {
        EXPECT_TRUE((*R)->unpack(*C, Part));
        All.insert(All.end(), Part.begin(), Part.end());
      }
    }
    return All;
  }

  /// Returns a request of 4 bytes per lane, `Stride` apart from `Base` on.
  static Request request(uint16_t Warp, uint64_t Base, int64_t Stride, uint32_t Site = 0) {
    Request R;
    R.Site = Site;
    R.Warp = Warp;
    R.Affine = true;
    R.Addresses[0] = Base;
    R.Stride = Stride;
    return R;
  }
};

// A column of words in rows of 128 bytes, padded with 4 bytes to 132.
TEST_F(WhatIfTest, PaddedRows) {
  Requests = {request(0, 0x10004, 128), request(0, 0x10080, 4), request(0, 0x90000, 4)};
  Written = {
      {0x10000, 0x4000}, {0x10090, 0x80}, {0x90000, 4}}; // all, parts of rows 1 and 2, others
  write();
  WhatIf What;
  What.Pad = {"m", 128, 4};
  const Result<uint64_t> Changed = rewriteTrace(From, To, What);
  ASSERT_TRUE(Changed) << Changed.error();
  EXPECT_EQ(*Changed, 2U);
  TraceObject Object;
  TraceLaunch Ignored;
  const std::vector<Request> New = read(Ignored, Object);
  EXPECT_EQ(Object.Bytes, 128U * 132);
  ASSERT_EQ(NewWritten.size(), 3U);
  EXPECT_EQ(NewWritten[0].Address, Object.Address);
  EXPECT_EQ(NewWritten[0].Bytes, Object.Bytes);
  EXPECT_EQ(NewWritten[1].Address, Object.Address + 132);
  EXPECT_EQ(NewWritten[1].Bytes, 2U * 132);
  EXPECT_EQ(NewWritten[2].Address, 0x90000U);
  ASSERT_EQ(New.size(), 3U);
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
    EXPECT_EQ(New[0].address(Lane), Object.Address + Lane * 132 + 4);
    EXPECT_EQ(New[1].address(Lane), Object.Address + 132 + Lane * 4);
    EXPECT_EQ(New[2].address(Lane), 0x90000U + Lane * 4);
  }
}

TEST_F(WhatIfTest, RefusesImpossibleRows) {
  Requests = {request(0, 0x1007c, 128)};
  Requests[0].Size = 8;
  WhatIf What;
  What.Pad = {"m", 128, 8};
  EXPECT_EQ(errorOf(What), "launch 1 (k): it accesses 8 bytes across two rows of 128, so that "
                           "these are not its rows");
  Requests[0] = request(0, 0x10080, 128);
  Requests[0].Size = 16;
  What.Pad->PadBytes = 4;
  EXPECT_EQ(errorOf(What), "launch 1 (k): with 4 bytes after each row accesses of 16 bytes would "
                           "not be aligned");
  Requests[0] = request(0, 0x10080, 4);
  Requests[0].Operator = CacheOperator::Bulk;
  EXPECT_EQ(errorOf(What),
            "launch 1 (k): bulk copies access it, which take what lies side by side");
  What.Pad->Object = "other";
  EXPECT_EQ(errorOf(What), "no object is called 'other'");
  What.Pad = {"m", 0, 4};
  EXPECT_EQ(errorOf(What), "rows and what is added to them have at least one byte");
  Requests.clear();
  What.Pad = {"m", 128, 4};
  EXPECT_EQ(errorOf(What), "nothing in the trace would change");
}

// Thread (x, y) of 8 x 32 threads accesses word 32 x + y, so the four rows y of a warp take words
// 32 apart. As 32 x 8 threads, thread (x, y) does the work of (y, x), accesses word 32 y + x, and
// each warp takes a line.
TEST_F(WhatIfTest, SwappedIndices) {
  Launch.Block = {8, 32, 1};
  for (uint16_t Warp = 0; Warp < 8; ++Warp) {
    Request R;
    R.Warp = Warp;
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
      const unsigned Thread = Warp * WarpLanes + Lane, X = Thread % 8, Y = Thread / 8;
      R.Addresses[Lane] = 0x10000 + 4 * (32 * X + Y);
    }
    Requests.push_back(R);
    R.Site = 1;
    R.Kind = AccessKind::Store;
    Requests.push_back(R);
  }
  write();
  WhatIf What;
  What.SwapThreads = true;
  const Result<uint64_t> Changed = rewriteTrace(From, To, What);
  ASSERT_TRUE(Changed) << Changed.error();
  EXPECT_EQ(*Changed, 16U);
  TraceLaunch NewLaunch;
  TraceObject Ignored;
  const std::vector<Request> New = read(NewLaunch, Ignored);
  EXPECT_EQ(NewLaunch.Block, (std::array<uint32_t, 3>{32, 8, 1}));
  ASSERT_EQ(New.size(), 16U);
  for (uint16_t I = 0; I < 16; ++I) {
    EXPECT_EQ(New[I].Warp, I / 2);
    EXPECT_EQ(New[I].Site, I % 2);
    EXPECT_EQ(New[I].Mask, AllLanes);
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      EXPECT_EQ(New[I].address(Lane), 0x10000 + 4 * (32U * (I / 2) + Lane));
  }
  // Sectors per request: 8 before, 4 after.
  const Result<Architecture> Gpu = readArchitecture("sm_90");
  auto Sectors = [&](const std::string &Path) {
    const Result<SimulationResults> R = simulateTrace(Path, *Gpu, {});
    uint64_t Sum = 0;
    for (const Cell &C : R->Cells)
      Sum += C.Counts.Sectors;
    return Sum;
  };
  EXPECT_EQ(Sectors(From), 16U * 8);
  EXPECT_EQ(Sectors(To), 16U * 4);
}

// With 2 x 32 threads only warp 0, with y < 16, has work; with 32 x 2 threads those with x < 16 in
// both warps have.
TEST_F(WhatIfTest, IdleWarpsGetWork) {
  Launch.Block = {2, 32, 1};
  Requests = {request(0, 0x10000, 4), request(0, 0x11000, 4, 1)};
  write();
  WhatIf What;
  What.SwapThreads = true;
  ASSERT_TRUE(rewriteTrace(From, To, What));
  TraceLaunch NewLaunch;
  TraceObject Ignored;
  const std::vector<Request> New = read(NewLaunch, Ignored);
  ASSERT_EQ(New.size(), 4U);
  for (unsigned I = 0; I < 4; ++I) {
    EXPECT_EQ(New[I].Warp, I % 2);
    EXPECT_EQ(New[I].Site, I / 2);
    EXPECT_EQ(New[I].Mask, 0xffffU);
    EXPECT_EQ(New[I].address(3), (I / 2 ? 0x11000U : 0x10000U) + 4 * (2 * 3 + I % 2));
  }
}

TEST_F(WhatIfTest, RefusesToSwapDependentThreads) {
  Launch.Block = {8, 8, 1};
  Requests = {request(0, 0x10000, 4), request(1, 0x11000, 4, 1)};
  WhatIf What;
  What.SwapThreads = true;
  EXPECT_EQ(errorOf(What), "launch 1 (k): the warps of block 0 do not execute the same "
                           "instructions, so that it is not known what other threads would do "
                           "together");
  Requests = {request(0, 0x10000, 4), request(1, 0x11000, 4)};
  EXPECT_EQ(errorOf(What), "");
  Requests[0].Kind = Requests[1].Kind = AccessKind::Atomic;
  EXPECT_EQ(errorOf(What),
            "launch 1 (k): it uses the results of atomics, which depend on the order of threads");
  Requests[0].Kind = Requests[1].Kind = AccessKind::Reduction;
  EXPECT_EQ(errorOf(What), "");
  Requests[0].Operator = Requests[1].Operator = CacheOperator::Bulk;
  EXPECT_EQ(errorOf(What),
            "launch 1 (k): it has bulk copies, each of which one thread makes for many");
  Requests[0].Operator = Requests[1].Operator = CacheOperator::Ca;
  End.Lost = 3;
  EXPECT_EQ(errorOf(What), "launch 1 (k): 3 of its requests are not in the trace");
  End = {};
  End.BlocksBeyond = 1; // the present blocks are complete
  EXPECT_EQ(errorOf(What), "");
  End.RequestsBeyond = 1;
  EXPECT_EQ(errorOf(What), "launch 1 (k): its trace ends where it reached its limit");
  Kernel.UsesWarps = true;
  EXPECT_EQ(errorOf(What), "launch 1 (k): what its threads do depends on which warp they are in "
                           "(it has shuffles, votes or the like), so that they cannot be put "
                           "into others");
  What.Kernel = "other";
  EXPECT_EQ(errorOf(What), "nothing in the trace would change");
}

// 2 x 2 blocks of 8 x 8 threads; thread (x, y) of 16 x 16 accesses word 16 y + x. In blocks of 16 x
// 4 a warp has two rows, a line.
TEST_F(WhatIfTest, AnotherShapeOfBlocks) {
  Launch.Grid = {2, 2, 1};
  Launch.Block = {8, 8, 1};
  Launch.BlocksPerSm = 1;
  for (uint64_t Block = 0; Block < 4; ++Block)
    for (uint16_t Warp = 0; Warp < 2; ++Warp) {
      Request R;
      R.Block = Block;
      R.Warp = Warp;
      for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
        const uint64_t Thread = Warp * WarpLanes + Lane;
        const uint64_t X = Block % 2 * 8 + Thread % 8, Y = Block / 2 * 8 + Thread / 8;
        R.Addresses[Lane] = 0x10000 + 4 * (16 * Y + X);
      }
      Requests.push_back(R);
    }
  write();
  WhatIf What;
  What.Block = {16, 4, 1};
  ASSERT_TRUE(rewriteTrace(From, To, What));
  TraceLaunch NewLaunch;
  TraceObject Ignored;
  std::vector<Request> New = read(NewLaunch, Ignored);
  EXPECT_EQ(NewLaunch.Grid, (std::array<uint32_t, 3>{1, 4, 1}));
  EXPECT_EQ(NewLaunch.Block, (std::array<uint32_t, 3>{16, 4, 1}));
  ASSERT_EQ(New.size(), 8U);
  for (unsigned I = 0; I < 8; ++I) {
    EXPECT_EQ(New[I].Block, I / 2);
    EXPECT_EQ(New[I].Warp, I % 2);
    EXPECT_EQ(New[I].Mask, AllLanes);
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      EXPECT_EQ(New[I].address(Lane), 0x10000 + 4 * (32U * I + Lane));
  }
  // With 5 columns per block, 16 = 3 * 5 + 1 columns take 4 blocks, and the last one is partly
  // empty.
  What.Block = {5, 16, 1};
  ASSERT_TRUE(rewriteTrace(From, To, What));
  New = read(NewLaunch, Ignored);
  EXPECT_EQ(NewLaunch.Grid, (std::array<uint32_t, 3>{4, 1, 1}));
  unsigned Lanes = 0;
  for (const Request &R : New)
    Lanes += R.lanes();
  EXPECT_EQ(Lanes, 256U);
  // The unchanged shape, for comparison.
  What.Block = {0, 0, 0};
  ASSERT_TRUE(rewriteTrace(From, To, What));
  New = read(NewLaunch, Ignored);
  ASSERT_EQ(New.size(), 8U);
  for (unsigned I = 0; I < 8; ++I)
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      EXPECT_EQ(New[I].address(Lane), Requests[I].Addresses[Lane]);
}

// 2 x 1 blocks of 32 x 2 threads; thread (x, y) of 64 x 2 accesses row x, word y, of rows of 128
// bytes. With x and y swapped there are 2 x 64 threads in 1 x 32 blocks of the same shape: lanes 0
// and 1 of block 0 take words 0 and 1 of row 0, the other lanes of their row have no work, and a
// row of the block is the next row of data.
TEST_F(WhatIfTest, SwappedGrid) {
  Launch.Grid = {2, 1, 1};
  Launch.Block = {32, 2, 1};
  Launch.BlocksPerSm = 1;
  for (uint64_t Block = 0; Block < 2; ++Block)
    for (uint16_t Warp = 0; Warp < 2; ++Warp) {
      Requests.push_back(request(Warp, 0x10000 + Block * 32 * 128 + Warp * 4U, 128));
      Requests.back().Block = Block;
    }
  write();
  WhatIf What;
  What.SwapGrid = true;
  ASSERT_TRUE(rewriteTrace(From, To, What));
  TraceLaunch NewLaunch;
  TraceObject Ignored;
  const std::vector<Request> New = read(NewLaunch, Ignored);
  EXPECT_EQ(NewLaunch.Grid, (std::array<uint32_t, 3>{1, 32, 1}));
  EXPECT_EQ(NewLaunch.Block, (std::array<uint32_t, 3>{32, 2, 1}));
  ASSERT_EQ(New.size(), 64U); // 32 blocks of two warps
  for (unsigned I = 0; I < 64; ++I) {
    EXPECT_EQ(New[I].Block, I / 2);
    EXPECT_EQ(New[I].Warp, I % 2);
    EXPECT_EQ(New[I].Mask, 3U);
    EXPECT_EQ(New[I].address(0), 0x10000U + I * 128);
    EXPECT_EQ(New[I].address(1), 0x10000U + I * 128 + 4);
  }
  Launch.SharedBytes = 4;
  EXPECT_EQ(errorOf(What), "launch 1 (k): its blocks have shared memory, so that threads cannot "
                           "be put into others");
  What.SwapThreads = true;
  EXPECT_EQ(errorOf(What), "of another shape of blocks, swapped threads and a swapped grid only "
                           "one can be told at a time");
}

TEST_F(WhatIfTest, RefusesOtherBlockShapes) {
  Launch.Block = {8, 8, 1};
  Requests = {request(0, 0x10000, 4), request(1, 0x11000, 4)};
  WhatIf What;
  What.Block = {64, 32, 1};
  EXPECT_EQ(errorOf(What), "a block has 1 to 1024 threads");
  What.Block = {64, 0, 1};
  EXPECT_EQ(errorOf(What), "a block has 1 to 1024 threads");
  What.Block = {64, 1, 1};
  EXPECT_EQ(errorOf(What), "");
  Launch.SharedBytes = 4;
  EXPECT_EQ(errorOf(What), "launch 1 (k): its blocks have shared memory, so that threads cannot "
                           "be put into others");
  Launch.SharedBytes = 0;
  Launch.BlockSample = 2;
  EXPECT_EQ(errorOf(What), "launch 1 (k): not all of its blocks are in the trace");
  Launch.BlockSample = 1;
  Launch.Grid = {2, 1, 1};
  Requests.push_back(request(0, 0x12000, 4, 1));
  Requests.back().Block = 1;
  EXPECT_EQ(errorOf(What), "launch 1 (k): the warps of block 1 do not execute the same "
                           "instructions as others, so that it is not known what other threads "
                           "would do together");
}

} // namespace
