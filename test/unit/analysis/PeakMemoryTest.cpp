//===- PeakMemoryTest.cpp - Tests of PeakMemory.cpp and what uses it ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTrace.h"
#include "analysis/objects/ObjectInefficiencies.h"
#include <gtest/gtest.h>
#include <random>

using namespace gmprof::test;

TEST(PeakMemoryTest, PeaksAreTheHighestLocalMaxima) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100); // 0
  uint32_t B = T.allocate("b", 50);  // 1: 150
  T.release(A);                      // 2: 50
  uint32_t C = T.allocate("c", 10);  // 3: 60
  T.release(B);                      // 4: 10
  uint32_t D = T.allocate("d", 200); // 5: 210
  MemoryUse Use(T, 0);
  EXPECT_EQ(Use.peakBytes(), 210u);
  std::vector<MemoryPeak> Peaks = Use.peaks(2);
  ASSERT_EQ(Peaks.size(), 2u);
  EXPECT_EQ(Peaks[0].Time, 5u);
  EXPECT_EQ(Peaks[0].Bytes, 210u);
  EXPECT_EQ(Peaks[0].Objects, (std::vector<uint32_t>{D, C}));
  EXPECT_EQ(Peaks[1].Time, 1u);
  EXPECT_EQ(Peaks[1].Bytes, 150u);
  EXPECT_EQ(Peaks[1].Objects, (std::vector<uint32_t>{A, B}));
  EXPECT_EQ(Use.peaks(9).size(), 3u);
}

TEST(PeakMemoryTest, PinnedMemoryAndOtherDevicesDoNotCount) {
  TestTrace T;
  T.allocate("a", 100);
  T.allocate("elsewhere", 50, 0, 1);
  T.Objects[T.allocate("pinned", 70)].Kind = gmprof::log::ObjectKind::Pinned;
  EXPECT_EQ(MemoryUse(T, 0).peakBytes(), 100u);
  EXPECT_EQ(MemoryUse(T, 1).peakBytes(), 50u);
  EXPECT_EQ(MemoryUse(TestTrace(), 0).peakBytes(), 0u);
  EXPECT_TRUE(MemoryUse(TestTrace(), 0).peaks(2).empty());
}

TEST(PeakMemoryTest, PeakAfterAgreesWithBruteForce) {
  std::mt19937 Random(7); // NOLINT: the same in every run
  auto Below = [&](uint32_t N) { return static_cast<uint32_t>(Random() % N); };
  for (unsigned Round = 0; Round != 200; ++Round) {
    TestTrace T;
    std::vector<uint32_t> Alive;
    for (unsigned I = 0; I != 30; ++I) {
      if (Alive.empty() || Below(3) != 0) {
        Alive.push_back(T.allocate("", 1 + Below(100)));
      } else {
        size_t Which = Below(static_cast<uint32_t>(Alive.size()));
        T.release(Alive[Which]);
        Alive.erase(Alive.begin() + static_cast<ptrdiff_t>(Which));
      }
    }
    MemoryUse Use(T, 0);
    ResidencyChange Change;
    for (unsigned I = 0; I != 3; ++I) {
      uint32_t From = Below(30), Gap = From + Below(31 - From), To = Gap + Below(31 - Gap);
      Change[Below(static_cast<uint32_t>(T.Objects.size()))] = {{From, Gap, 1 + Below(100)},
                                                                {Gap, To, 1 + Below(100)}};
    }
    uint64_t Expected = 0;
    for (uint32_t Time = 0; Time != T.Apis.size(); ++Time) {
      uint64_t InUse = 0;
      for (uint32_t Object = 0; Object != T.Objects.size(); ++Object) {
        auto Changed = Change.find(Object);
        std::vector<Residency> In = {Use.residency(Object)};
        for (const Residency &R : Changed == Change.end() ? In : Changed->second)
          InUse += R.From <= Time && Time < R.To ? R.Bytes : 0;
      }
      Expected = std::max(Expected, InUse);
    }
    EXPECT_EQ(Use.peakAfter(Change), Expected);
  }
}

// Three arrays are allocated at the start, used one after the other, and released at the end, as in
// PolyBench. Moving a single allocation or release saves nothing; all changes together save two
// thirds.
TEST(PeakMemoryTest, CombinedSavingIsNotTheSum) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100), C = T.allocate("c", 100); // 0 1 2
  T.set(A);                                                                              // 3
  T.launch("k", {A}, {A});                                                               // 4
  T.set(B);                                                                              // 5
  T.launch("k", {B}, {B});                                                               // 6
  T.set(C);                                                                              // 7
  T.launch("k", {C}, {C});                                                               // 8
  T.release(A);
  T.release(B);
  T.release(C);
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Devices.size(), 1u);
  EXPECT_EQ(M.Devices[0].PeakBytes, 300u);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 100u);
  for (const ObjectInefficiency &I : M.Found) {
    SCOPED_TRACE(I.Found.Pattern + " " + I.Found.Object);
    // All three are in memory at some time, whichever of them moves alone.
    EXPECT_EQ(I.Found.BytesSaved, I.Found.Pattern == "redundant_allocation" ? 100u : 0u);
  }
}

// If two findings save the same bytes, these count as savings of the first finding only.
TEST(PeakMemoryTest, SavingsOfAListAddUp) {
  TestTrace T;
  const uint32_t A = T.allocate("a", 100);
  T.launch("k", {}, {A});
  const uint32_t B = T.allocate("b", 100);
  T.launch("f", {}, {B});
  T.launch("g", {B}, {});
  T.release(B);
  ObjectMemory M = objectMemory(T); // a can be freed after k, or b use its memory
  uint64_t Sum = 0;
  for (const ObjectInefficiency &I : M.Found)
    Sum += I.Found.BytesSaved;
  EXPECT_EQ(Sum, M.Devices[0].PeakBytes - M.Devices[0].PeakBytesAfter);
  EXPECT_EQ(Sum, 100u);
  EXPECT_EQ(savedAlone(*find(M.Found, "memory_leak", A)), 100u);
  EXPECT_EQ(savedAlone(*find(M.Found, "redundant_allocation", B)), 100u);
}

TEST(PeakMemoryTest, AnUnusedObjectSavesItsBytesAtThePeakOnly) {
  TestTrace T;
  uint32_t A = T.allocate("unused at the peak", 40); // 0
  uint32_t B = T.allocate("b", 60);                  // 1: 100
  T.launch("k", {}, {B});                            // 2
  T.release(B);                                      // 3
  T.release(A);                                      // 4
  uint32_t C = T.allocate("unused later", 30);       // 5
  T.release(C);                                      // 6
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Found.size(), 2u);
  EXPECT_EQ(M.Found[0].Found.BytesSaved, 40u);
  EXPECT_EQ(M.Found[0].Found.Level, Severity::High);
  EXPECT_EQ(M.Found[1].Found.BytesSaved, 0u);
  EXPECT_EQ(M.Found[1].Found.Level, Severity::Low);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 60u);
}
