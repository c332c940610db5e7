//===- UnderusedSharedMemoryTest.cpp - Finds underused shared memory ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/UnderusedSharedMemory.h"
#include "HandMade.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;
using gmprof::test::HandMade;

namespace {

using Counts = std::vector<uint64_t>;

std::vector<Finding> find(const HandMade &H) {
  return underusedSharedMemory(H.P, sharedMemoryUse(H.P));
}

const Finding::Value *evidence(const Finding &F, const std::string &Name) {
  for (const auto &[Key, Value] : F.Evidence)
    if (Key == Name)
      return &Value;
  return nullptr;
}

uint64_t number(const Finding &F, const std::string &Name) {
  const Finding::Value *V = evidence(F, Name);
  return V ? std::get<uint64_t>(*V) : ~uint64_t(0);
}

/// Returns N times Count.
Counts all(size_t N, uint64_t Count) { return Counts(N, Count); }

/// Returns a profile of int a[512] whose first Used elements have 8 accesses.
HandMade partly(size_t Used) {
  HandMade H;
  H.variable("a", "int[512]", 4, 2048);
  Counts Sums = all(Used, 8);
  Sums.resize(512);
  H.launch(1, Sums, {1024});
  return H;
}

} // namespace

TEST(UnderusedSharedMemoryTest, ArrayIsNeverTouched) {
  HandMade H;
  H.variable("a", "int[512]", 4, 2048);
  H.launch(3, all(512, 0), {1024});
  std::vector<Finding> Found = find(H);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Pattern, "underused_shared_memory");
  EXPECT_EQ(Found[0].Kind, "never_touched");
  EXPECT_EQ(Found[0].Level, Severity::Medium); // it is all of the block's shared memory
  EXPECT_EQ(Found[0].BytesSaved, 2048u);
  EXPECT_EQ(Found[0].Object, "a");
  EXPECT_EQ(Found[0].Source.Line, 8u);
  EXPECT_EQ(number(Found[0], "never_touched_bytes"), 2048u);
  EXPECT_EQ(number(Found[0], "blocks_counted"), 3u);
  EXPECT_EQ(Found[0].Message, "None of the 2 KiB of `a` is accessed (in 3 blocks).");
}

TEST(UnderusedSharedMemoryTest, PartIsNeverTouched) {
  std::vector<Finding> Found = find(partly(256));
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "partly_touched");
  EXPECT_EQ(Found[0].BytesSaved, 1024u);
  EXPECT_EQ(Found[0].Message, "1 KiB of the 2 KiB of `a` are never accessed (in 1 block): "
                              "elements 256-511.");
  EXPECT_EQ(Found[0].Suggestion, "256 elements suffice: declare it as a[256].");
}

TEST(UnderusedSharedMemoryTest, AFewUnusedElementsAreNotWorthAWord) {
  // 31 unused elements are 124 bytes; 32 are 128 bytes and a sixteenth of the array.
  EXPECT_TRUE(find(partly(512 - 31)).empty());
  EXPECT_EQ(find(partly(512 - 32)).size(), 1u);
}

TEST(UnderusedSharedMemoryTest, PaddingIsNotUnused) {
  // tile[32][33] of a tiled multiplication: every element is reused, and the last column only pads.
  HandMade H;
  H.variable("tile", "float[32][33]", 4, 4224);
  Counts Sums;
  for (int I = 0; I < 32 * 33; ++I)
    Sums.push_back(I % 33 == 32 ? 0 : 33);
  H.launch(1, Sums, {1024});
  EXPECT_TRUE(find(H).empty());
}

TEST(UnderusedSharedMemoryTest, ATranspositionIsOnlyANote) {
  // An element is stored once and loaded once by another thread, the purpose of shared memory.
  // Counts cannot distinguish this from unnecessary use, so the severity is Info.
  HandMade H;
  uint32_t V = H.variable("tile", "float[32][33]", 4, 4224);
  H.site(V, GMPROF_ACCESS_STORE);
  H.site(V, GMPROF_ACCESS_LOAD);
  Counts Sums;
  for (int I = 0; I < 32 * 33; ++I)
    Sums.push_back(I % 33 == 32 ? 0 : 2);
  H.launch(1, Sums, {1024});
  std::vector<Finding> Found = find(H);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "no_reuse");
  EXPECT_EQ(Found[0].Level, Severity::Info);
  EXPECT_NE(Found[0].Suggestion.find("Keep the array if threads exchange data"), std::string::npos);
}

TEST(UnderusedSharedMemoryTest, ArraysReadByOtherBlocksAreNotReported) {
  HandMade H;
  uint32_t V = H.variable("a", "int[512]", 4, 2048);
  uint32_t S = H.site(V, GMPROF_ACCESS_LOAD);
  H.launch(1, all(512, 2), {1024});
  EXPECT_EQ(find(H).size(), 1u);
  H.desc().Sites[S].Space = GMPROF_SPACE_SHARED_CLUSTER;
  EXPECT_TRUE(find(H).empty());
  H.desc().Sites[S].Variable = profile::None; // may access any array
  EXPECT_TRUE(find(H).empty());
  H.desc().Sites[S].Variable = V + 1;
  EXPECT_EQ(find(H).size(), 1u);
}

TEST(UnderusedSharedMemoryTest, ReuseIsInnocent) {
  HandMade H;
  H.variable("a", "int[512]", 4, 2048);
  Counts Sums = all(512, 2);
  Sums[0] = 3; // more than two on average
  H.launch(1, Sums, {1024});
  EXPECT_TRUE(find(H).empty());
}

TEST(UnderusedSharedMemoryTest, OneAccessIsNeitherStoredAndRead) {
  HandMade H;
  uint32_t V = H.variable("a", "int[512]", 4, 2048);
  H.site(V, GMPROF_ACCESS_STORE);
  H.launch(1, all(512, 1), {1024});
  std::vector<Finding> Found = find(H);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "one_access");
  EXPECT_EQ(Found[0].Level, Severity::Low);
  EXPECT_NE(Found[0].Message.find("never loads from it"), std::string::npos);

  // The same with plain updates is only Info, and the message says why.
  H.desc().Flags = GMPROF_KERNEL_PLAIN_UPDATES;
  Found = find(H);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Level, Severity::Info);
  EXPECT_NE(Found[0].Message.find("without atomics"), std::string::npos);
}

TEST(UnderusedSharedMemoryTest, UnusedBytesAreSavedOnce) {
  HandMade H;
  H.variable("a", "int[512]", 4, 2048);
  Counts Sums = all(256, 2);
  Sums.resize(512);
  H.launch(1, Sums, {1024});
  std::vector<Finding> Found = find(H);
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0].Kind, "partly_touched");
  EXPECT_EQ(Found[0].BytesSaved, 1024u);
  EXPECT_EQ(Found[1].Kind, "no_reuse");
  EXPECT_EQ(Found[1].BytesSaved, 1024u);
}

TEST(UnderusedSharedMemoryTest, SmallArraysAreNotJudgedByReuse) {
  HandMade H;
  H.variable("total", "float[127]", 4, 508);
  H.launch(1, all(127, 2), {1024});
  EXPECT_TRUE(find(H).empty());
}

TEST(UnderusedSharedMemoryTest, ThresholdsAreNotTakenForCounts) {
  // All counts look like two accesses at a threshold of 2.
  HandMade H;
  H.desc().Threshold = 2;
  H.variable("a", "int[512]", 4, 2048);
  H.launch(1, all(512, 2), {1024}).Capped = std::vector<uint32_t>(512, 1);
  EXPECT_TRUE(find(H).empty());
}

TEST(UnderusedSharedMemoryTest, NothingIsClaimedWhereAccessesWereNotCounted) {
  HandMade H = partly(256);
  uint32_t S = H.site(0, GMPROF_ACCESS_LOAD, GMPROF_RULE_SKIPPED);
  H.desc().Sites[S].Reason = "its length is unknown";
  EXPECT_TRUE(find(H).empty());
  EXPECT_EQ(uncountedAccesses(H.desc(), sharedMemoryUse(H.P).at(0).Arrays.at(0)),
            "its length is unknown");
  // An access with an unknown target counts as well; one of device memory does not.
  H.desc().Sites[S].Variable = profile::None;
  H.desc().Sites[S].Space = GMPROF_SPACE_GENERIC;
  EXPECT_TRUE(find(H).empty());
  H.desc().Sites[S].Space = GMPROF_SPACE_GLOBAL;
  EXPECT_EQ(find(H).size(), 1u);

  H.desc().Flags = GMPROF_KERNEL_OPAQUE_CALLS;
  EXPECT_TRUE(find(H).empty());
}

// 255 unused ints are less than 1 KiB.
TEST(UnderusedSharedMemoryTest, AFewBytesThatChangeNoOccupancyAreOfNoUse) {
  for (const unsigned Unused : {255u, 256u}) {
    HandMade H;
    H.variable("a", "int[512]", 4, 2048);
    Counts Sums = all(512, 0);
    std::fill_n(Sums.begin(), 512 - Unused, 4);
    H.launch(1, Sums, {1024});
    const std::vector<Finding> Found = find(H);
    ASSERT_EQ(Found.size(), 1u);
    EXPECT_EQ(Found[0].Level, Unused == 255 ? Severity::Info : Severity::Medium);
  }
}

TEST(UnderusedSharedMemoryTest, SampledBlocksAreWeakEvidence) {
  HandMade H;
  H.variable("a", "int[2048]", 4, 8192);
  auto &C = H.launch(8, all(2048, 0), {1024});
  C.Blocks = 2;
  C.BlockSample = 4;
  std::vector<Finding> Found = find(H);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Level, Severity::Low);
  EXPECT_EQ(Found[0].Message, "None of the 8 KiB of `a` is accessed (in the 2 of 8 blocks "
                              "that were counted).");
}

TEST(UnderusedSharedMemoryTest, UnusedDynamicMemory) {
  HandMade H;
  H.dynamic("x", "int[]", 4);
  Counts Sums = all(128, 9);
  Sums.resize(256);
  H.launch(1, Sums, {1024}, 1024);
  std::vector<Finding> Found = find(H);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Suggestion,
            "Request 512 bytes of dynamic shared memory in the launch, not 1,024.");
}

TEST(UnderusedSharedMemoryTest, TheSuggestedTypeFitsTheGap) {
  auto Suggestion = [](auto IsUsed) {
    HandMade H;
    H.variable("t", "float[16][64]", 4, 4096);
    Counts Sums;
    for (int I = 0; I < 1024; ++I)
      Sums.push_back(IsUsed(I / 64, I % 64) ? 5 : 0);
    H.launch(1, Sums, {1024});
    std::vector<Finding> Found = find(H);
    return Found.empty() ? "" : Found[0].Suggestion;
  };
  EXPECT_EQ(Suggestion([](int, int Column) { return Column < 32; }),
            "32 columns suffice: declare it as t[16][32] (one more column keeps the rows on "
            "different banks).");
  EXPECT_EQ(Suggestion([](int Row, int) { return Row < 12; }),
            "12 rows suffice: declare it as t[12][64].");
  EXPECT_EQ(Suggestion([](int Row, int Column) { return Row < 12 || Column % 2; }),
            "Declare it smaller, or index it without the gaps.");
}

TEST(UnderusedSharedMemoryTest, MoreBlocksPerMultiprocessorIsSevere) {
  // 233472 bytes of shared memory hold 2 blocks of 102400 + 1024, and 4 of half the size.
  HandMade H;
  profile::Device D;
  D.SharedBytesPerSm = 233472;
  D.SharedBytesReservedPerBlock = 1024;
  D.ThreadsPerSm = 2048;
  H.P.Devices.push_back(D);
  H.variable("a", "int[25600]", 4, 102400);
  Counts Sums = all(12800, 9);
  Sums.resize(25600);
  H.launch(1, Sums, {1024});
  std::vector<Finding> Found = find(H);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(number(Found[0], "blocks_per_sm"), 2u);
  EXPECT_EQ(number(Found[0], "blocks_per_sm_after"), 4u);
  EXPECT_EQ(Found[0].Level, Severity::High);

  // Registers limit the resident blocks to 65536 / (1024 * 32) = 2, so there is less to gain.
  H.P.Kernels[0].Registers = 1024;
  Found = find(H);
  EXPECT_EQ(number(Found[0], "blocks_per_sm_after"), 2u);
  EXPECT_EQ(Found[0].Level, Severity::Medium);
}

TEST(FindingTest, FingerprintsSurviveARebuild) {
  HandMade H = partly(256);
  const std::string Before = find(H).at(0).Fingerprint;
  EXPECT_EQ(Before.size(), 16u);

  // Other lines, addresses, numbers and folders do not change it.
  HandMade Moved = partly(200);
  Moved.desc().Variables[0].Source = {"/elsewhere/k.cu", 80, 0};
  EXPECT_EQ(find(Moved).at(0).Fingerprint, Before);

  HandMade Renamed = partly(256);
  Renamed.desc().Variables[0].Name = "b";
  EXPECT_NE(find(Renamed).at(0).Fingerprint, Before);
  HandMade OtherKernel = partly(256);
  OtherKernel.P.Kernels[0].Demangled = "k(double*)";
  EXPECT_NE(find(OtherKernel).at(0).Fingerprint, Before);
  HandMade OtherFile = partly(256);
  OtherFile.desc().Variables[0].Source.File = "/src/j.cu";
  EXPECT_NE(find(OtherFile).at(0).Fingerprint, Before);
}
