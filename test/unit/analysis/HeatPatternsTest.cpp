//===- HeatPatternsTest.cpp - Figures of the paper, merged accesses --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"
#include <cmath>
#include <fmt/format.h>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;
using gmprof::profile::Temperatures;

//===----------------------------------------------------------------------===//
// Figures of the paper
//===----------------------------------------------------------------------===//

TEST(HeatPatterns, Figure3) {
  const Temperatures Coalesced = {{1, 1, 1, 1, 1, 1, 1, 1}, 1};
  const Temperatures Shared = {{1, 1, 1, 1, 1, 1, 1, 1}, 8};
  EXPECT_FALSE(isFalselyShared(Coalesced));
  EXPECT_TRUE(isFalselyShared(Shared));
  EXPECT_FALSE(isHot(Coalesced, 8));
  EXPECT_FALSE(isHot(Shared, 8));
}

TEST(HeatPatterns, ClassifiesSectors) {
  // At least four warps must share the sector and access words of their own.
  EXPECT_FALSE(isFalselyShared({{1, 1, 1, 0, 0, 0, 0, 0}, 3}));
  EXPECT_TRUE(isFalselyShared({{2, 2, 0, 0, 0, 0, 0, 0}, 4}));
  EXPECT_FALSE(isFalselyShared({{3, 3, 3, 3, 3, 3, 3, 3}, 5}));
  EXPECT_TRUE(isHot({{32, 32, 32, 32, 32, 32, 32, 32}, 32}, 32));
  EXPECT_FALSE(isHot({{15, 15, 15, 15, 15, 15, 15, 15}, 15}, 32));
  EXPECT_FALSE(isHot({{3, 3, 3, 3, 3, 3, 3, 3}, 3}, 4));
  EXPECT_FALSE(isHot({{8, 8, 8, 8, 0, 0, 0, 0}, 8}, 8)) << "half of it is not used";
  EXPECT_TRUE(isSparse({{8, 8, 8, 8, 0, 0, 0, 0}, 8}));
  EXPECT_FALSE(isSparse({{1, 1, 1, 1, 1, 0, 0, 0}, 8}));
}

TEST(HeatPatterns, Figure6aPerfectCoalescing) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Read = H.site(X, Load, 20), Write = H.site(X, Store, 21);
  for (uint32_t Site : {Read, Write})
    H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane); });
  EXPECT_EQ(found(H), Names{});
}

TEST(HeatPatterns, Figure6bFalseSharing) {
  HandMadeHeat H(8, 4);
  const uint32_t X = H.object("x", 1024);
  const uint32_t Site = H.site(X, Load, 20);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
  const std::vector<LaunchHeat> Uses = heatUse(H.done());
  const std::optional<HeatFinding> Figure = falseSharing(Uses[0], Uses[0].Objects[0]);
  ASSERT_TRUE(Figure.has_value());
  EXPECT_EQ(whole(Figure->Found, "falsely_shared_sectors"), 32u);
  EXPECT_EQ(real(Figure->Found, "share_of_object"), 1);
  EXPECT_EQ(real(Figure->Found, "mean_word_temperature"), 1);
  EXPECT_EQ(real(Figure->Found, "mean_sector_temperature"), 8);
  // The lanes of a warp are a sector apart, which is the cause.
  const std::vector<Finding> Found = heatFindings(H.P, Uses);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/load x:20"});
  const Finding &F = Found[0];
  EXPECT_EQ(F.Also, std::vector<std::string>{"false_sharing"});
  EXPECT_EQ(F.Origin, "cuThermo");
  EXPECT_EQ(F.ObjectId, 1u);
  EXPECT_EQ(F.ObjectBytes, 1024u);
  EXPECT_EQ(whole(F, "stride_bytes"), 32u);
  EXPECT_EQ(whole(F, "requests"), 8u);
  EXPECT_EQ(real(F, "sectors_per_request"), 32);
  EXPECT_EQ(real(F, "ideal_sectors_per_request"), 4);
  // Eight requests transfer 32 sectors each, and use 128 bytes; in each of four blocks.
  EXPECT_EQ(whole(F, "needless_bytes"), 4u * 8 * (32 * 32 - 128));
  EXPECT_EQ(whole(F, "blocks_sampled"), 1u);
  EXPECT_EQ(whole(F, "blocks_launched"), 4u);
  EXPECT_EQ(F.Level, Severity::High);
  EXPECT_EQ(F.BytesSaved, 0u);
}

TEST(HeatPatterns, Figure6cMisaligned) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane + 4); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"misaligned_access/offset x:20"});
  EXPECT_EQ(whole(Found[0], "misaligned_requests"), 8u);
  EXPECT_EQ(real(Found[0], "extra_sectors_per_request"), 1);
  EXPECT_EQ(real(Found[0], "extra_share"), 0.25);
  EXPECT_EQ(real(Found[0], "sectors_per_request"), 5);
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 8u * 32);
}

// The blocks of a graph's context are those of all its launches; costs are per launch.
TEST(HeatPatterns, CostsInGraphsAreThoseOfOneLaunch) {
  for (uint64_t Launches : {1, 2}) {
    HandMadeHeat H(8, 2);
    const uint32_t X = H.object("x");
    const uint32_t Site = H.site(X, Load, 20);
    H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane + 4); });
    std::vector<LaunchHeat> Uses = heatUse(H.done());
    ASSERT_EQ(Uses.size(), 1u);
    Uses[0].Launches = Launches;
    const std::vector<Finding> Found = heatFindings(H.P, Uses);
    ASSERT_EQ(Found.size(), 1u);
    EXPECT_EQ(whole(Found[0], "needless_bytes"), 2 * 8u * 32 / Launches);
    EXPECT_EQ(whole(Found[0], "launches"), Launches);
  }
}

TEST(HeatPatterns, RowsOfAPitchedAllocationNeedNoPadding) {
  for (const char *Api : {"cudaMalloc", "cudaMallocPitch"}) {
    HandMadeHeat H(8);
    const uint32_t X = H.object("x");
    H.P.Objects[0].Made.Api = Api;
    const uint32_t Site = H.site(X, Load, 20);
    H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (36 * W + Lane + 4); });
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"misaligned_access/offset x:20"});
    EXPECT_EQ(Found[0].Suggestion,
              Api == std::string("cudaMalloc")
                  ? "Keep the accesses if the index of a neighbour (x - 1, x + 1) shifts them: no "
                    "layout aligns these. Otherwise align rows to 32 bytes: by cudaMallocPitch or "
                    "padding or, where data says where they begin, by padding each row, and align "
                    "the first lane of each warp to a multiple of 8 words."
                  : "Compute the addresses of rows with the pitch of the allocation, in bytes, and "
                    "align the first lane of each warp to a multiple of 8 words.");
  }
}

// y[i] = x[i - 1]: all stores begin at a sector. Where these begin inside a sector, too, or are of
// other elements, rows may lie so.
TEST(HeatPatterns, ShiftedIndicesAreOfLowSeverity) {
  struct Case {
    unsigned Shift, Bytes;
    bool IsShifted;
  };
  for (const Case &C : {Case{0, 4, true}, Case{4, 4, false}, Case{0, 8, false}}) {
    HandMadeHeat H(8);
    const uint32_t In = H.site(H.object("x"), Load, 20);
    const uint32_t Out = H.site(H.object("y"), GMPROF_ACCESS_STORE, 20, C.Bytes);
    H.everyWarp(In, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane + 7); });
    H.everyWarp(
        Out, [&](unsigned W, unsigned Lane) { return C.Bytes * (32 * W + Lane + 8 + C.Shift); },
        C.Bytes);
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_FALSE(Found.empty());
    const Finding &F = Found[0].Object == "x" ? Found[0] : Found.back();
    EXPECT_EQ(F.Object, "x");
    EXPECT_EQ(F.Pattern + "/" + F.Kind, "misaligned_access/offset");
    EXPECT_EQ(F.Level, C.IsShifted ? Severity::Low : Severity::Medium);
    EXPECT_EQ(F.Suggestion.starts_with("Keep the accesses"), C.IsShifted);
  }
}

// A loop over the neighbours of aligned rows: two of three loads begin inside a sector, and no
// layout aligns all. Rows that all begin inside a sector are a matter of the layout.
TEST(HeatPatterns, NeighboursInALoopAreOfLowSeverity) {
  for (const bool Rows : {false, true}) {
    HandMadeHeat H(8);
    const uint32_t X = H.object("x");
    const uint32_t Site = H.site(X, Load, 20);
    for (unsigned I = 0; I < 3; ++I)
      H.everyWarp(Site, [&](unsigned W, unsigned Lane) {
        return 4 * (256 * I + 32 * W + Lane + 8 + (Rows ? 4 : I) - 1 + (Rows ? 1 : 0));
      });
    const std::vector<Finding> Found = findingsOf(H);
    ASSERT_EQ(names(Found), Names{"misaligned_access/offset x:20"});
    EXPECT_EQ(whole(Found[0], "misaligned_requests"), Rows ? 24u : 16u);
    EXPECT_EQ(Found[0].Level, Rows ? Severity::Medium : Severity::Low);
    EXPECT_EQ(Found[0].Suggestion.starts_with("Keep the accesses"), !Rows);
  }
}

TEST(HeatPatterns, Figure6dStrided) {
  // Eight warps access one word in each of five sectors.
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  for (unsigned I = 0; I < 5; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * (8 * I + 3); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"strided_access/across_iterations x:20"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 32u);
  EXPECT_EQ(whole(Found[0], "sparse_sectors"), 5u);
  EXPECT_EQ(real(Found[0], "words_used_per_sector"), 1);
  EXPECT_EQ(real(Found[0], "wasted_share"), 7.0 / 8);
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 5u * 8 * 28);
}

TEST(HeatPatterns, Figure6eHot) {
  HandMadeHeat H(32);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  for (unsigned I = 0; I < 8; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned Lane) { return 4 * (32 * I + Lane); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"hot_spot x:20"});
  EXPECT_EQ(whole(Found[0], "hot_sectors"), 32u);
  EXPECT_EQ(real(Found[0], "mean_word_temperature"), 32);
  EXPECT_EQ(real(Found[0], "word_variation"), 0);
  EXPECT_EQ(real(Found[0], "mean_sector_temperature"), 32);
  EXPECT_EQ(whole(Found[0], "warps_per_block"), 32u);
  // 32 warps load 32 sectors; loading each once suffices.
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 31u * 32 * 32);
  EXPECT_EQ(Found[0].Level, Severity::Medium);
}

// Each warp loads the same row of weights: 8 requests per warp are a hot spot, of which 7 save
// little.
TEST(HeatPatterns, AFewRequestsThatL1Serves) {
  const auto Of = [](unsigned Requests) {
    HandMadeHeat H(8);
    const uint32_t Weights = H.object("weights"), In = H.object("in");
    const uint32_t Site = H.site(Weights, Load, 20, 16), Other = H.site(In, Load, 21, 16);
    for (unsigned I = 0; I < Requests; ++I) {
      H.everyWarp(Site, [&](unsigned, unsigned Lane) { return 16 * (32 * I + Lane); });
      H.everyWarp(Other, [&](unsigned W, unsigned L) { return 16 * (32 * (8 * I + W) + L); });
    }
    return findingsOf(H);
  };
  const std::string Compare =
      "Compare the times of both versions: L1 may serve these loads as fast.";
  for (const unsigned Requests : {7u, 8u}) {
    const std::vector<Finding> Found = Of(Requests);
    ASSERT_EQ(names(Found), Names{"hot_spot weights:20"});
    EXPECT_EQ(Found[0].Level, Requests == 7 ? Severity::Low : Severity::Medium);
    EXPECT_EQ(Found[0].Suggestion.ends_with(Compare), Requests == 7);
  }
}

TEST(HeatPatterns, Figure6fRandomHot) {
  HandMadeHeat H(32);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  Random R;
  for (unsigned I = 0; I < 4; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * R.below(512); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"hot_spot/random x:20"});
  // 128 requests load the 64 sectors again and again; an order of the indices saves less.
  const double Sectors = real(Found[0], "sectors_per_request"),
               Ideal = real(Found[0], "ideal_sectors_per_request");
  EXPECT_EQ(whole(Found[0], "requests"), 128u);
  EXPECT_EQ(whole(Found[0], "needless_bytes"), std::llround(128 * (Sectors - Ideal)) * 32);
  EXPECT_LT(whole(Found[0], "needless_bytes"), (std::llround(128 * Sectors) - 64) * 32);
}

TEST(HeatPatterns, RandomHotOfSeveralBlocks) {
  // Enough accesses to make all words equally hot: in one block, this is an ordinary hot spot.
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  Random R;
  for (unsigned I = 0; I < 40; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned) { return 4 * R.below(256); });
  H.done();
  EXPECT_EQ(names(heatFindings(H.P, heatUse(H.P))), Names{"hot_spot x:20"});
  for (profile::HeatRun &Run : H.P.Heat[0].Maps[0].Runs)
    Run.SeveralBlocks = true;
  EXPECT_EQ(names(heatFindings(H.P, heatUse(H.P))), Names{"hot_spot/random x:20"});
}

/// Lane L of all warps accesses word K of row L, of 64 words each.
static std::vector<Finding> columns(GmprofAccessKind Kind) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Kind, 20);
  for (unsigned K = 0; K < 64; ++K)
    H.everyWarp(Site, [&](unsigned, unsigned Lane) { return 4 * (Lane * 64 + K); });
  return findingsOf(H);
}

TEST(HeatPatterns, UncoalescedLoad) {
  const std::vector<Finding> Found = columns(Load);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/load x:20"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 256u);
  EXPECT_EQ(real(Found[0], "wasted_share"), 7.0 / 8);
  EXPECT_EQ(real(Found[0], "sectors_per_request"), 32);
  EXPECT_EQ(real(Found[0], "ideal_sectors_per_request"), 4);
  // 8 warps make 64 requests for 28 sectors more than 4.
  EXPECT_EQ(whole(Found[0], "needless_bytes"), 8u * 64 * 28 * 32);
  EXPECT_EQ(Found[0].Level, Severity::High);
  EXPECT_EQ(Found[0].Message, "32 sectors/request (ideal 4): lanes of a warp read `x` with a "
                              "stride of 256 bytes.");
  EXPECT_EQ(Found[0].Suggestion, "Swap the indices so that consecutive lanes (threadIdx.x) read "
                                 "consecutive elements, or transpose the data; renumber the "
                                 "elements if the indices are data.");
}

// All warps read a member of the same structures of 32 bytes: no index can be swapped.
TEST(HeatPatterns, UncoalescedMembersOfStructures) {
  HandMadeHeat H(8);
  const uint32_t Bodies = H.object("bodies");
  for (unsigned Member = 0; Member < 8; ++Member) {
    const uint32_t Site = H.site(Bodies, Load, 9 + Member);
    H.everyWarp(Site, [&](unsigned, unsigned Lane) { return 32 * Lane + 4 * Member; });
  }
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/load bodies:9"});
  EXPECT_EQ(whole(Found[0], "stride_bytes"), 32u);
  EXPECT_EQ(Found[0].Suggestion,
            "Turn an array of structures into a structure of arrays; of a matrix, swap the indices "
            "so that consecutive lanes (threadIdx.x) read consecutive elements; renumber the "
            "elements if the indices are data.");
}

TEST(HeatPatterns, UncoalescedStore) {
  const std::vector<Finding> Found = columns(Store);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/store x:20"});
  EXPECT_EQ(Found[0].Message, "32 sectors/request (ideal 4): lanes of a warp write `x` with a "
                              "stride of 256 bytes.");
}

/// The findings about requests of 8 warps for words that data chooses among Words.
static std::vector<Finding> scattered(GmprofAccessKind Kind, unsigned Words, unsigned Lanes = 32) {
  HandMadeHeat H(8);
  const uint32_t Table = H.object("table", uint64_t(Words) * 4);
  const uint32_t Site = H.site(Table, Kind, 20);
  Random R;
  for (unsigned I = 0; I < 4; ++I)
    H.everyWarp(Site, [&](unsigned, unsigned Lane) -> std::optional<uint64_t> {
      const uint64_t At = 4 * R.below(Words);
      return Lane < Lanes ? std::optional(At) : std::nullopt;
    });
  return findingsOf(H);
}

// The table has 2^20 words, so that each lane accesses a sector of its own.
TEST(HeatPatterns, GathersAndScatters) {
  std::vector<Finding> Found = scattered(Load, 1 << 20);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/gather table:20"});
  EXPECT_EQ(Found[0].Level, Severity::Low);
  EXPECT_EQ(Found[0].Message, "32 sectors/request (ideal 4): lanes of a warp read `table` at "
                              "addresses without a pattern.");
  EXPECT_EQ(names(scattered(Store, 1 << 20)), Names{"uncoalesced_access/scatter table:20"});
  EXPECT_EQ(names(scattered(Atomic, 1 << 20)), Names{});
  EXPECT_EQ(names(scattered(Load, 1 << 20, 15)), Names{}); // few lanes
  EXPECT_EQ(names(scattered(Load, 1 << 13)), Names{});     // 32 KiB
}

TEST(HeatPatterns, AtomicsInColumnsAreAHotSpot) {
  EXPECT_EQ(names(columns(Atomic)), Names{"hot_spot x:20"});
}

//===----------------------------------------------------------------------===//
// Merging of launches and objects
//===----------------------------------------------------------------------===//

// Findings do not depend on how the compiler inlined the function.
TEST(HeatPatterns, InlinedCallsAreOneAccess) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  H.desc().Inlines.resize(2);
  for (uint32_t Call : {0u, 1u}) {
    const uint32_t Site = H.site(X, Load, 6);
    H.desc().Sites[Site].InlinedAt = Call;
    for (unsigned Time = 0; Time <= Call; ++Time)
      H.everyWarp(Site, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  }
  H.done();
  const std::vector<LaunchHeat> Uses = heatUse(H.P);
  ASSERT_EQ(Uses.at(0).Accesses.size(), 1u);
  const HeatAccess &A = Uses[0].Accesses[0];
  EXPECT_EQ(A.Instructions, 2u);
  EXPECT_EQ(A.Requests.requests, 24u);
  ASSERT_EQ(A.Inlined.size(), 2u);
  EXPECT_EQ(A.Inlined.at(0).requests, 8u);
  EXPECT_EQ(A.Inlined.at(1).requests, 16u);
  EXPECT_EQ(A.Inlined.at(1).transactions, 64u);
}

TEST(HeatPatterns, ObjectsThatNoVariableNames) {
  // One of two objects accessed from one line is known; the other site accesses the other object.
  HandMadeHeat H(8);
  const uint32_t X = H.object("x"), Y = H.object("");
  const uint32_t OfX = H.site(X, Load, 6, 4, 10), OfY = H.site(Y, Load, 6, 4, 20);
  H.everyWarp(OfX, [](unsigned W, unsigned L) { return 4 * (32 * W + L); });
  H.everyWarp(OfY, [](unsigned W, unsigned L) { return 4 * (32 * W + L + 1); });
  H.done();
  H.P.Heat[0].Objects[Y] = 0;
  H.desc().Sites[OfY].Variable = profile::None;
  const std::vector<LaunchHeat> Uses = heatUse(H.P);
  ASSERT_EQ(Uses.size(), 1u);
  ASSERT_EQ(Uses[0].Objects.size(), 2u);
  ASSERT_EQ(Uses[0].Objects[1].Accesses.size(), 1u);
  EXPECT_EQ(Uses[0].Accesses[Uses[0].Objects[1].Accesses[0]].Requests.misaligned, 8u);
  const std::vector<Finding> Found = heatFindings(H.P, Uses);
  ASSERT_EQ(names(Found), Names{"misaligned_access/offset :6"});
  EXPECT_EQ(Found[0].ObjectId, 2u);
  EXPECT_EQ(Found[0].Message.find("64 of"), std::string::npos);
  EXPECT_NE(Found[0].Message.find("an allocation of 16 MiB"), std::string::npos);
}

TEST(HeatPatterns, InstructionsOfAnUnrolledLoopAreOneAccess) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  for (unsigned I = 0; I < 4; ++I)
    H.everyWarp(H.site(X, Load, 6),
                [&](unsigned W, unsigned L) { return 4 * (256 * I + 32 * W + L + 3); });
  const std::vector<LaunchHeat> Uses = heatUse(H.done());
  ASSERT_EQ(Uses[0].Accesses.size(), 1u);
  EXPECT_EQ(Uses[0].Accesses[0].Instructions, 4u);
  EXPECT_EQ(Uses[0].Accesses[0].Requests.requests, 32u);
  EXPECT_EQ(Uses[0].Sectors, 32u * 5);
  EXPECT_EQ(names(heatFindings(H.P, Uses)), Names{"misaligned_access/offset x:6"});
}

// A program swaps two buffers between launches: the parameter's accesses are one finding. Other
// lines are other findings.
TEST(HeatPatterns, BuffersThatLaunchesSwapAreOneFinding) {
  for (const unsigned SecondLine : {20u, 21u}) {
    HandMadeHeat H(8);
    const uint32_t X = H.object("x");
    const uint32_t Sites[] = {H.site(X, Load, 20), H.site(X, Load, SecondLine, 4, 9)};
    H.P.CallPaths.resize(2);
    for (unsigned Launch = 0; Launch < 2; ++Launch) {
      if (Launch != 0)
        H.launch();
      H.everyWarp(Sites[SecondLine == 20 ? 0 : Launch],
                  [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
    }
    std::vector<LaunchHeat> Uses = heatUse(H.done());
    ASSERT_EQ(Uses.size(), 2u);
    for (uint32_t Launch = 0; Launch < 2; ++Launch)
      Uses[Launch].Objects[0].CallPath = Launch;
    const std::vector<Finding> Found = heatFindings(H.P, Uses);
    ASSERT_EQ(names(Found), SecondLine == 20 ? Names{"uncoalesced_access/load x:20"}
                                             : (Names{"uncoalesced_access/load x:20",
                                                      "uncoalesced_access/load x:21"}));
    EXPECT_EQ(whole(Found[0], "launches"), SecondLine == 20 ? 2u : 1u);
  }
}

TEST(HeatPatterns, TheWorstLaunchGivesTheNumbers) {
  HandMadeHeat H(8);
  const uint32_t X = H.object("x");
  const uint32_t Site = H.site(X, Load, 20);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
  H.launch(3);
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (8 * Lane + W); });
  H.launch();
  H.everyWarp(Site, [](unsigned W, unsigned Lane) { return 4 * (32 * W + Lane); });
  const std::vector<Finding> Found = findingsOf(H);
  ASSERT_EQ(names(Found), Names{"uncoalesced_access/load x:20"});
  EXPECT_EQ(whole(Found[0], "blocks_launched"), 3u);
  EXPECT_EQ(whole(Found[0], "launches"), 2u);
  EXPECT_EQ(whole(Found[0], "launches_sampled"), 3u);
  EXPECT_EQ(Found[0].Fingerprint.size(), 16u);
}
