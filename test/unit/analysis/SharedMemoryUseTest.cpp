//===- SharedMemoryUseTest.cpp - Access counts in shared memory -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/SharedMemoryUse.h"
#include "HandMade.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;
using gmprof::test::HandMade;

namespace {

using Counts = std::vector<uint64_t>;

std::vector<std::pair<uint64_t, uint64_t>> ranges(const SharedArray &A) {
  std::vector<std::pair<uint64_t, uint64_t>> Out;
  for (Range R : A.NeverTouched)
    Out.emplace_back(R.First, R.Last);
  return Out;
}

/// Returns the only array of the only kernel.
SharedArray only(const HandMade &H) {
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  EXPECT_EQ(Uses.size(), 1u);
  EXPECT_EQ(Uses.at(0).Arrays.size(), 1u);
  return Uses.at(0).Arrays.at(0);
}

} // namespace

TEST(ArrayBoundsTest, ReadsTheEndOfAType) {
  EXPECT_EQ(arrayBounds("float[32][33]"), (Counts{32, 33}));
  EXPECT_EQ(arrayBounds("double [7]"), (Counts{7}));
  EXPECT_EQ(arrayBounds("std::array<int[3], 2>[5]"), (Counts{5}));
  EXPECT_EQ(arrayBounds("int"), Counts{});
  EXPECT_EQ(arrayBounds("int[]"), Counts{});
  EXPECT_EQ(arrayBounds("int[][4]"), Counts{});
  EXPECT_EQ(arrayBounds("int[n]"), Counts{});
  EXPECT_EQ(arrayBounds("]"), Counts{});
  EXPECT_EQ(arrayBounds("int[99999999999999999999]"), Counts{});
}

TEST(SharedMemoryUseTest, StandardErrorOfSampledBlocks) {
  HandMade H;
  H.variable("a", "double[2]", 8, 16);
  // 4 of 16 blocks are counted: 40 accesses of two words each.
  profile::SharedCounts &C = H.launch(16, {25, 25, 15, 15}, {1024});
  C.Blocks = 4;
  C.BlockSample = 4;
  const double Rest = 1 - 4.0 / 16;
  // The coefficient of variation is taken as 1 if there are no groups.
  EXPECT_DOUBLE_EQ(only(H).TotalEstimate.Value, 160);
  EXPECT_DOUBLE_EQ(only(H).StandardError, 16 * 10 * std::sqrt(Rest / 4));
  // Groups with 10, 20, 20 and 30 words have a variance of 200 / 3, a quarter of it in doubles.
  C.DegreesOfFreedom = 3;
  C.Deviations = {200};
  EXPECT_DOUBLE_EQ(only(H).StandardError, 16 * std::sqrt(200 / 3.0 / 4) * std::sqrt(Rest / 4));
  // All blocks of two of eight launches are counted.
  C.Blocks = 16;
  H.P.Launches[0].Times = 2;
  C.Blocks = 32;
  for (int I = 0; I < 6; ++I)
    H.plainLaunch(16);
  EXPECT_DOUBLE_EQ(only(H).TotalEstimate.Value, 160);
  EXPECT_DOUBLE_EQ(only(H).StandardError, 160 * std::sqrt((1 - 2.0 / 8) / 2));
}

TEST(SharedMemoryUseTest, WordsGoToTheVariableAtTheirAddress) {
  HandMade H;
  H.variable("a", "float[4]", 4, 16);
  H.variable("b", "int[2]", 4, 8);
  // b comes first; the last word belongs to no variable.
  H.launch(2, {10, 20, 2, 4, 6, 8, 5}, {1032, 1024});
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  ASSERT_EQ(Uses.size(), 1u);
  EXPECT_EQ(Uses[0].Blocks, 2u);
  EXPECT_EQ(Uses[0].Threads, 64u);
  EXPECT_EQ(Uses[0].BlocksExpected, 2u);
  EXPECT_EQ(Uses[0].BlocksLaunched, 2u);
  EXPECT_EQ(Uses[0].Other, 5u);
  ASSERT_EQ(Uses[0].Arrays.size(), 2u);
  const SharedArray &A = Uses[0].Arrays[0], &B = Uses[0].Arrays[1];
  EXPECT_EQ(A.displayName(), "a");
  EXPECT_EQ(A.Sums, (Counts{2, 4, 6, 8}));
  EXPECT_EQ(A.Dims, (Counts{4}));
  EXPECT_EQ(A.Min.Value, 1);
  EXPECT_EQ(A.Mean.Value, 2.5);
  EXPECT_EQ(A.Max.Value, 4);
  EXPECT_EQ(A.Total.Value, 20);
  EXPECT_FALSE(A.Total.AtLeast);
  EXPECT_EQ(A.Touched, 4u);
  EXPECT_EQ(B.displayName(), "b");
  EXPECT_EQ(B.Sums, (Counts{10, 20}));
  EXPECT_EQ(B.Mean.Value, 7.5);
}

TEST(SharedMemoryUseTest, LaunchesOfAKernelAreMerged) {
  HandMade H;
  H.variable("a", "float[2]", 4, 8);
  H.launch(1, {3, 0}, {1024});
  H.launch(3, {5, 4}, {1024});
  SharedArray A = only(H);
  EXPECT_EQ(A.Sums, (Counts{8, 4}));
  EXPECT_EQ(A.Blocks, 4u);
  EXPECT_EQ(A.Min.Value, 1);
  EXPECT_EQ(A.Max.Value, 2);
}

TEST(SharedMemoryUseTest, AnElementCountsAsItsMostAccessedWord) {
  HandMade H;
  H.variable("d", "double[2]", 8, 16);
  // d[0] has 3 accesses as a double; one half of d[1] has two more.
  H.launch(1, {3, 3, 1, 3}, {1024});
  SharedArray A = only(H);
  EXPECT_FALSE(A.CountsWords);
  EXPECT_EQ(A.CountBytes, 8u);
  EXPECT_EQ(A.Sums, (Counts{3, 3}));
  EXPECT_EQ(A.Total.Value, 6);
}

TEST(SharedMemoryUseTest, FieldsThatAreUsedDifferentlyAreCountedByWord) {
  HandMade H;
  // Whole float4s, and points whose second field is unused.
  H.variable("v", "float4[2]", 16, 32);
  H.variable("p", "Point[2]", 12, 24);
  H.launch(1, {5, 5, 5, 5, 2, 2, 2, 2, 2, 0, 3, 2, 0, 3}, {1024, 1056});
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  const SharedArray &V = Uses.at(0).Arrays.at(0), &P = Uses.at(0).Arrays.at(1);
  EXPECT_FALSE(V.CountsWords);
  EXPECT_EQ(V.Sums, (Counts{5, 2}));
  EXPECT_TRUE(P.CountsWords);
  EXPECT_EQ(P.Sums, (Counts{2, 0, 3, 2, 0, 3}));
  EXPECT_EQ(P.UnusedBytes, 8u);
}

TEST(SharedMemoryUseTest, SmallOrUnalignedElementsAreCountedByWord) {
  HandMade H;
  H.variable("bytes", "char[6]", 1, 6);
  H.variable("odd", "char[3]", 1, 3); // shares a word with bytes
  H.launch(1, {7, 0}, {1024, 1030});
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  const SharedArray &Bytes = Uses.at(0).Arrays.at(0);
  EXPECT_TRUE(Bytes.CountsWords);
  EXPECT_EQ(Bytes.Sums, (Counts{7, 0}));
  EXPECT_EQ(Bytes.Untouched, "elements 4-7");
  // The last byte of 1030 to 1032 is in a word beyond the counted ones.
  const SharedArray &Odd = Uses.at(0).Arrays.at(1);
  EXPECT_TRUE(Odd.CountsWords);
  EXPECT_EQ(Odd.Sums, (Counts{0}));
  EXPECT_EQ(Odd.UncountedBytes, 4u);
}

TEST(SharedMemoryUseTest, StaticCountsAreAddedForEveryThread) {
  HandMade H;
  uint32_t V = H.variable("a", "float[4]", 4, 16);
  H.desc().Statics.push_back({V, 0, 4, 8, 3}); // elements 1 and 2, 3 times per thread
  H.launch(2, {1, 0, 0, 0}, {1024});           // 64 threads
  SharedArray A = only(H);
  EXPECT_EQ(A.Sums, (Counts{1, 192, 192, 0}));
  EXPECT_EQ(ranges(A), (std::vector<std::pair<uint64_t, uint64_t>>{{3, 3}}));
}

TEST(SharedMemoryUseTest, DynamicMemoryIsOneRegionWithAllNames) {
  HandMade H;
  H.variable("s", "int", 4, 4);
  H.dynamic("x", "float[]", 4);
  H.dynamic("y", "float[]", 4);
  H.launch(1, {9, 1, 2, 3}, {1024, 1028, 1028}, 12);
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  ASSERT_EQ(Uses.at(0).Arrays.size(), 2u);
  const SharedArray &A = Uses[0].Arrays[1];
  EXPECT_TRUE(A.Dynamic);
  EXPECT_EQ(A.displayName(), "x, y");
  EXPECT_EQ(A.Type, "float[]");
  EXPECT_EQ(A.Bytes, 12u);
  EXPECT_EQ(A.Sums, (Counts{1, 2, 3}));
  EXPECT_EQ(Uses[0].Other, 0u);
}

TEST(SharedMemoryUseTest, AliasesOfDifferentTypesAreCountedByWord) {
  HandMade H;
  H.dynamic("x", "double[]", 8);
  H.dynamic("y", "int[]", 4);
  H.launch(1, {1, 2}, {1024, 1024}, 8);
  SharedArray A = only(H);
  EXPECT_EQ(A.ElementBytes, 0u);
  EXPECT_EQ(A.Type, "");
  EXPECT_EQ(A.Sums, (Counts{1, 2}));
}

TEST(SharedMemoryUseTest, DynamicRegionsOfDifferentSizesAreSeparate) {
  HandMade H;
  H.dynamic("x", "int[]", 4);
  H.launch(1, {1, 1}, {1024}, 8);
  H.launch(1, {2}, {1024}, 4);
  H.launch(1, {3, 3}, {1024}, 8);
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  ASSERT_EQ(Uses.at(0).Arrays.size(), 2u);
  EXPECT_EQ(Uses[0].Arrays[0].Sums, (Counts{2}));
  EXPECT_EQ(Uses[0].Arrays[0].BlocksLaunched, 1u);
  EXPECT_EQ(Uses[0].Arrays[1].Sums, (Counts{4, 4}));
  EXPECT_EQ(Uses[0].Arrays[1].BlocksLaunched, 2u);
}

TEST(SharedMemoryUseTest, UnnamedDynamicMemoryIsListed) {
  HandMade H;
  H.launch(1, {0, 0}, {}, 8);
  SharedArray A = only(H);
  EXPECT_EQ(A.displayName(), "(dynamic shared memory)");
  EXPECT_EQ(A.Untouched, "all of it");
}

TEST(SharedMemoryUseTest, AThresholdMakesLowerBounds) {
  HandMade H;
  H.desc().Threshold = 15;
  H.variable("a", "int[3]", 4, 12);
  auto &C = H.launch(2, {4, 30, 17}, {1024});
  C.Capped = {0, 2, 1}; // reached in both blocks, in one of them
  SharedArray A = only(H);
  EXPECT_EQ(A.AtThreshold, 2u);
  EXPECT_EQ(A.Min.Value, 2);
  EXPECT_FALSE(A.Min.AtLeast);
  EXPECT_EQ(A.Mean.Value, 8.5);
  EXPECT_TRUE(A.Mean.AtLeast);
  EXPECT_EQ(A.Max.Value, 15);
  EXPECT_TRUE(A.Max.AtLeast);
  EXPECT_TRUE(A.Total.AtLeast);
  // 0: none; 2: one; threshold: two, which are in no other bucket.
  ASSERT_EQ(A.Histogram.size(), 3u);
  EXPECT_EQ(A.Histogram[0].Elements, 0u);
  EXPECT_EQ(A.Histogram[1].From, 2);
  EXPECT_EQ(A.Histogram[1].Elements, 1u);
  EXPECT_TRUE(A.Histogram[2].AtThreshold);
  EXPECT_EQ(A.Histogram[2].From, 15);
  EXPECT_TRUE(std::isinf(A.Histogram[2].To));
  EXPECT_EQ(A.Histogram[2].Elements, 2u);
}

TEST(SharedMemoryUseTest, BucketsArePowersOfTwo) {
  HandMade H;
  H.variable("a", "int[7]", 4, 28);
  // Per block: 0, 1/4, 1, 3/2, 2, 15/4, 8.
  H.launch(4, {0, 1, 4, 6, 8, 15, 32}, {1024});
  std::vector<std::pair<double, uint64_t>> Got;
  for (const Bucket &B : only(H).Histogram)
    Got.emplace_back(B.To, B.Elements);
  EXPECT_EQ(Got, (std::vector<std::pair<double, uint64_t>>{
                     {0, 1}, {1, 1}, {2, 2}, {4, 2}, {8, 0}, {16, 1}}));
}

TEST(SharedMemoryUseTest, SampledCountsAreScaled) {
  HandMade H;
  H.variable("a", "int[1]", 4, 4);
  auto &C = H.launch(10, {12}, {1024});
  C.BlockSample = 4; // counts blocks 0, 4 and 8
  C.Blocks = 3;
  H.plainLaunch(20); // 20 more blocks without profiling
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  EXPECT_EQ(Uses.at(0).BlocksExpected, 3u);
  EXPECT_EQ(Uses[0].BlocksLaunched, 30u);
  EXPECT_EQ(Uses[0].BlockSample, 4u);
  const SharedArray &A = Uses[0].Arrays.at(0);
  EXPECT_EQ(A.Mean.Value, 4);
  EXPECT_EQ(A.Total.Value, 12);
  EXPECT_EQ(A.TotalEstimate.Value, 120);
}

TEST(SharedMemoryUseTest, AllBlocksMayBeCountedInSpiteOfSampling) {
  HandMade H;
  H.variable("a", "int[1]", 4, 4);
  H.launch(10, {40}, {1024}).BlockSample = 4;
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  EXPECT_EQ(Uses.at(0).BlocksExpected, 10u);
  EXPECT_EQ(Uses[0].BlockSample, 1u);
  EXPECT_EQ(Uses[0].Arrays.at(0).TotalEstimate.Value, 40);
}

TEST(SharedMemoryUseTest, GraphReplaysAreLaunches) {
  HandMade H;
  H.variable("a", "int[1]", 4, 4);
  auto &C = H.launch(2, {24}, {1024});
  C.Blocks = 6;
  H.P.Launches[0].Graph = true;
  H.P.Launches[0].Times = 3;
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  EXPECT_EQ(Uses.at(0).BlocksExpected, 6u);
  EXPECT_EQ(Uses[0].BlocksLaunched, 6u);
  EXPECT_EQ(Uses[0].Arrays.at(0).Mean.Value, 4);
}

TEST(SharedMemoryUseTest, PaddingColumnsAreNoElements) {
  HandMade H;
  H.variable("tile", "float[4][5]", 4, 80);
  Counts Sums;
  for (int I = 0; I < 20; ++I)
    Sums.push_back(I % 5 == 4 ? 0 : 2);
  H.launch(1, Sums, {1024});
  SharedArray A = only(H);
  ASSERT_TRUE(A.Pad);
  EXPECT_EQ(A.Pad->Period, 5u);
  EXPECT_EQ(A.Pad->Length, 1u);
  EXPECT_EQ(A.PaddingCounts, 4u);
  EXPECT_TRUE(A.NeverTouched.empty());
  EXPECT_EQ(A.Min.Value, 2);
  EXPECT_EQ(A.Mean.Value, 2);
  EXPECT_EQ(A.Histogram.at(0).Elements, 0u);
}

TEST(SharedMemoryUseTest, ARowUnusedInAPaddedArrayIsStillFound) {
  HandMade H;
  H.variable("tile", "float[4][5]", 4, 80);
  Counts Sums;
  for (int I = 0; I < 20; ++I)
    Sums.push_back(I % 5 == 4 || I / 5 == 2 ? 0 : 1);
  H.launch(1, Sums, {1024});
  SharedArray A = only(H);
  ASSERT_TRUE(A.Pad);
  EXPECT_EQ(ranges(A), (std::vector<std::pair<uint64_t, uint64_t>>{{10, 13}}));
  EXPECT_EQ(A.Untouched, "row 2");
}

TEST(SharedMemoryUseTest, PaddingOfAFlatArrayShowsByItsPeriod) {
  HandMade H;
  H.dynamic("tile", "float[]", 4);
  Counts Sums;
  for (int I = 0; I < 4 * 9; ++I)
    Sums.push_back(I % 9 == 8 ? 0 : 3);
  H.launch(1, Sums, {1024}, 4 * 9 * 4);
  SharedArray A = only(H);
  ASSERT_TRUE(A.Pad);
  EXPECT_EQ(A.Pad->Period, 9u);
  EXPECT_TRUE(A.NeverTouched.empty());
}

TEST(SharedMemoryUseTest, TheUnusedFourthOfEveryFourIsNoPadding) {
  HandMade H;
  H.dynamic("rgb", "float[]", 4);
  Counts Sums;
  for (int I = 0; I < 64; ++I)
    Sums.push_back(I % 4 == 3 ? 0 : 3);
  H.launch(1, Sums, {1024}, 256);
  SharedArray A = only(H);
  EXPECT_FALSE(A.Pad);
  EXPECT_EQ(A.UnusedBytes, 64u);
}

TEST(SharedMemoryUseTest, HalfOfTheColumnsIsNoPadding) {
  HandMade H;
  H.variable("tile", "float[4][8]", 4, 128);
  Counts Sums;
  for (int I = 0; I < 32; ++I)
    Sums.push_back(I % 8 >= 4 ? 0 : 1);
  H.launch(1, Sums, {1024});
  SharedArray A = only(H);
  EXPECT_FALSE(A.Pad);
  EXPECT_EQ(A.UnusedBytes, 64u);
  EXPECT_EQ(A.Untouched, "columns 4-7 of every row");
}

TEST(SharedMemoryUseTest, OtherGapsAreNamedByIndex) {
  HandMade H;
  H.variable("tile", "float[3][3]", 4, 36);
  H.launch(1, {0, 1, 0, 1, 1, 1, 0, 1, 0}, {1024}); // the corners of a stencil are unused
  EXPECT_EQ(only(H).Untouched, "elements [0][0], [0][2], [2][0], [2][2]");

  HandMade Flat;
  Flat.variable("a", "int[8]", 4, 32);
  Flat.launch(1, {0, 1, 1, 0, 0, 1, 1, 1}, {1024});
  EXPECT_EQ(only(Flat).Untouched, "elements 0, 3-4");
}

TEST(SharedMemoryUseTest, HugeNumbersSaturate) {
  HandMade H;
  uint32_t V = H.variable("a", "int[1]", 4, 4);
  H.desc().Statics.push_back({V, 0, 0, 4, 0xffffffffu});
  auto &C = H.launch(1, {~uint64_t(0) - 1}, {1024});
  C.Threads = ~uint64_t(0);
  EXPECT_EQ(only(H).Sums, (Counts{~uint64_t(0)}));
}

TEST(SharedMemoryUseTest, ImpossibleAddressesAndSizesAreHarmless) {
  HandMade H;
  H.variable("a", "int[1]", 4, 4);
  H.variable("b", "int[1]", 4, uint64_t(1) << 60);
  H.variable("c", "int[4]", 4, 16);
  H.launch(1, {1, 2}, {0, 1024, 0xfffffff0u});
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  for (const SharedArray &A : Uses.at(0).Arrays)
    EXPECT_TRUE(A.Sums.empty()) << A.displayName();
  EXPECT_EQ(Uses[0].Other, 3u);
}

TEST(SharedMemoryUseTest, EmClusteringOfThePaper) {
  // Table III, em v1: the mean accesses of four arrays, here with 16 elements alternately one above
  // and one below the mean, in 2 blocks.
  const uint64_t Means[] = {983040, 65536, 65536, 1289};
  HandMade H;
  Counts Sums;
  std::vector<uint32_t> Addresses;
  for (uint32_t I = 0; I < 4; ++I) {
    H.variable("a" + std::to_string(I + 1), "float[16]", 4, 64);
    Addresses.push_back(1024 + 64 * I);
    for (int J = 0; J < 16; ++J)
      Sums.push_back(2 * (J % 2 ? Means[I] + 1 : Means[I] - 1));
  }
  H.launch(2, Sums, Addresses);
  std::vector<KernelSharedUse> Uses = sharedMemoryUse(H.P);
  ASSERT_EQ(Uses.at(0).Arrays.size(), 4u);
  for (int I = 0; I < 4; ++I) {
    const SharedArray &A = Uses[0].Arrays[I];
    EXPECT_EQ(A.Mean.Value, double(Means[I]));
    EXPECT_EQ(A.Min.Value, double(Means[I] - 1));
    EXPECT_EQ(A.Max.Value, double(Means[I] + 1));
    EXPECT_EQ(A.Total.Value, double(Means[I]) * 16 * 2);
  }
}
