//===- PoorCacheLocalityTest.cpp - Finds poor cache locality --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/cache/PoorCacheLocality.h"
#include <gtest/gtest.h>
#include <map>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::cache;

namespace {

constexpr uint64_t A = 0x1000000, B = 0x2000000, C = 0x3000000, ObjectBytes = 0x1000000;

/// Two SMs with an LRU L1 of 16 lines each, and an LRU L2 of L2Kb that merges requests up to
/// Coalesced apart.
Architecture smallGpu(uint32_t L2Kb, uint32_t Coalesced) {
  Architecture Gpu;
  Gpu.Name = "small";
  Gpu.Sms = 2;
  Gpu.WarpsPerSm = 4;
  Gpu.BlocksPerSm = 1;
  Gpu.UnifiedKb = 2;
  Gpu.SharedKb = {0};
  Gpu.L1.Policy = Replacement::Lru;
  Gpu.L2.Kb = L2Kb;
  Gpu.L2.Ways = 4;
  Gpu.L2.Hash = SetHash::Modulo;
  Gpu.L2.CoalescedRequests = Coalesced;
  EXPECT_EQ(Gpu.impossible(), "");
  return Gpu;
}

/// A run of the kernels k and other, with the objects a, b and c.
class PoorCacheLocality : public testing::Test {
protected:
  profile::Profile P;
  std::unique_ptr<Simulator> Sim;
  PoorCacheLocalityOptions Options;
  std::vector<CachePrediction> Predictions;
  uint32_t Block = 0, Line = 1, Coalesced = 0;

  void SetUp() override {
    for (const char *Name : {"k", "other"}) {
      profile::Kernel &K = P.Kernels.emplace_back();
      K.Name = std::string("_Z") + Name;
      K.Demangled = Name;
    }
    uint64_t Id = 0;
    for (const char *Name : {"a", "b", "c"}) {
      profile::Object O;
      O.Id = ++Id;
      O.Name = profile::Name(Name);
      O.Address = Id << 24;
      O.Bytes = ObjectBytes;
      P.Objects.push_back(O);
    }
    for (uint32_t K = 0; K < 2; ++K) {
      profile::Launch L;
      L.Id = 10 + K;
      L.Kernel = K;
      P.Launches.push_back(L);
    }
  }

  void begin(uint32_t L2Kb = 16384, uint64_t Number = 10) {
    if (!Sim) {
      SimulationOptions Simulated;
      Simulated.FindsRefetches = true;
      Sim = std::make_unique<Simulator>(smallGpu(L2Kb, Coalesced), Simulated);
      for (const char *Name : {"first", "second"})
        Sim->addKernel({Name, false});
      for (uint32_t L = 0; L < 4; ++L)
        Sim->addSite({0, "/src/k.cu", 10 + L, "", {}});
      for (uint64_t Id = 1; Id <= 3; ++Id)
        Sim->allocate({Id, std::string(1, static_cast<char>('a' + Id - 1)), Id << 24, ObjectBytes});
    } else {
      Sim->endLaunch();
    }
    TraceLaunch Launch;
    Launch.Number = Number;
    Launch.Kernel = Number == 11;
    Sim->beginLaunch(Launch);
  }
  /// Makes a request of Block, which alternates between the SMs; lanes are Stride apart.
  void access(uint64_t Base, int64_t Stride = 4, AccessKind Kind = AccessKind::Load,
              uint32_t Site = 0, uint32_t Lanes = AllLanes) {
    Request R;
    R.Mask = Lanes;
    R.Site = Site;
    R.Kind = Kind;
    R.Block = Block;
    R.Affine = true;
    R.Addresses[0] = Base;
    R.Stride = Stride;
    Sim->add(Block, {&R, 1});
  }
  std::vector<Finding> findings() {
    Sim->endLaunch();
    const SimulationResults R = Sim->finish();
    return poorCacheLocality(P, cacheUse(P, R), Predictions, Options);
  }
  static std::map<std::string, Finding::Value> evidence(const Finding &F) {
    return {F.Evidence.begin(), F.Evidence.end()};
  }

  /// 32 groups of 32 rows of 1024 bytes; a warp reads the first 8 words of each row, one at a time.
  void columns() {
    for (uint64_t Group = 0; Group < 32; ++Group)
      for (uint64_t K = 0; K < 8; ++K)
        access(A + Group * 32 * 1024 + K * 4, 1024, AccessKind::Load, 1);
  }
};

} // namespace

// A request accesses 32 sectors of 32 lines, twice the size of L1; each is fetched for every one of
// its 8 words: 32 * 8 * 32 = 8192 times, 1024 of them for the first time. 7 of 8 would hit if
// nothing were evicted.
TEST_F(PoorCacheLocality, ColumnsOfMoreRowsThanFit) {
  begin();
  columns();
  for (uint64_t I = 0; I < 16; ++I)
    access(B + I * 128, 4, AccessKind::Store, 2);
  const std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  const Finding &F = Found[0];
  EXPECT_EQ(F.Pattern, "poor_cache_locality");
  EXPECT_EQ(F.Kind, "lost_in_l1");
  EXPECT_EQ(F.Level, Severity::High);
  EXPECT_EQ(F.Kernel, 0U);
  EXPECT_EQ(F.Object, "a");
  EXPECT_EQ(F.ObjectId, 1U);
  EXPECT_EQ(F.Source.File, "/src/k.cu");
  EXPECT_EQ(F.Source.Line, 11U);
  EXPECT_EQ(F.BytesSaved, 7168U * 32);
  EXPECT_FALSE(F.SecondsSaved);
  auto E = evidence(F);
  EXPECT_EQ(E["l1_hit_rate"], Finding::Value(0.0));
  EXPECT_EQ(E["l1_hit_rate_possible"], Finding::Value(0.875));
  EXPECT_EQ(E["sectors_fetched"], Finding::Value(uint64_t(8192)));
  EXPECT_EQ(E["sectors_fetched_again"], Finding::Value(uint64_t(7168)));
  EXPECT_EQ(E["sectors_fetched_again_by_block"], Finding::Value(uint64_t(7168)));
  EXPECT_EQ(E["bytes_used_of_fetched"], Finding::Value(0.125));
  EXPECT_EQ(E["dram_sectors_read"], Finding::Value(uint64_t(1024)));
  EXPECT_EQ(E["dram_sectors_read_again"], Finding::Value(uint64_t(0)));
  EXPECT_EQ(E["l2_bytes_again"], Finding::Value(uint64_t(7168 * 32)));
  EXPECT_EQ(E["share_of_kernel_traffic"], Finding::Value(7168.0 / (8192 + 64)));
  EXPECT_EQ(F.Message,
            "L1 evicts data of `a` before its next use: L1 hit rate 0 % (88 % without "
            "evictions), 224 KiB are fetched again from L2. Lanes use 12 % of the fetched bytes.");
  EXPECT_TRUE(F.Suggestion.starts_with("Let consecutive threads access consecutive elements"));
  EXPECT_FALSE(F.Fingerprint.empty());
}

// Two SMs do the same at the same time, and L2 merges their requests; but each of them evicted its
// own sectors.
TEST_F(PoorCacheLocality, SharedDataIsFetchedByEachSm) {
  Coalesced = 16;
  begin();
  for (Block = 0; Block < 2; ++Block)
    columns();
  const std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  EXPECT_EQ(Found[0].BytesSaved, 2U * 7168 * 32);
  auto E = evidence(Found[0]);
  // About 8192 sectors; without merging, it would be 15360 of 16384.
  EXPECT_LT(std::get<double>(E["l2_hit_rate"]), 0.88);
  EXPECT_EQ(E["sectors_fetched"], Finding::Value(uint64_t(2 * 8192)));
  EXPECT_EQ(E["share_of_kernel_traffic"], Finding::Value(0.875));
}

// Two SMs read 2048 sectors of 2048 rows, one word each, and not the same word: each sector is
// fetched twice, for 4 bytes each time.
TEST_F(PoorCacheLocality, SectorsThatAreSplitAmongSms) {
  // 2048 rows, 8 at a time, which fit L1.
  const auto Columns = [&](unsigned Words, uint64_t First) {
    for (uint64_t Group = 0; Group < 256; ++Group)
      for (uint64_t Word = 0; Word < Words; ++Word)
        access(A + Group * 8 * 1024 + First + Word * 4, 1024, AccessKind::Load, 1, 0xff);
  };
  begin();
  Columns(1, 0);
  Block = 1;
  Columns(1, 4);
  const std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  const Finding &F = Found[0];
  EXPECT_EQ(F.Kind, "split_among_l1s");
  EXPECT_EQ(F.Level, Severity::High);
  EXPECT_EQ(F.Source.Line, 11U);
  EXPECT_EQ(F.BytesSaved, 2048U * 32);
  auto E = evidence(F);
  EXPECT_EQ(E["sectors_fetched"], Finding::Value(uint64_t(4096)));
  EXPECT_EQ(E["sectors_fetched_split"], Finding::Value(uint64_t(2048)));
  EXPECT_EQ(E["sectors_fetched_again"], Finding::Value(uint64_t(0)));
  EXPECT_EQ(E["bytes_used_once_of_fetched"], Finding::Value(0.125));
  EXPECT_EQ(E["share_of_kernel_traffic"], Finding::Value(0.5));
  EXPECT_EQ(F.Message,
            "SMs fetch the same sectors of `a` from L2 for different bytes: 50 % of the fetched "
            "sectors, 64 KiB in all. Each SM uses 12 % of the fetched bytes before L1 evicts "
            "them.");
  EXPECT_TRUE(F.Suggestion.starts_with("Let a block work on adjacent elements"));

  const auto Both = [&](unsigned Words, uint64_t Second) {
    Sim.reset();
    begin();
    Block = 0;
    Columns(Words, 0);
    Block = 1;
    Columns(Words, Second);
    return findings();
  };
  EXPECT_EQ(Both(2, 16).size(), 1U);
  // The same words, as in structures with other fields, or in a table that all blocks read.
  EXPECT_TRUE(Both(2, 0).empty());
  // Words with three hits out of four, as within tiles.
  EXPECT_TRUE(Both(4, 16).empty());
  // Half of each sector is enough use.
  Options.UsedOfFetched = 0.25;
  EXPECT_TRUE(Both(2, 16).empty());
}

// 512 lines, 8 at a time, are read 8 times: 7 of 8 reads would hit, but a fence follows each.
TEST_F(PoorCacheLocality, SectorsLostToFences) {
  const auto Read = [&](bool Fences) {
    Sim.reset();
    begin();
    for (uint64_t Group = 0; Group < 64; ++Group)
      for (unsigned Time = 0; Time < 8; ++Time) {
        for (uint64_t I = 0; I < 8; ++I)
          access(A + (Group * 8 + I) * 128);
        Request Fence;
        Fence.Operator = CacheOperator::Fence;
        Fence.Affine = true;
        Fence.Addresses[0] = 0;
        if (Fences)
          Sim->add(Block, {&Fence, 1});
      }
    return findings();
  };
  EXPECT_TRUE(Read(false).empty());
  const std::vector<Finding> Found = Read(true);
  ASSERT_EQ(Found.size(), 1U);
  const Finding &F = Found[0];
  constexpr uint64_t Lost = uint64_t(64) * 7 * 8 * 4;
  EXPECT_EQ(F.Kind, "lost_to_fences");
  EXPECT_EQ(F.Level, Severity::High);
  EXPECT_EQ(F.Source.Line, 10U);
  EXPECT_EQ(F.BytesSaved, Lost * 32);
  auto E = evidence(F);
  EXPECT_EQ(E["sectors_lost_to_fences"], Finding::Value(Lost));
  EXPECT_EQ(E["share_of_kernel_traffic"], Finding::Value(0.875));
  EXPECT_TRUE(
      F.Message.starts_with("Fences empty L1 before the next use of `a`: L1 hit rate 0 % (88 % "
                            "without fences), 448 KiB are fetched again from L2."));
  EXPECT_TRUE(F.Suggestion.starts_with("Keep in shared memory or registers"));
  EXPECT_NE(F.Suggestion.find("The fences of a barrier of the grid must stay"), std::string::npos);
}

// 8 rows fit: all but the first word of each sector hit.
TEST_F(PoorCacheLocality, ColumnsOfFewRowsHit) {
  begin();
  for (uint64_t Group = 0; Group < 512; ++Group)
    for (uint64_t K = 0; K < 8; ++K)
      access(A + Group * 8 * 1024 + K * 4, 1024, AccessKind::Load, 1, 0xff);
  EXPECT_TRUE(findings().empty());
}

// Each line is read once and written once: nothing can hit.
TEST_F(PoorCacheLocality, StreamsAreInnocent) {
  begin();
  for (uint64_t I = 0; I < 16384; ++I) {
    Block = static_cast<uint32_t>(I / 8);
    access(A + I * 128);
    access(B + I * 128, 4, AccessKind::Store, 1);
  }
  EXPECT_TRUE(findings().empty());
}

// Column sums: a request uses a part of the bytes it fetches, and the next ones hit the rest. With
// strides of 64 bytes, half of the sectors are fetched unnecessarily, but none twice: this is
// strided access, not lost data.
TEST_F(PoorCacheLocality, StridesThatAreUsedOnceAreInnocent) {
  begin();
  for (uint64_t I = 0; I < 4096; ++I)
    access(A + I * 32 * 64, 64);
  EXPECT_TRUE(findings().empty());
}

// Each block reads a table of 8 lines at its begin; then 32 lines of a stream evict it. The table
// is fetched 1024 times again, by other blocks, in whole sectors.
TEST_F(PoorCacheLocality, BroadcastsToBlocksAreInnocent) {
  begin();
  for (Block = 0; Block < 1024; ++Block) {
    for (uint64_t I = 0; I < 8; ++I)
      access(B + I * 128, 4, AccessKind::Load, 1);
    for (uint64_t I = 0; I < 32; ++I)
      access(A + (Block * 32 + I) * 128);
  }
  Block = 0;
  EXPECT_TRUE(findings().empty());
}

// Matrices of 16 x 16 tiles with 32 lines each: blocks load a row of tiles of a, and a column of b.
// Each tile is loaded by 16 blocks, 8 on each SM.
TEST_F(PoorCacheLocality, TilesInSharedMemoryAreInnocent) {
  begin();
  for (Block = 0; Block < 256; ++Block) {
    for (uint64_t K = 0; K < 16; ++K)
      for (uint64_t Row = 0; Row < 32; ++Row) {
        access(A + ((Block / 16 * 32 + Row) * 16 + K) * 128);
        access(B + ((K * 32 + Row) * 16 + Block % 16) * 128, 4, AccessKind::Load, 1);
      }
    access(C + Block * 128, 4, AccessKind::Store, 2);
  }
  Block = 0;
  EXPECT_TRUE(findings().empty());
}

// Reads 20 whole lines 32 times, of which 16 fit: 80 sectors are fetched for the first time, 31 *
// 80 again.
TEST_F(PoorCacheLocality, ABlockThatWalksThroughMoreThanFits) {
  begin();
  for (uint64_t Time = 0; Time < 32; ++Time)
    for (uint64_t I = 0; I < 20; ++I)
      access(A + I * 128);
  const std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  EXPECT_EQ(Found[0].Kind, "lost_in_l1");
  EXPECT_EQ(Found[0].BytesSaved, 31U * 80 * 32);
  EXPECT_TRUE(Found[0].Suggestion.starts_with("Reuse it sooner"));
}

// The same accesses, by loads that bypass L1.
TEST_F(PoorCacheLocality, LoadsThatBypassL1AreNotReported) {
  begin();
  for (uint64_t Time = 0; Time < 32; ++Time)
    for (uint64_t I = 0; I < 20; ++I) {
      Request R;
      R.Affine = true;
      R.Addresses[0] = A + I * 128;
      R.Stride = 4;
      R.Operator = CacheOperator::Cg;
      Sim->add(0, {&R, 1});
    }
  EXPECT_TRUE(findings().empty());
}

// L2 has 128 lines. 2048 lines are read twice: each of 8192 sectors comes from DRAM a second time.
TEST_F(PoorCacheLocality, WalksThroughMoreThanL2Holds) {
  Options.DramBytesPerSecond = 1e6;
  begin(16);
  for (uint64_t Time = 0; Time < 2; ++Time)
    for (uint64_t I = 0; I < 2048; ++I)
      access(A + I * 128);
  const std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  EXPECT_EQ(Found[0].Kind, "lost_in_l2");
  EXPECT_EQ(Found[0].Level, Severity::High);
  EXPECT_EQ(Found[0].BytesSaved, 8192U * 32);
  EXPECT_EQ(Found[0].SecondsSaved, 8192 * 32 / 1e6);
  EXPECT_EQ(Found[0].Message,
            "L2 evicts data of `a` before its next use: 50 % of the sectors read from DRAM were in "
            "L2 earlier in the launch, 256 KiB in all (L2 hit rate 0 %).");
}

// 8192 sectors are less than a hundredth of the other kernel's 2^20.
TEST_F(PoorCacheLocality, SmallKernelsAreLow) {
  begin();
  columns();
  begin(0, 11);
  for (uint64_t I = 0; I < 1 << 18; ++I)
    access(A + I * 128); // both a and b
  const std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  EXPECT_EQ(Found[0].Kernel, 0U);
  EXPECT_EQ(Found[0].Level, Severity::Low);
}

// One line in 32 is sampled: 7168 sectors represent 229376; 200 are too few.
TEST_F(PoorCacheLocality, SamplesAreScaledAndHaveToBeLargeEnough) {
  Options.Sampled = 32;
  begin();
  columns();
  std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  EXPECT_EQ(Found[0].BytesSaved, 7168U * 32 * 32);
  EXPECT_EQ(evidence(Found[0])["lines_sampled"], Finding::Value(uint64_t(32)));
  Sim.reset();
  begin();
  for (uint64_t K = 0; K < 8; ++K)
    access(A + K * 4, 1024);
  EXPECT_TRUE(findings().empty()); // 224 sectors
}

// All successful predictions are in the evidence; the best one is in the suggestion.
TEST_F(PoorCacheLocality, ReportsPredictedChanges) {
  Predictions = {{0, "swap_threads", "x and y were swapped", 1 << 20, 1 << 18, 4096, 4096, ""},
                 {0, "block_16x16", "blocks were of 16 x 16 threads", 1 << 20, 1 << 19, 1, 1, ""},
                 {0, "block_8x8", "blocks were of 8 x 8 threads", 0, 0, 0, 0, "it has shuffles"},
                 {1, "swap_threads", "x and y were swapped", 1 << 20, 1, 0, 0, ""}};
  begin();
  columns();
  const std::vector<Finding> Found = findings();
  ASSERT_EQ(Found.size(), 1U);
  EXPECT_TRUE(Found[0].Suggestion.ends_with(" Prediction from the trace: if x and y were swapped, "
                                            "a launch moves 256 KiB instead of 1 MiB "
                                            "(-75 %) between L1 and L2."))
      << Found[0].Suggestion;
  auto E = evidence(Found[0]);
  EXPECT_EQ(E["swap_threads_l2_bytes_before"], Finding::Value(uint64_t(1) << 20));
  EXPECT_EQ(E["swap_threads_l2_bytes_after"], Finding::Value(uint64_t(1) << 18));
  EXPECT_EQ(E["block_16x16_l2_bytes_after"], Finding::Value(uint64_t(1) << 19));
  EXPECT_FALSE(E.contains("block_8x8_l2_bytes_after"));

  Predictions.resize(1);
  Predictions[0].L2BytesAfter = 1 << 20;
  Sim.reset();
  begin();
  columns();
  EXPECT_TRUE(findings()[0].Suggestion.ends_with("help much on their own."));
}

// Launches are matched to the log by number, or else by kernel name.
TEST_F(PoorCacheLocality, KernelsOfLaunches) {
  SimulationResults R;
  R.Kernels = {{"k", false}, {"_Zother", false}, {"unknown", false}};
  auto Add = [&](uint64_t Number, uint32_t Kernel) {
    R.Launches.emplace_back();
    R.Launches.back().Launch.Number = Number;
    R.Launches.back().Launch.Kernel = Kernel;
  };
  Add(11, 0);
  Add(0, 0);
  Add(99, 1);
  Add(0, 2);
  EXPECT_EQ(kernelsOfLaunches(P, R), (std::vector<uint32_t>{1, 0, 1, profile::None}));
}
