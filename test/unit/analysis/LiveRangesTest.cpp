//===- LiveRangesTest.cpp - Accesses per live range, and their reuse ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/LiveRanges.h"
#include "HandMade.h"
#include "analysis/shared/NoReuseInLiveRange.h"
#include "analysis/shared/UnderusedSharedMemory.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;
using gmprof::test::HandMade;

namespace {

/// float tile[256] at address 1024, in 2 blocks with 8 tiles each; data is moved from `in` at line
/// 20, or to `out` at line 30.
struct Tiles : HandMade {
  uint32_t Tile, In, Out;

  Tiles(bool MovedIn, bool MovedOut, uint64_t AccessesPerBlock) {
    Tile = variable("tile", "float[256]", 4, 1024);
    In = pointer("in");
    Out = pointer("out");
    if (MovedIn)
      desc().Moves.push_back({GMPROF_MOVE_BEGIN, Tile, In, 4, {"/src/k.cu", 20, 3}, "k"});
    if (MovedOut)
      desc().Moves.push_back({GMPROF_MOVE_END, Tile, Out, 4, {"/src/k.cu", 30, 3}, "k"});
    desc().RangeVariables = {Tile};
    launch(2, std::vector<uint64_t>(256, 2 * AccessesPerBlock),
           {1024, profile::None, profile::None});
  }

  uint32_t pointer(const char *Name) {
    profile::Variable V;
    V.Name = Name;
    V.Kind = GMPROF_VARIABLE_PARAMETER;
    desc().Variables.push_back(V);
    return static_cast<uint32_t>(desc().Variables.size() - 1);
  }

  /// Sets the number of ranges by number of accesses, up to 7.
  Tiles &ranges(std::initializer_list<std::pair<size_t, uint64_t>> ByAccesses) {
    profile::RangeCounts C;
    C.Max = 0;
    for (auto [Accesses, Ranges] : ByAccesses) {
      C.Ranges[Accesses] = Ranges;
      C.Accesses += Accesses * Ranges;
      C.Min = std::min(C.Min, static_cast<uint32_t>(Accesses));
      C.Max = std::max(C.Max, static_cast<uint32_t>(Accesses));
    }
    P.Shared.back().Ranges = {C};
    return *this;
  }

  KernelSharedUse use() const { return sharedMemoryUse(P).at(0); }
  std::optional<LiveRangeUse> live() const { return liveRanges(P, 0, use().Arrays.at(0)); }
  std::vector<Finding> find() const { return noReuseInLiveRange(P, sharedMemoryUse(P)); }
};

const Finding::Value *evidence(const Finding &F, const std::string &Name) {
  for (const auto &[Key, Value] : F.Evidence)
    if (Key == Name)
      return &Value;
  return nullptr;
}

} // namespace

TEST(LiveRangesTest, NoRangesWithoutMoves) {
  HandMade H;
  H.variable("histogram", "int[256]", 4, 1024);
  H.launch(1, std::vector<uint64_t>(256, 9), {1024});
  EXPECT_FALSE(liveRanges(H.P, 0, sharedMemoryUse(H.P)[0].Arrays[0]));
  EXPECT_TRUE(noReuseInLiveRange(H.P, sharedMemoryUse(H.P)).empty());
}

TEST(LiveRangesTest, OneForEachWordAndBlockIsNotCounted) {
  Tiles T(/*MovedIn=*/true, /*MovedOut=*/false, 2);
  T.desc().RangeVariables.clear();
  std::optional<LiveRangeUse> Use = T.live();
  ASSERT_TRUE(Use);
  EXPECT_FALSE(Use->Counted);
  EXPECT_EQ(Use->Begins.size(), 1u);
  EXPECT_EQ(Use->Ranges, 0u);
  EXPECT_TRUE(T.find().empty());
}

TEST(LiveRangesTest, AccessesOfOtherBlocksDoNotCount) {
  Tiles T(/*MovedIn=*/true, /*MovedOut=*/false, 2);
  T.desc().RangeVariables.clear();
  T.desc().Flags |= GMPROF_KERNEL_RANGES_OF_CLUSTER;
  std::optional<LiveRangeUse> Use = T.live();
  ASSERT_TRUE(Use);
  EXPECT_EQ(Use->WhyNot, "not counted, since other blocks of the cluster may access the data");
}

TEST(LiveRangesTest, AddsUpLaunches) {
  Tiles T(/*MovedIn=*/true, /*MovedOut=*/true, 40);
  T.ranges({{3, 100}, {5, 10}});
  T.launch(1, std::vector<uint64_t>(256, 16), {1024, profile::None, profile::None});
  T.ranges({{2, 50}});
  T.P.Shared[0].Ranges[0].Capped = 7;
  std::optional<LiveRangeUse> Use = T.live();
  ASSERT_TRUE(Use && Use->Counted);
  EXPECT_EQ(Use->Ranges, 160u);
  EXPECT_EQ(Use->Capped, 7u);
  EXPECT_EQ(Use->Accesses, 300u + 50 + 100);
  EXPECT_EQ(Use->Min, 2u);
  EXPECT_EQ(Use->Max, 5u);
  ASSERT_EQ(Use->Histogram.size(), 4u); // 2, 3, 4, 5
  EXPECT_EQ(Use->Histogram[0].From, 2u);
  EXPECT_EQ(Use->Histogram[0].Ranges, 50u);
  EXPECT_EQ(Use->Histogram[2].Ranges, 0u);
  EXPECT_EQ(Use->Histogram[3].To, 6u);
}

TEST(LiveRangesTest, BucketsDoubleFromEightOn) {
  Tiles T(/*MovedIn=*/true, /*MovedOut=*/false, 4000);
  T.ranges({});
  auto &Ranges = T.P.Shared[0].Ranges[0].Ranges;
  Ranges[8] = 1;
  Ranges[14] = 2;
  Ranges[15] = 3;
  std::optional<LiveRangeUse> Use = T.live();
  ASSERT_TRUE(Use && Use->Histogram.size() == 8);
  EXPECT_EQ(Use->Histogram[0].From, 8u);
  EXPECT_EQ(Use->Histogram[0].To, 16u);
  EXPECT_EQ(Use->Histogram[6].From, 512u);
  EXPECT_EQ(Use->Histogram[7].From, 1024u);
  EXPECT_EQ(Use->Histogram[7].To, 0u);
}

TEST(LiveRangesTest, RecordsAreThoseOfOneWord) {
  Tiles T(/*MovedIn=*/true, /*MovedOut=*/false, 8);
  T.ranges({{1, 16}});
  T.P.Shared[0].RangeRecords = {
      {0, 5, 1, 2, 1, true}, {0, 9, 1, 2, 4, true}, {0, 5, 2, 3, 1, true}};
  std::optional<LiveRangeUse> Use = T.live();
  ASSERT_TRUE(Use);
  ASSERT_EQ(Use->Records.size(), 2u);
  EXPECT_EQ(Use->Records[1].Begin, 2u);
  EXPECT_EQ(Use->RecordOffset, 20u);
}

// The paper's Table IV: Jacobi's first version has 2 accesses per live range despite many per
// block; the second has 4.
TEST(NoReuseInLiveRangeTest, ResultsThatAreStoredAndMovedOut) {
  Tiles T(/*MovedIn=*/false, /*MovedOut=*/true, 16);
  T.ranges({{2, 2 * 8 * 256}});
  std::vector<Finding> Found = T.find();
  ASSERT_EQ(Found.size(), 1u);
  const Finding &F = Found[0];
  EXPECT_EQ(F.Pattern, "no_reuse_in_live_range");
  EXPECT_EQ(F.Kind, "moved_out");
  EXPECT_EQ(F.Level, Severity::Low);
  EXPECT_EQ(F.Source.Line, 30u);
  EXPECT_EQ(F.BytesSaved, 1024u);
  EXPECT_EQ(std::get<uint64_t>(*evidence(F, "live_ranges")), 4096u);
  EXPECT_EQ(std::get<double>(*evidence(F, "accesses_per_live_range")), 2.0);
  EXPECT_EQ(std::get<double>(*evidence(F, "accesses_per_element_and_block")), 16.0);
  EXPECT_EQ(F.Message,
            "4,096 live ranges of `tile` have 2 accesses on average: each result on its way to "
            "`out` is stored once and loaded once, so nothing is reused.");
  // Counts per block do not apply.
  EXPECT_TRUE(underusedSharedMemory(T.P, sharedMemoryUse(T.P)).empty());
}

TEST(NoReuseInLiveRangeTest, ReuseIsNoFinding) {
  Tiles In(/*MovedIn=*/true, /*MovedOut=*/false, 40);
  EXPECT_TRUE(In.ranges({{4, 4096}}).find().empty());
  EXPECT_TRUE(In.ranges({{2, 4096}}).find().empty());
  Tiles Out(/*MovedIn=*/false, /*MovedOut=*/true, 40);
  EXPECT_TRUE(Out.ranges({{3, 4096}}).find().empty());
  // A tile's edge may have no reuse.
  EXPECT_TRUE(In.ranges({{1, 4000}, {4, 96}}).find().empty());
  EXPECT_EQ(In.ranges({{1, 4096 - 64}, {4, 64}}).find().size(), 1u);
}

TEST(NoReuseInLiveRangeTest, DataUsedOnce) {
  std::vector<Finding> Found =
      Tiles(/*MovedIn=*/true, /*MovedOut=*/false, 16).ranges({{1, 4096}}).find();
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "moved_in");
  EXPECT_EQ(Found[0].Level, Severity::Low);
  EXPECT_EQ(Found[0].Source.Line, 20u);
}

TEST(NoReuseInLiveRangeTest, MovedDataMayBeATransposition) {
  std::vector<Finding> Found =
      Tiles(/*MovedIn=*/true, /*MovedOut=*/true, 16).ranges({{1, 4096}}).find();
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "moved_through");
  EXPECT_EQ(Found[0].Level, Severity::Info);
  EXPECT_NE(Found[0].Suggestion.find("transposition"), std::string::npos);
}

TEST(NoReuseInLiveRangeTest, InexactCountsAreNotReported) {
  Tiles Capped(/*MovedIn=*/true, /*MovedOut=*/false, 16);
  Capped.ranges({{1, 4096}});
  Capped.P.Shared[0].Ranges[0].Capped = 1;
  EXPECT_TRUE(Capped.find().empty());
  Tiles Plain(/*MovedIn=*/true, /*MovedOut=*/false, 16);
  Plain.ranges({{1, 4096}}).desc().Flags |= GMPROF_KERNEL_PLAIN_UPDATES;
  EXPECT_TRUE(Plain.find().empty());
  Tiles Skipped(/*MovedIn=*/true, /*MovedOut=*/false, 16);
  Skipped.ranges({{1, 4096}}).site(profile::None, GMPROF_ACCESS_LOAD, GMPROF_RULE_SKIPPED);
  EXPECT_TRUE(Skipped.find().empty());
}

TEST(NoReuseInLiveRangeTest, SmallArraysAreNotWorthAWord) {
  HandMade H;
  H.variable("pair", "float[64]", 4, 256);
  H.desc().Moves.push_back({GMPROF_MOVE_BEGIN, 0, profile::None, 4, {"/src/k.cu", 20, 3}, "k"});
  H.desc().RangeVariables = {0};
  profile::RangeCounts C;
  C.Ranges[1] = C.Accesses = 100;
  C.Min = C.Max = 1;
  H.launch(1, std::vector<uint64_t>(64, 9), {1024}).Ranges = {C};
  EXPECT_TRUE(noReuseInLiveRange(H.P, sharedMemoryUse(H.P)).empty());
}
