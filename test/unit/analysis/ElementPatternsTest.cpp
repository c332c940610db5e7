//===- ElementPatternsTest.cpp - Tests of the intra-object patterns -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementPatterns.h"
#include "TestTrace.h"
#include "analysis/objects/ObjectInefficiencies.h"
#include <gtest/gtest.h>

using namespace gmprof::test;
using gmprof::ElementRun;

namespace {

/// Returns the analysis of the trace with these uses of its objects.
ObjectMemory memory(const TestTrace &T, std::vector<ElementUse> Uses,
                    ObjectMemoryOptions Options = {}) {
  return objectMemory(T, Options, [&](const ObjectHistory &) { return Uses; });
}

/// A program that allocates an object, launches k, and releases it.
struct OneObject : TestTrace {
  uint32_t Object, Launch;
  explicit OneObject(uint64_t Bytes) {
    Object = allocate("a", Bytes);
    Launch = launch("k", {Object}, {Object});
    release(Object);
  }
};

ElementUse use(uint32_t Object, uint64_t Elements, uint64_t Accessed, ElementRun LargestGap) {
  ElementUse U;
  U.Object = Object;
  U.Elements = Elements;
  U.Accessed = Accessed;
  U.LargestGap = LargestGap;
  U.Gaps = Accessed == Elements ? 0 : 1;
  U.Launches = U.LaunchesProfiled = 1;
  return U;
}

const ObjectInefficiency *find(const ObjectMemory &M, const std::string &Pattern) {
  for (const ObjectInefficiency &I : M.Found)
    if (I.Found.Pattern == Pattern)
      return &I;
  return nullptr;
}

double real(const ObjectInefficiency &I, const std::string &Name) {
  for (const auto &[Key, Value] : I.Found.Evidence)
    if (Key == Name)
      return std::get<double>(Value);
  return -1;
}

} // namespace

// Listing 2: memory for the maximum size, a part of which this input needs.
TEST(Overallocation, SizeOfTheLargestInput) {
  OneObject T(4000);
  ObjectMemory M = memory(T, {use(T.Object, 1000, 360, {360, 640})});
  const ObjectInefficiency *I = find(M, "overallocation");
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Found.Kind, "contiguous");
  EXPECT_EQ(number(*I, "accessed_elements"), 360u);
  EXPECT_DOUBLE_EQ(real(*I, "accessed_share"), 0.36);
  EXPECT_EQ(real(*I, "fragmentation"), 0);
  EXPECT_EQ(number(*I, "unaccessed_bytes"), 2560u);
  EXPECT_EQ(number(*I, "largest_unaccessed_bytes"), 2560u);
  EXPECT_EQ(number(*I, "largest_unaccessed_from"), 360u);
  EXPECT_EQ(I->Found.BytesSaved, 2560u);
  EXPECT_EQ(I->Found.Level, Severity::High);
  EXPECT_EQ(I->Found.Message,
            "Kernels access 36 % of `a`: 640 of its 1,000 elements are never accessed.");
  EXPECT_EQ(I->Found.Suggestion,
            "Allocate 1,440 bytes, provided that no other input accesses elements 360 to 999.");
  ASSERT_EQ(M.Devices.size(), 1u);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 1440u);
}

TEST(Overallocation, AllIsAccessed) {
  OneObject T(4000);
  EXPECT_FALSE(find(memory(T, {use(T.Object, 1000, 1000, {})}), "overallocation"));
}

TEST(Overallocation, FourFifthsAreEnough) {
  OneObject T(4000);
  EXPECT_FALSE(find(memory(T, {use(T.Object, 1000, 800, {800, 200})}), "overallocation"));
  EXPECT_TRUE(find(memory(T, {use(T.Object, 1000, 799, {799, 201})}), "overallocation"));
  ObjectMemoryOptions Half;
  Half.Patterns.AccessedShare = 0.5;
  EXPECT_FALSE(find(memory(T, {use(T.Object, 1000, 500, {500, 500})}, Half), "overallocation"));
  EXPECT_TRUE(find(memory(T, {use(T.Object, 1000, 499, {499, 501})}, Half), "overallocation"));
}

// Table 2: with low fragmentation, all unaccessed elements can go; with high, they are scattered.
TEST(Overallocation, FragmentationIsFormula1) {
  OneObject T(4000);
  ElementUse Low = use(T.Object, 1000, 500, {100, 250});
  Low.Gaps = 2;
  const ObjectMemory OfLow = memory(T, {Low});
  const ObjectInefficiency *I = find(OfLow, "overallocation");
  ASSERT_TRUE(I);
  EXPECT_EQ(real(*I, "fragmentation"), 0.5);
  EXPECT_EQ(I->Found.BytesSaved, 2000u);
  EXPECT_EQ(
      I->Found.Suggestion,
      "Allocate 2,000 bytes for the accessed elements, and adapt their indices, provided that "
      "no other input accesses elements 100 to 349 and others.");

  ElementUse High = use(T.Object, 1000, 500, {1, 100});
  High.Gaps = 10;
  const ObjectMemory OfHigh = memory(T, {High});
  I = find(OfHigh, "overallocation");
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Found.Kind, "scattered");
  EXPECT_EQ(real(*I, "fragmentation"), 0.8);
  EXPECT_EQ(I->Found.BytesSaved, 0u);
  EXPECT_EQ(I->Found.Level, Severity::Info);
  EXPECT_EQ(OfHigh.Devices[0].PeakBytesAfter, 4000u);
}

TEST(Overallocation, OnlyThePeakCounts) {
  // b is allocated after a was released, and is larger.
  TestTrace T;
  uint32_t A = T.allocate("a", 4000);
  T.launch("k", {A}, {});
  T.release(A);
  uint32_t B = T.allocate("b", 5000);
  T.launch("k", {B}, {});
  T.release(B);
  ObjectMemory M = memory(T, {use(A, 1000, 10, {10, 990}), use(B, 1250, 625, {625, 625})});
  ASSERT_EQ(M.Found.size(), 2u);
  EXPECT_EQ(M.Found[0].Found.BytesSaved, 0u);
  EXPECT_EQ(M.Found[1].Found.BytesSaved, 1000u); // then a is the peak
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 2500u);
}

TEST(Overallocation, ASampleIsNoProof) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 100, {100, 900});
  U.Sampled = true;
  U.Launches = 40;
  U.LaunchesProfiled = 4;
  ObjectMemory M = memory(T, {U});
  const ObjectInefficiency *I = find(M, "overallocation");
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Found.Level, Severity::Low);
  EXPECT_EQ(
      I->Found.Message,
      "Kernels access 10 % of `a`: 900 of its 1,000 elements are never accessed. Measured in 4 "
      "of 40 launches that may access it.");
  EXPECT_EQ(number(*I, "launches"), 40u);
  EXPECT_EQ(number(*I, "launches_profiled"), 4u);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 4000u); // not claimed for a sample
}

TEST(Overallocation, NotIfAccessesMayBeUnobserved) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 100, {100, 900});
  U.Unseen = "the kernel calls code that could not be followed";
  EXPECT_FALSE(find(memory(T, {U}), "overallocation"));
  U.Unseen.clear();
  ObjectMemoryOptions Died;
  Died.Complete = false;
  EXPECT_FALSE(find(memory(T, {U}, Died), "overallocation"));
  T.Objects[0].Kind = gmprof::log::ObjectKind::Managed; // the host may access it
  EXPECT_FALSE(find(memory(T, {U}), "overallocation"));
}

TEST(StructuredAccess, SlicesOneAfterTheOther) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 1000, {});
  U.Slices = {{1, 1, 300}, {2, 3, 400}, {4, 4, 300}};
  ObjectMemory M = memory(T, {U});
  const ObjectInefficiency *I = find(M, "structured_access");
  ASSERT_TRUE(I);
  EXPECT_EQ(number(*I, "slices"), 3u);
  EXPECT_EQ(number(*I, "largest_slice_bytes"), 1600u);
  EXPECT_EQ(I->Found.BytesSaved, 2400u);
  EXPECT_EQ(I->Found.Suggestion, "Allocate one slice (1,600 bytes) and reuse it for all slices.");
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 1600u);
}

TEST(StructuredAccess, OneSliceIsInnocent) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 1000, {});
  U.Slices = {{1, 4, 1000}};
  EXPECT_FALSE(find(memory(T, {U}), "structured_access"));
  U.Slices = {}; // unknown
  EXPECT_FALSE(find(memory(T, {U}), "structured_access"));
}

// An object can have both, and then shrinks to the smaller size.
TEST(StructuredAccess, TooLargeObject) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 600, {600, 400});
  U.Slices = {{1, 1, 300}, {2, 2, 300}};
  ObjectMemory M = memory(T, {U});
  // The slices alone need less than what is accessed at all.
  EXPECT_EQ(find(M, "overallocation")->Found.BytesSaved, 0u);
  EXPECT_EQ(savedAlone(*find(M, "overallocation")), 1600u);
  EXPECT_EQ(find(M, "structured_access")->Found.BytesSaved, 2800u);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 1200u);
}

TEST(NonuniformAccessFrequency, AboveTheLimit) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 1000, {});
  U.Frequencies = {{5, T.Launch, 3, 1000, 1, {2.5, false}, {9, false}, {0.21, false}, 0.4}};
  ObjectMemory M = memory(T, {U});
  const ObjectInefficiency *I = find(M, "nonuniform_access_frequency");
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Api, T.Launch);
  EXPECT_EQ(I->Found.Kernel, 5u);
  EXPECT_EQ(I->Found.Kind, "elements");
  EXPECT_EQ(I->Found.Level, Severity::Info);
  EXPECT_EQ(real(*I, "variation"), 0.21);
  EXPECT_EQ(real(*I, "share_of_hottest_tenth"), 0.4);
  EXPECT_EQ(I->Found.Message, "A launch of `k` accesses elements of `a` 1 to 9 times (mean 2.5, "
                              "coefficient of variation 21 %).");
  U.Frequencies[0].Variation.Value = 0.2;
  EXPECT_FALSE(find(memory(T, {U}), "nonuniform_access_frequency"));
}

TEST(NonuniformAccessFrequency, LowerBoundsSaySo) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 1000, {});
  U.Frequencies = {{0, T.Launch, 1, 1000, 1, {40, true}, {192, true}, {1.5, true}, {}}};
  ObjectMemory M = memory(T, {U});
  const ObjectInefficiency *I = find(M, "nonuniform_access_frequency");
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Found.Message,
            "A launch of `k` accesses elements of `a` 1 to at least 192 times (mean at least 40, "
            "coefficient of variation at least 150 %).");
}

// Section 7.3: slices of R_gpu, with a variance of 58 %.
TEST(NonuniformAccessFrequency, Slices) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 1000, {});
  U.OfSlices = {{2, T.Launch, 20, {0.577, false}}};
  ObjectMemory M = memory(T, {U});
  const ObjectInefficiency *I = find(M, "nonuniform_access_frequency");
  ASSERT_TRUE(I);
  EXPECT_EQ(I->Found.Kind, "slices");
  EXPECT_EQ(I->Found.Message, "Launches of `k` access 20 slices of `a` one after the other, some "
                              "more often than others (coefficient of variation 58 %).");
}

TEST(NonuniformAccessFrequency, EachKernelIsAFinding) {
  OneObject T(4000);
  ElementUse U = use(T.Object, 1000, 1000, {});
  U.Frequencies = {{0, T.Launch, 1, 1000, 1, {2, false}, {9, false}, {0.5, false}, {}},
                   {1, T.Launch, 1, 1000, 1, {2, false}, {9, false}, {0.6, false}, {}}};
  EXPECT_EQ(memory(T, {U}).Found.size(), 2u);
}

//===----------------------------------------------------------------------===//
// Sets that kernels overwrite
//===----------------------------------------------------------------------===//

/// Three sets, each before a launch of fill; these launches overwrite the object.
struct SetsAndLaunches : TestTrace {
  uint32_t Object;
  std::vector<uint32_t> Launches;
  explicit SetsAndLaunches(uint64_t Stream = 0, bool ReadBetween = false) {
    Object = allocate("a", 400);
    for (int I = 0; I < 3; ++I) {
      set(Object);
      if (ReadBetween && I == 1)
        launch("sum", {Object}, {});
      Launches.push_back(launch("fill", {}, {Object}, Stream));
    }
    download(Object);
    release(Object);
  }
  /// Returns the finding if these launches overwrite the object.
  std::optional<Finding> found(const std::vector<uint32_t> &Overwrites) const {
    ElementUse U = use(Object, 100, 100, {});
    U.Overwrites = Overwrites;
    const ObjectMemory M = memory(*this, {U});
    const ObjectInefficiency *I = ::find(M, "dead_write");
    return I ? std::optional(I->Found) : std::nullopt;
  }
};

TEST(OverwrittenSet, EachSetIsOverwritten) {
  const SetsAndLaunches T;
  const std::optional<Finding> F = T.found(T.Launches);
  ASSERT_TRUE(F);
  EXPECT_EQ(F->Kind, "by_kernel");
  EXPECT_EQ(F->Message, "cudaMemset writes `a`, and `fill` then writes each byte of it and reads "
                        "none, 3 times.");
  EXPECT_EQ(F->Suggestion,
            "Remove cudaMemset, provided that `fill` writes all elements for every input.");
  const std::map<std::string, Finding::Value> Evidence(F->Evidence.begin(), F->Evidence.end());
  EXPECT_EQ(std::get<uint64_t>(Evidence.at("dead_writes")), 3u);
  EXPECT_EQ(std::get<uint64_t>(Evidence.at("dead_bytes")), 1200u);
}

TEST(OverwrittenSet, OthersAreKept) {
  const SetsAndLaunches Read(0, /*ReadBetween=*/true);
  EXPECT_EQ(Read.found(Read.Launches)->Suggestion,
            "Leave out 2 of the 3 calls, provided that `fill` writes all elements for every input; "
            "keep those whose values are read.");
}

TEST(OverwrittenSet, NotIfALaunchMayLeaveElements) {
  const SetsAndLaunches T;
  EXPECT_FALSE(T.found({}));
  // Data decides what fill writes, as for a flag of convergence: each set is needed.
  EXPECT_FALSE(T.found({T.Launches[0], T.Launches[1]}));
}

TEST(OverwrittenSet, NotInAnotherStream) {
  const SetsAndLaunches T(1);
  EXPECT_FALSE(T.found(T.Launches));
}

// Streams of two devices have equal numbers, and the host may read managed memory unseen.
TEST(OverwrittenSet, NotOnAnotherDeviceOrOfManagedMemory) {
  SetsAndLaunches Devices;
  for (const uint32_t Launch : Devices.Launches)
    Devices.Apis[Launch].Device = 1;
  EXPECT_FALSE(Devices.found(Devices.Launches));
  SetsAndLaunches Managed;
  Managed.Objects[Managed.Object].Kind = gmprof::log::ObjectKind::Managed;
  EXPECT_FALSE(Managed.found(Managed.Launches));
}
