//===- ObjectPatternsTest.cpp - Tests of the object-level patterns --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectPatternCases.h"
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace gmprof::test;

// Figure 2: B is allocated at 2, first used at 7, last used at 9, and released at 12; C is never
// released, and idle for a while.
TEST(ObjectPatternsTest, PaperFigure2) {
  TestTrace T;
  T.launch("k0", {}, {});           // 0
  T.launch("k1", {}, {});           // 1
  uint32_t B = T.allocate("B", 20); // 2
  uint32_t C = T.allocate("C", 30); // 3
  T.copyTo(C);                      // 4
  uint32_t A = T.allocate("A", 10); // 5
  T.copyTo(A);                      // 6
  T.launch("k7", {A}, {B});         // 7
  T.launch("k8", {C}, {A});         // 8
  T.launch("k9", {A, B}, {A});      // 9
  T.copyFrom(A);                    // 10
  T.release(A);                     // 11
  T.release(B);                     // 12
  EXPECT_EQ(patterns(T), (std::vector<Pattern>{{"early_allocation", "B"},
                                               {"late_deallocation", "B"},
                                               {"memory_leak", "C"},
                                               {"temporary_idleness", "C"}}));
  for (const ObjectInefficiency &I : objectMemory(T).Found) {
    if (I.Found.Pattern == "early_allocation") {
      EXPECT_EQ(number(I, "operations_between"), 4u); // four APIs between 2 and 7
      EXPECT_EQ(I.Found.Message, "`B` is allocated 4 CUDA operations before `k7` uses it first.");
      EXPECT_EQ(I.Api, T.Objects[B].Allocation);
    }
    if (I.Found.Pattern == "late_deallocation") {
      EXPECT_EQ(number(I, "operations_between"), 2u); // two between 9 and 12
      EXPECT_EQ(I.Api, *T.Objects[B].Release);
    }
    if (I.Found.Pattern == "temporary_idleness") {
      EXPECT_EQ(number(I, "idle_ranges"), 1u);
      EXPECT_EQ(number(I, "most_operations_between"), 3u); // from 4 to 8
    }
  }
}

TEST(ObjectPatternsTest, AllocatedRightBeforeUseIsInnocent) {
  TestTrace T;
  uint32_t A = T.allocate("a", 10);
  T.copyTo(A);
  T.launch("k", {A}, {A});
  T.copyFrom(A);
  T.release(A);
  EXPECT_EQ(patterns(T), std::vector<Pattern>());
}

TEST(ObjectPatternsTest, ConcurrentApisOfOtherStreamsAreNotBetween) {
  TestTrace T;
  uint32_t A = T.allocate("a", 10, 1);
  T.launch("x", {}, {}, 2);
  T.launch("y", {}, {}, 3);
  T.launch("k", {}, {A}, 1);
  T.release(A, 1);
  EXPECT_EQ(patterns(T), std::vector<Pattern>());
}

TEST(ObjectPatternsTest, VariablesOfModulesAreNotAllocated) {
  TestTrace T;
  uint32_t A = T.allocate("a", 10);
  T.Objects[A].Kind = gmprof::log::ObjectKind::GlobalVariable;
  T.launch("k", {}, {});
  T.launch("k", {A}, {});
  EXPECT_EQ(patterns(T), std::vector<Pattern>());
}

TEST(ObjectPatternsTest, OneApiBetweenIsNotIdle) {
  TestTrace T = usedAt({{"a", 100, {1, 3}}}, 3);
  T.release(0);
  EXPECT_EQ(patterns(T), std::vector<Pattern>());
  TestTrace Two = usedAt({{"a", 100, {1, 4}}}, 4);
  Two.release(0);
  EXPECT_EQ(patterns(Two), (std::vector<Pattern>{{"temporary_idleness", "a"}}));
}

TEST(ObjectPatternsTest, IdleApisIsAnOption) {
  TestTrace T = usedAt({{"a", 100, {1, 4}}}, 4);
  std::vector<uint32_t> Times = T.timestamps();
  EXPECT_EQ(temporaryIdleness(ObjectHistory(T, Times), {0.1, 3}).size(), 0u);
  EXPECT_EQ(temporaryIdleness(ObjectHistory(T, Times), {0.1, 2}).size(), 1u);
}

// Parameters are trusted, and the finding says so.
TEST(ObjectPatternsTest, LaunchesKnownFromTheirParameters) {
  TestTrace T;
  const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100);
  for (int I = 0; I < 2; ++I)
    T.Apis[T.launch("of others", {B}, {B})].FromParameters = true;
  T.release(B);
  T.release(A);
  const uint32_t C = T.allocate("c", 300);
  T.release(C);
  const ObjectMemory M = objectMemory(T);
  EXPECT_EQ(M.InferredLaunches, 2u);
  EXPECT_EQ(M.UncertainObjects, 0u);
  EXPECT_EQ(patterns(T),
            (std::vector<Pattern>{{"unused_allocation", "a"}, {"unused_allocation", "c"}}));
  const Finding &OfA = M.Found[0].Found;
  EXPECT_EQ(OfA.Object, "a");
  EXPECT_EQ(OfA.Message, "No kernel, copy or memset accesses `a`. The accesses of 2 launches are "
                         "inferred from their parameters.");
  EXPECT_EQ(number(M.Found[0], "launches_inferred"), 2u);
  EXPECT_EQ(M.Found[1].Found.Message, "No kernel, copy or memset accesses `c`.");
}

// Both are idle at the peak of 400 bytes. Nothing needs b before its idle time, so that its
// allocation and copy can move; a is changed before, so that it would be copied away and back.
TEST(ObjectPatternsTest, FixesThatCopyDataAreMediumAtMost) {
  TestTrace T;
  const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100);
  T.upload(B);
  T.launch("change", {A}, {A});
  const uint32_t Other = T.allocate("other", 200);
  for (int I = 0; I < 4; ++I)
    T.launch("k", {Other}, {Other});
  T.release(Other);
  T.launch("use", {A, B}, {});
  T.release(A);
  T.release(B);
  std::map<std::string, Severity> Levels;
  for (const ObjectInefficiency &I : objectMemory(T).Found)
    if (I.Found.Pattern == "temporary_idleness") {
      EXPECT_EQ(I.Found.BytesSaved, 100u);
      Levels[I.Found.Object] = I.Found.Level;
    }
  EXPECT_EQ(Levels,
            (std::map<std::string, Severity>{{"a", Severity::Medium}, {"b", Severity::High}}));
}

TEST(ObjectPatternsTest, ParameterBasedFindingsAreMediumAtMost) {
  for (const bool FromParameters : {false, true}) {
    TestTrace T;
    const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100);
    T.Apis[T.launch("k", {B}, {B})].FromParameters = FromParameters;
    T.release(B);
    T.release(A);
    const ObjectMemory M = objectMemory(T);
    ASSERT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "a"}}));
    EXPECT_EQ(M.Found[0].Found.BytesSaved, 100u);
    EXPECT_EQ(M.Found[0].Found.Level, FromParameters ? Severity::Medium : Severity::High);
    EXPECT_EQ(M.Devices[0].PeakBytesAfter, 100u);
  }
}

// A launch with unknown accesses, named accordingly, may have used any object.
TEST(ObjectPatternsTest, LaunchesOfUnknownAccessesMayBeUses) {
  auto Unknown = [](TestTrace &T, const std::vector<uint32_t> &Known = {}, uint64_t Stream = 0) {
    T.Apis[T.launch("unknown", Known, Known, Stream)].Inferred = true;
  };
  TestTrace Unused;
  uint32_t A = Unused.allocate("a", 100);
  Unknown(Unused);
  Unused.release(A);
  EXPECT_EQ(patterns(Unused), std::vector<Pattern>());
  EXPECT_EQ(objectMemory(Unused).InferredLaunches, 1u);
  EXPECT_EQ(objectMemory(Unused).UncertainObjects, 1u);

  TestTrace Elsewhere; // the object was not in memory then
  Unknown(Elsewhere);
  A = Elsewhere.allocate("a", 100);
  Elsewhere.release(A);
  Unknown(Elsewhere);
  EXPECT_EQ(patterns(Elsewhere), (std::vector<Pattern>{{"unused_allocation", "a"}}));
  EXPECT_EQ(objectMemory(Elsewhere).UncertainObjects, 0u);

  TestTrace Early;
  A = Early.allocate("a", 100);
  Unknown(Early);
  Early.set(A);
  Early.copyFrom(A);
  Early.release(A);
  EXPECT_EQ(patterns(Early), std::vector<Pattern>());

  TestTrace Late;
  A = Late.allocate("a", 100);
  Late.set(A);
  Late.copyFrom(A);
  Unknown(Late);
  Late.release(A);
  EXPECT_EQ(patterns(Late), std::vector<Pattern>());

  TestTrace Idle;
  A = Idle.allocate("a", 100);
  Idle.set(A);
  Idle.launch("k", {}, {});
  Unknown(Idle);
  Idle.copyFrom(A);
  Idle.release(A);
  EXPECT_EQ(patterns(Idle), std::vector<Pattern>());

  TestTrace Dead;
  A = Dead.allocate("a", 100);
  Dead.set(A);
  Unknown(Dead);
  Dead.set(A);
  Dead.copyFrom(A);
  Dead.release(A);
  EXPECT_EQ(patterns(Dead), std::vector<Pattern>());

  // The known last use of x precedes the first use of y.
  for (bool AfterX : {true, false}) {
    TestTrace Redundant;
    uint32_t X = Redundant.allocate("x", 100);
    uint32_t Y = Redundant.allocate("y", 100);
    if (!AfterX)
      Unknown(Redundant);
    Redundant.set(X);
    if (AfterX)
      Unknown(Redundant);
    Redundant.set(Y);
    EXPECT_EQ(reuses(Redundant), std::vector<Pattern>());
  }

  // A launch that accesses the object itself is an ordinary use.
  TestTrace Uses;
  A = Uses.allocate("a", 100);
  uint32_t B = Uses.allocate("b", 100);
  Uses.set(B);
  Unknown(Uses, {A, B});
  Uses.copyFrom(A);
  Uses.release(A);
  Uses.release(B);
  EXPECT_EQ(patterns(Uses),
            (std::vector<Pattern>{{"early_allocation", "a"}, {"late_deallocation", "b"}}));

  // A later call in another stream may run concurrently.
  TestTrace Concurrent;
  A = Concurrent.allocate("a", 100);
  Concurrent.launch("k", {}, {});
  Concurrent.set(A);
  Concurrent.copyFrom(A);
  Concurrent.release(A);
  EXPECT_EQ(patterns(Concurrent), (std::vector<Pattern>{{"early_allocation", "a"}}));
  Unknown(Concurrent, {}, 7);
  EXPECT_EQ(patterns(Concurrent), std::vector<Pattern>());
}

// A graph uses it when it is launched, as one of PyTorch does with the tensors of its capture.
TEST(ObjectPatternsTest, ObjectsThatAreUsedAfterTheirReleaseHaveNoPattern) {
  TestTrace T;
  const uint32_t Tensor = T.allocate("tensor", 100), Other = T.allocate("other", 100);
  T.launch("k", {}, {});
  T.release(Tensor);
  T.release(Other);
  T.Objects[Tensor].UsedAfterRelease = true;
  EXPECT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "other"}}));
}

// An idle object that the next copy overwrites need not be kept; one that is read must be.
TEST(ObjectPatternsTest, IdleObjectsThatAreOverwrittenNeedNoCopy) {
  for (const bool Overwritten : {true, false}) {
    TestTrace T;
    uint32_t A = T.allocate("a", 100);
    T.launch("k", {A}, {A});
    T.launch("x", {}, {});
    T.launch("y", {}, {});
    if (Overwritten)
      T.copyTo(A);
    T.launch("l", {A}, {});
    T.release(A);
    ObjectMemory M = objectMemory(T);
    ASSERT_EQ(patterns(T), (std::vector<Pattern>{{"temporary_idleness", "a"}}));
    EXPECT_EQ(M.Found[0].Found.Suggestion,
              Overwritten
                  ? "Free it in between, and allocate it again right before cudaMemcpy, "
                    "which overwrites all of it."
                  : "Free it in between: copy it to a host buffer of its own and back right "
                    "before `l`, or recompute it.");
  }
}

/// Returns the finding about `a`, which is used after `b` is gone, and Before `b` exists as well.
/// Both have 200 bytes together.
static ObjectInefficiency findingAbout(uint64_t Bytes, bool Before, const char *Pattern) {
  TestTrace T;
  const uint32_t A = T.allocate("a", Bytes);
  if (Before)
    T.launch("k", {A}, {A});
  const uint32_t B = T.allocate("b", 200 - Bytes);
  T.launch("l", {}, {B});
  T.launch("m", {B}, {B});
  T.release(B);
  T.launch("n", {A}, {A});
  T.release(A);
  const ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Found = find(M.Found, Pattern, A);
  EXPECT_NE(Found, nullptr);
  return Found ? *Found : ObjectInefficiency();
}

TEST(ObjectPatternsTest, SavingsBelowAHundredthOfThePeakAreLow) {
  for (const uint64_t Bytes : {1, 2}) {
    const ObjectInefficiency Early = findingAbout(Bytes, /*Before=*/false, "early_allocation");
    EXPECT_EQ(Early.Found.BytesSaved, Bytes);
    EXPECT_EQ(Early.Found.Level, Bytes == 1 ? Severity::Low : Severity::Medium);
  }
}

TEST(ObjectPatternsTest, CopyingDataAwayIsForATenthOfThePeak) {
  for (const auto &[Bytes, Level] :
       {std::pair(1, Severity::Info), std::pair(2, Severity::Low), std::pair(19, Severity::Low),
        std::pair(20, Severity::Medium)}) {
    const auto Saved = static_cast<uint64_t>(Bytes);
    const ObjectInefficiency Idle = findingAbout(Saved, /*Before=*/true, "temporary_idleness");
    EXPECT_EQ(Idle.Found.BytesSaved, Saved);
    EXPECT_EQ(Idle.Found.Level, Level);
  }
}

// One call site allocates three objects, each too early.
TEST(ObjectPatternsTest, ObjectsOfTheSameCallAreOneFinding) {
  TestTrace T;
  std::vector<uint32_t> Made;
  for (int I = 0; I < 3; ++I) {
    Made.push_back(T.allocate("", 10 + static_cast<uint64_t>(I)));
    T.Apis.back().CallPath = 5;
    T.Objects.back().Where = "a.cu:7";
  }
  T.launch("k", {}, {});
  T.launch("f", {}, Made);
  for (uint32_t Object : Made)
    T.release(Object);
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Found.size(), 2u); // the last two are also released late
  const ObjectInefficiency &Early = M.Found[0];
  EXPECT_EQ(Early.Found.Pattern, "early_allocation");
  EXPECT_EQ(Early.Object, Made[0]);
  EXPECT_EQ(Early.Others, (std::vector<uint32_t>{Made[1], Made[2]}));
  EXPECT_EQ(number(Early, "objects"), 3u);
  EXPECT_EQ(number(Early, "bytes"), 10u);
  EXPECT_EQ(number(Early, "bytes_of_all"), 33u);
  EXPECT_EQ(Early.Instead.size(), 3u);
  EXPECT_EQ(Early.Found.Message,
            "The allocation at a.cu:7 (10 bytes) is allocated 3 CUDA operations before `f` uses it "
            "first. 2 "
            "more allocations of this call site have the same problem, 33 bytes in all.");
}

TEST(ObjectPatternsTest, SlabAccessesMayUseItsParts) {
  for (bool Whole : {false, true}) {
    TestTrace T;
    uint32_t Slab = T.allocate("slab", 100), Part = T.allocate("part", 10);
    T.Objects[Part].Kind = gmprof::log::ObjectKind::Pool;
    T.Objects[Part].Parent = Slab;
    if (Whole)
      T.set(Slab);
    T.release(Part);
    T.release(Slab);
    EXPECT_EQ(patterns(T), Whole ? std::vector<Pattern>()
                                 : (std::vector<Pattern>{{"unused_allocation", "part"}}));
  }
}

// Copies of a call in an unrolled loop differ in addresses only.
TEST(ObjectPatternsTest, CopiesOfACallAreOneFinding) {
  for (bool SameLines : {false, true}) {
    TestTrace T;
    if (SameLines)
      T.SamePath = {0, 0, 0};
    for (uint32_t Path = 0; Path < 3; ++Path) {
      T.allocate("leak", 64);
      T.Apis.back().CallPath = Path;
    }
    ObjectMemory M = objectMemory(T);
    ASSERT_EQ(M.Found.size(), SameLines ? 1u : 3u);
    EXPECT_EQ(number(M.Found[0], "objects"), SameLines ? 3u : 0u);
    EXPECT_EQ(M.Found[0].Found.BytesSaved, SameLines ? 192u : 64u);
  }
}

TEST(ObjectPatternsTest, FixesStateThatOtherDataAccessNothingElse) {
  for (bool MayUse : {false, true}) {
    TestTrace T;
    const uint32_t A = T.allocate("a", 100), Never = T.allocate("never", 100);
    T.launch("k", {A}, {});
    const uint32_t F = T.launch("f", {}, {});
    if (MayUse) {
      T.Skipped.push_back({F, A});
      T.Skipped.push_back({F, Never});
    }
    T.release(A);
    T.release(Never);
    ObjectMemory M = objectMemory(T);
    const ObjectInefficiency *Late = find(M.Found, "late_deallocation", A);
    const ObjectInefficiency *Unused = find(M.Found, "unused_allocation", Never);
    ASSERT_TRUE(Late && Unused);
    EXPECT_EQ(Late->Found.Suggestion,
              MayUse ? "Free it right after `k`, provided that `f` accesses `a` for no other input "
                       "either."
                     : "Free it right after `k`.");
    EXPECT_EQ(Unused->Found.Suggestion, MayUse
                                            ? "Remove the allocation, provided that `f` accesses "
                                              "`never` for no other input either."
                                            : "Remove the allocation, or allocate only "
                                              "for the inputs that use it.");
    EXPECT_EQ(Unused->Found.Level, MayUse ? Severity::Medium : Severity::High);
  }
}

TEST(ObjectPatternsTest, NamesOfKernelsThatFitIntoAMessage) {
  const auto Described = [](const std::string &Name) {
    Api A;
    A.Name = Name;
    return describeApi(A);
  };
  EXPECT_EQ(Described("saxpy"), "saxpy");
  EXPECT_EQ(Described("reduce<float, 256>"), "reduce<float, 256>");
  // 60 characters, then 61.
  EXPECT_EQ(Described("reduce<std::array<float, 256>, std::array<std::string, 256>>"),
            "reduce<std::array<float, 256>, std::array<std::string, 256>>");
  EXPECT_EQ(Described("reduces<std::array<float, 256>, std::array<std::string, 256>>"),
            "reduces<std::array<float, 256>, …>");
  EXPECT_EQ(
      Described("(anonymous namespace)::apply<main::{lambda(float, float)#1}, 4, 4, 4, 4, 4>"),
      "(anonymous namespace)::apply<main::{lambda(float, float)#1}, …>");
  EXPECT_EQ(Described("apply<aNameThatDoesNotFitIntoALineOfTheReportAtAllAsItIsSoVeryLong>"),
            "apply<…>");
  EXPECT_EQ(
      Described("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize256x64x8_stage3_warpsize2x2x1"),
      "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize256x64x8_stag…");
  // The name does not end with arguments that could be abbreviated.
  const std::string Member = "Matrix<std::array<float, 256>, std::array<std::string, 256>>::fill";
  EXPECT_EQ(Described(Member), Member);
}
