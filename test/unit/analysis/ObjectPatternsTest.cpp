//===- ObjectPatternsTest.cpp - Tests of the object-level patterns --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTrace.h"
#include "analysis/objects/ObjectInefficiencies.h"
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace gmprof::test;

namespace {

using Pattern = std::pair<std::string, std::string>; ///< pattern, object

std::vector<Pattern> patterns(const TestTrace &T) {
  std::vector<Pattern> Found;
  for (const ObjectInefficiency &I : objectMemory(T).Found)
    Found.emplace_back(I.Found.Pattern, T.Objects[I.Object].Name);
  std::sort(Found.begin(), Found.end());
  return Found;
}

/// Objects that exist from the start, each with uses at the given times; a kernel without accesses
/// runs at all other times.
struct Uses {
  std::string Name;
  uint64_t Bytes;
  std::vector<unsigned> Times;
};
TestTrace usedAt(const std::vector<Uses> &Objects, unsigned End) {
  TestTrace T;
  for (const Uses &O : Objects)
    T.allocate(O.Name, O.Bytes);
  for (unsigned Time = 1; Time <= End; ++Time) {
    std::vector<uint32_t> Used;
    for (uint32_t I = 0; I < Objects.size(); ++I)
      for (unsigned At : Objects[I].Times)
        if (At == Time)
          Used.push_back(I);
    T.launch("A" + std::to_string(Time), Used, {});
  }
  return T;
}

std::vector<std::pair<std::string, std::string>> reuses(const TestTrace &T,
                                                        const ObjectPatternOptions &O = {}) {
  std::vector<uint32_t> Times = T.timestamps();
  std::vector<std::pair<std::string, std::string>> Pairs;
  for (const ObjectInefficiency &I : redundantAllocations(ObjectHistory(T, Times), O))
    for (const auto &[Key, Value] : I.Found.Evidence)
      if (Key == "reuses")
        Pairs.emplace_back(I.Found.Object, std::get<std::string>(Value));
  return Pairs;
}

} // namespace

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
      EXPECT_EQ(number(I, "distance"), 5u); // four APIs between 2 and 7
      EXPECT_EQ(I.Found.Message, "`B` is allocated 4 CUDA operations before `k7` uses it first.");
      EXPECT_EQ(I.Api, T.Objects[B].Allocation);
    }
    if (I.Found.Pattern == "late_deallocation") {
      EXPECT_EQ(number(I, "distance"), 3u); // two between 9 and 12
      EXPECT_EQ(I.Api, *T.Objects[B].Release);
    }
    if (I.Found.Pattern == "temporary_idleness") {
      EXPECT_EQ(number(I, "idle_ranges"), 1u);
      EXPECT_EQ(number(I, "longest_distance"), 4u); // from 4 to 8
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

TEST(ObjectPatternsTest, UnusedObjectIsNeitherEarlyNorLate) {
  TestTrace T;
  uint32_t A = T.allocate("a", 10);
  T.launch("k", {}, {});
  T.launch("k", {}, {});
  T.release(A);
  EXPECT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "a"}}));
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

// Figure 3: O1's last use and O3's first use are the same API, A5, so O3 cannot reuse O1's memory;
// O4, whose first use is A6, can.
TEST(ObjectPatternsTest, PaperFigure3) {
  TestTrace T = usedAt(
      {{"O1", 100, {1, 5}}, {"O2", 100, {2, 7}}, {"O3", 100, {5, 8}}, {"O4", 100, {6, 9}}}, 9);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"O4", "O1"}}));
}

TEST(ObjectPatternsTest, AReusedObjectCanReuseAnother) {
  TestTrace T = usedAt({{"x", 100, {1, 2}}, {"y", 100, {3, 4}}, {"z", 100, {5, 6}}}, 6);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"z", "y"}, {"y", "x"}}));
}

TEST(ObjectPatternsTest, AnObjectIsReusedOnce) {
  TestTrace T = usedAt({{"x", 100, {1}}, {"y", 100, {2, 4}}, {"z", 100, {3, 4}}}, 4);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"z", "x"}}));
}

// The number of later objects of the same size does not matter.
TEST(ObjectPatternsTest, EarlierReleaseHidesNothing) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.launch("k", {A}, {A});
  for (unsigned I = 0; I < 100; ++I) {
    uint32_t Short = T.allocate("short", 100);
    T.launch("k", {Short}, {Short});
    T.release(Short);
  }
  uint32_t B = T.allocate("b", 100);
  T.launch("k", {B}, {B});
  T.release(B);
  T.release(A);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"b", "a"}}));
}

TEST(ObjectPatternsTest, EarlierReleaseStillSharesMemory) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.copyTo(A);
  T.launch("k", {A}, {A});
  T.release(A);
  uint32_t B = T.allocate("b", 100);
  T.copyTo(B);
  T.launch("k", {B}, {B});
  T.release(B);
  EXPECT_EQ(patterns(T), std::vector<Pattern>());
  // A reusable object that is already released is excluded.
  TestTrace Later;
  uint32_t X = Later.allocate("x", 100);
  Later.launch("k", {X}, {X});
  uint32_t Y = Later.allocate("y", 100);
  Later.launch("k", {Y}, {Y});
  Later.release(Y);
  uint32_t Z = Later.allocate("z", 100);
  Later.launch("k", {Z}, {Z});
  Later.release(Z);
  Later.release(X);
  EXPECT_EQ(reuses(Later), (std::vector<Pattern>{{"z", "x"}}));
}

// b can reuse the memory of a; but not if nothing reads a, which needs none.
TEST(ObjectPatternsTest, AnObjectThatNothingReadsIsNotReused) {
  for (bool Read : {true, false}) {
    TestTrace T;
    const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100);
    T.copyTo(A);
    T.launch("k", Read ? std::vector{A} : std::vector<uint32_t>{}, {});
    T.launch("k", {B}, {B});
    T.release(A);
    T.release(B);
    EXPECT_EQ(reuses(T), Read ? (std::vector<Pattern>{{"b", "a"}}) : std::vector<Pattern>());
  }
}

TEST(ObjectPatternsTest, ArraysForTexturesKeepTheirMemory) {
  TestTrace T = usedAt({{"x", 100, {1}}, {"y", 100, {2}}}, 2);
  T.Objects[1].Opaque = true;
  EXPECT_EQ(reuses(T).size(), 0u);
  T.Objects[0].Opaque = true;
  EXPECT_EQ(reuses(T).size(), 0u);
}

TEST(ObjectPatternsTest, SizesOfReuseDifferByTenPercentAtMost) {
  EXPECT_EQ(reuses(usedAt({{"x", 100, {1}}, {"y", 90, {2}}}, 2)).size(), 1u);
  EXPECT_EQ(reuses(usedAt({{"x", 100, {1}}, {"y", 89, {2}}}, 2)).size(), 0u);
  EXPECT_EQ(reuses(usedAt({{"x", 90, {1}}, {"y", 100, {2}}}, 2)).size(), 1u);
  EXPECT_EQ(reuses(usedAt({{"x", 89, {1}}, {"y", 100, {2}}}, 2)).size(), 0u);
  EXPECT_EQ(reuses(usedAt({{"x", 89, {1}}, {"y", 100, {2}}}, 2), {0.11, 2}).size(), 1u);
}

TEST(ObjectPatternsTest, DeadWritesAreOverwrittenWhole) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.set(A);
  T.copyTo(A);
  T.launch("k", {A}, {});
  T.release(A);
  EXPECT_EQ(patterns(T), (std::vector<Pattern>{{"dead_write", "a"}}));
  ObjectMemory M = objectMemory(T);
  EXPECT_EQ(M.Found[0].Found.Message,
            "cudaMemset writes `a`, and cudaMemcpy overwrites it before any operation reads it.");
  EXPECT_EQ(number(M.Found[0], "dead_bytes"), 100u);
  EXPECT_EQ(M.Found[0].Found.BytesSaved, 0u);
}

// The last copy of the loop is needed: its line cannot be removed.
TEST(ObjectPatternsTest, CallSitesWithALiveWriteStay) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  for (int I = 0; I < 4; ++I)
    T.copyTo(A);
  T.launch("k", {A}, {});
  T.release(A);
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Found.size(), 1u);
  EXPECT_EQ(number(M.Found[0], "dead_writes"), 3u);
  EXPECT_EQ(M.Found[0].Found.Message,
            "cudaMemcpy writes `a`, and overwrites it 3 times before any operation reads it.");
  EXPECT_EQ(M.Found[0].Found.Suggestion,
            "Keep the calls whose data is read, and leave out 3 of the 4 calls, for example by a "
            "single call behind the loop, if the source then holds all of the data.");
}

// The call site clears two objects, and one of them for nothing.
TEST(ObjectPatternsTest, CallSitesWithALiveWriteToAnotherObjectStay) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100);
  T.set(A);
  T.set(B);
  T.copyTo(A);
  T.launch("k", {A, B}, {});
  T.release(B);
  T.release(A);
  ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Dead = find(M.Found, "dead_write", A);
  ASSERT_NE(Dead, nullptr);
  EXPECT_EQ(Dead->Found.Message,
            "cudaMemset writes `a`, and cudaMemcpy overwrites it before any operation reads it.");
  EXPECT_EQ(Dead->Found.Suggestion,
            "Keep the calls whose data is read, and leave out 1 of the 2 calls.");
}

TEST(ObjectPatternsTest, WritesThatSurviveAreNotDead) {
  TestTrace Parts; // a header in a cleared object
  uint32_t A = Parts.allocate("a", 100);
  Parts.set(A);
  Parts.copyTo(A, 0, 20, 0);
  Parts.launch("k", {A}, {});
  Parts.release(A);
  EXPECT_EQ(patterns(Parts), std::vector<Pattern>());

  TestTrace Used;
  A = Used.allocate("a", 100);
  Used.set(A);
  Used.launch("k", {A}, {A});
  Used.set(A);
  Used.copyFrom(A);
  Used.set(A);
  Used.launch("k", {A}, {A});
  Used.release(A);
  EXPECT_EQ(patterns(Used), std::vector<Pattern>());
}

TEST(ObjectPatternsTest, DeadPartsAreFoundOneByOne) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.copyTo(A, 0, 30, 0);
  T.copyTo(A, 50, 50, 0);
  T.copyTo(A, 0, 50, 0); // overwrites the first copy, not the second
  T.launch("k", {A}, {});
  T.release(A);
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Found.size(), 1u);
  EXPECT_EQ(number(M.Found[0], "dead_writes"), 1u);
  EXPECT_EQ(number(M.Found[0], "dead_bytes"), 30u);
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

// A buffer that is cleared at the start, for a case that does not occur.
TEST(ObjectPatternsTest, ObjectsThatNothingReadsAreUnused) {
  TestTrace T;
  uint32_t A = T.allocate("zero", 300), B = T.allocate("image", 100);
  T.set(A);
  T.copyTo(A);
  T.launch("draw", {}, {B});
  T.launch("draw", {B}, {B});
  T.release(B);
  T.release(A);
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Found.size(), 2u);
  EXPECT_EQ(patterns(T),
            (std::vector<Pattern>{{"early_allocation", "image"}, {"unused_allocation", "zero"}}));
  const ObjectInefficiency *Unused = find(M.Found, "unused_allocation", A);
  EXPECT_EQ(Unused->Found.Message,
            "cudaMemset writes `zero` (2 writes), but no kernel or copy reads it.");
  EXPECT_EQ(Unused->Found.Suggestion,
            "Allocate and write it only if something reads it. Reads by libraries, other processes "
            "and other devices are not seen.");
  EXPECT_EQ(number(*Unused, "writes"), 2u);
  EXPECT_EQ(Unused->Found.BytesSaved, 300u);
}

TEST(ObjectPatternsTest, ObjectsThatMayBeReadAreNotUnused) {
  for (const bool ByLaunch : {true, false}) {
    TestTrace T;
    uint32_t A = T.allocate("a", 100);
    if (!ByLaunch)
      T.Objects[A].Kind = gmprof::log::ObjectKind::Managed;
    T.set(A);
    if (ByLaunch)
      T.Apis[T.launch("unknown", {}, {})].Inferred = true;
    T.release(A);
    EXPECT_EQ(patterns(T), std::vector<Pattern>());
  }
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

// 1 of 200 bytes is not worth a copy to the host and back.
TEST(ObjectPatternsTest, SavingsBelowAHundredthOfThePeakAreLow) {
  for (const uint64_t Bytes : {1, 2}) {
    TestTrace T;
    uint32_t A = T.allocate("a", Bytes);
    T.launch("k", {A}, {A});
    uint32_t B = T.allocate("b", 200 - Bytes);
    T.launch("l", {}, {B});
    T.launch("m", {B}, {B});
    T.release(B);
    T.launch("n", {A}, {A});
    T.release(A);
    ObjectMemory M = objectMemory(T);
    const ObjectInefficiency *Idle = find(M.Found, "temporary_idleness", A);
    ASSERT_NE(Idle, nullptr);
    EXPECT_EQ(Idle->Found.BytesSaved, Bytes);
    EXPECT_EQ(Idle->Found.Level, Bytes == 1 ? Severity::Low : Severity::Medium);
  }
}

TEST(ObjectPatternsTest, UnusedLeakIsOneFinding) {
  TestTrace T;
  T.allocate("a", 100);
  const ObjectMemory M = objectMemory(T);
  ASSERT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "a"}}));
  EXPECT_EQ(M.Found[0].Found.Message,
            "No kernel, copy or memset accesses `a`, which is never freed.");
  EXPECT_EQ(M.Found[0].Found.Also, std::vector<std::string>{"memory_leak"});
  EXPECT_EQ(M.Found[0].Found.Suggestion, "Remove the allocation.");
}

TEST(ObjectPatternsTest, UnnamedUnusedAllocationsOfPythonMayBeWorkspaces) {
  TestTrace T;
  T.allocate("", 100);
  ObjectMemoryOptions Options;
  Options.Patterns.IsPython = true;
  const ObjectMemory M = objectMemory(T, Options);
  ASSERT_EQ(M.Found.size(), 1u);
  EXPECT_EQ(M.Found[0].Found.Message,
            "No kernel, copy or memset accesses an allocation of 100 bytes.");
  EXPECT_EQ(
      M.Found[0].Found.Suggestion,
      "Remove the allocation if it is the program's own. Workspaces of libraries, as cuBLAS', "
      "are for kernels that this run does not use.");
  EXPECT_TRUE(M.Found[0].Found.Also.empty());
}

TEST(ObjectPatternsTest, UnusedVariablesOfNativeCodeInPythonAreTheProgramsOwn) {
  TestTrace T;
  T.allocate("a", 100);
  ObjectMemoryOptions Options;
  Options.Patterns.IsPython = true;
  const ObjectMemory M = objectMemory(T, Options);
  ASSERT_EQ(M.Found.size(), 1u);
  EXPECT_EQ(M.Found[0].Found.Suggestion, "Remove the allocation.");
}

// A program whose allocation fails ends before it uses what it allocated last.
TEST(ObjectPatternsTest, AllocationsAfterTheLastUseAreNotUnusedIfOneFailed) {
  TestTrace T;
  T.allocate("before", 100);
  const uint32_t Used = T.allocate("used", 100);
  T.launch("k", {Used}, {Used});
  T.allocate("last", 100);
  for (const bool Failed : {false, true}) {
    ObjectMemoryOptions Options;
    Options.Patterns.AllocationFailed = Failed;
    std::vector<std::string> Unused;
    for (const ObjectInefficiency &I : objectMemory(T, Options).Found)
      if (I.Found.Pattern == "unused_allocation")
        Unused.push_back(I.Found.Object);
    EXPECT_EQ(Unused, Failed ? std::vector<std::string>{"before"}
                             : (std::vector<std::string>{"before", "last"}));
  }
}

TEST(ObjectPatternsTest, AnUnusedAllocationThatIsFreedIsNoLeak) {
  TestTrace T;
  T.release(T.allocate("a", 100));
  const ObjectMemory M = objectMemory(T);
  ASSERT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "a"}}));
  EXPECT_TRUE(M.Found[0].Found.Also.empty());
}

TEST(ObjectPatternsTest, LeaksDoNotDependOnLaunches) {
  TestTrace T;
  T.set(T.allocate("a", 100));
  T.Apis[T.launch("unknown", {}, {})].Inferred = true;
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(patterns(T), (std::vector<Pattern>{{"memory_leak", "a"}}));
  EXPECT_EQ(M.Found[0].Found.Suggestion, "Free it after its last use.");
  EXPECT_TRUE(M.Found[0].Instead.empty());
}

/// Objects of one call path, each used once. A kernel runs Between times after each.
static void keep(TestTrace &T, unsigned Objects, unsigned Between) {
  for (unsigned I = 0; I < Objects; ++I) {
    const uint32_t A = T.allocate("kept", 100);
    T.Apis[T.Objects[A].Allocation].CallPath = 0;
    T.launch("k", {A}, {A});
    for (unsigned J = 0; J < Between; ++J)
      T.launch("k", {}, {});
  }
}

static std::vector<ObjectInefficiency> pythonLeaks(const TestTrace &T) {
  ObjectMemoryOptions Options;
  Options.Patterns.IsPython = true;
  std::vector<ObjectInefficiency> Found;
  for (const ObjectInefficiency &I : objectMemory(T, Options).Found)
    if (I.Found.Pattern == "memory_leak")
      Found.push_back(I);
  return Found;
}

TEST(ObjectPatternsTest, PythonLeaksWhatALineMakesThroughoutTheRun) {
  TestTrace T;
  keep(T, 8, 10);
  ASSERT_EQ(pythonLeaks(T).size(), 1u);
  const ObjectInefficiency I = pythonLeaks(T)[0];
  EXPECT_EQ(I.Found.Message,
            "`kept` is never freed, and this line makes more throughout the run. 7 more "
            "allocations of this call site have the same problem, 800 bytes in all.");
  EXPECT_EQ(I.Found.Suggestion, "Drop the last reference to it after `k`, which needs it last.");
  EXPECT_EQ(I.Others.size(), 7u);
}

TEST(ObjectPatternsTest, PythonKeepsItsVariablesToTheEnd) {
  TestTrace Few, AtTheStart, AtTheEnd;
  keep(Few, 7, 10);
  EXPECT_TRUE(pythonLeaks(Few).empty());
  keep(AtTheStart, 8, 2);
  EXPECT_EQ(pythonLeaks(AtTheStart).size(), 1u);
  for (int I = 0; I < 11; ++I)
    AtTheStart.launch("k", {}, {}); // 43 APIs, 13 of them after the last allocation
  EXPECT_TRUE(pythonLeaks(AtTheStart).empty());
  for (int I = 0; I < 12; ++I)
    AtTheEnd.launch("k", {}, {});
  keep(AtTheEnd, 8, 2); // 44 APIs, 12 of them before the first allocation
  EXPECT_TRUE(pythonLeaks(AtTheEnd).empty());
}

TEST(ObjectPatternsTest, TheHostMayUseManagedAndPinnedMemory) {
  for (auto Kind : {gmprof::log::ObjectKind::Managed, gmprof::log::ObjectKind::Pinned}) {
    TestTrace T;
    uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100);
    T.Objects[A].Kind = T.Objects[B].Kind = Kind;
    T.launch("k", {}, {});
    T.launch("k", {}, {});
    T.launch("k", {A}, {A});
    T.launch("k", {}, {});
    T.launch("k", {}, {});
    T.set(A);
    T.set(A);
    T.launch("k", {}, {});
    T.release(A);
    T.release(B);
    EXPECT_EQ(patterns(T), std::vector<Pattern>());
    EXPECT_EQ(objectMemory(T).HostObjects, 2u);
  }
}

TEST(ObjectPatternsTest, MemoryInUseAtACrashIsNoLeak) {
  TestTrace T;
  uint32_t Late = T.allocate("late", 100);
  T.set(Late);
  T.copyFrom(Late);
  T.launch("k", {}, {});
  T.release(Late);
  T.allocate("unused", 100);
  uint32_t X = T.allocate("x", 100), Y = T.allocate("y", 100);
  T.set(X);
  T.copyFrom(X);
  T.set(Y); // x might have been used after this
  ObjectMemoryOptions Died;
  Died.Complete = false;
  std::vector<Pattern> Found;
  for (const ObjectInefficiency &I : objectMemory(T, Died).Found)
    Found.emplace_back(I.Found.Pattern, I.Found.Object);
  std::sort(Found.begin(), Found.end());
  EXPECT_EQ(Found, (std::vector<Pattern>{{"early_allocation", "x"},
                                         {"early_allocation", "y"},
                                         {"late_deallocation", "late"}}));
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

// Each object of a chain can reuse the memory of the previous one: together they need the memory of
// one.
TEST(ObjectPatternsTest, AChainOfReusesSavesAllButOne) {
  TestTrace T;
  std::vector<uint32_t> Made;
  for (int I = 0; I < 4; ++I) {
    Made.push_back(T.allocate("", 100));
    T.Apis.back().CallPath = 5;
  }
  for (uint32_t Object : Made)
    T.set(Object);
  for (uint32_t Object : Made)
    T.release(Object);
  for (const ObjectInefficiency &I : objectMemory(T).Found)
    if (I.Found.Pattern == "redundant_allocation") {
      EXPECT_EQ(number(I, "objects"), 3u);
      EXPECT_EQ(savedAlone(I), 300u);
    }
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

// A kernel adds to a counter under a condition on data, which did not hold.
TEST(ObjectPatternsTest, WritesThatOtherDataWouldReadAreNotDead) {
  for (bool MayCount : {false, true}) {
    TestTrace T;
    const uint32_t Count = T.allocate("count", 4);
    T.set(Count);
    const uint32_t K = T.launch("k", {}, {});
    if (MayCount)
      T.Skipped.push_back({K, Count});
    T.set(Count);
    T.launch("k", {Count}, {Count});
    T.copyFrom(Count);
    T.release(Count);
    EXPECT_EQ(find(objectMemory(T).Found, "dead_write", Count) == nullptr, MayCount);
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
                                            : "Remove the allocation.");
    EXPECT_EQ(Unused->Found.Level, MayUse ? Severity::Medium : Severity::High);
  }
}

// A program allocates four buffers in a loop, and a short run uses three of them.
TEST(ObjectPatternsTest, UnusedBuffersOfACallThatAllocatesUsedOnes) {
  TestTrace T;
  std::vector<uint32_t> Buffers;
  for (int I = 0; I < 4; ++I) {
    Buffers.push_back(T.allocate("buffer[]", 100));
    T.Apis.back().CallPath = 0;
  }
  for (int I = 0; I < 3; ++I)
    T.launch("k", {Buffers[static_cast<size_t>(I)]}, {});
  for (uint32_t Buffer : Buffers)
    T.release(Buffer);
  ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Unused = find(M.Found, "unused_allocation", Buffers[3]);
  ASSERT_NE(Unused, nullptr);
  EXPECT_EQ(Unused->Found.Suggestion,
            "Allocate only the 3 of the 4 allocations of this call site that are used, provided "
            "that no other input uses more.");
}

/// One call site allocates a temporary per step; the steps in Failing return without the release.
static std::vector<uint32_t> temporaries(TestTrace &T, uint32_t Data,
                                         const std::set<int> &Failing) {
  std::vector<uint32_t> Made;
  for (int Step = 0; Step < 6; ++Step) {
    const uint32_t Temporary = Made.emplace_back(T.allocate("tmp", 100));
    T.Apis.back().CallPath = 0;
    T.launch("fill", {}, {Temporary});
    if (Failing.contains(Step))
      continue;
    T.launch("add", {Temporary, Data}, {Data});
    T.release(Temporary);
    T.Apis.back().CallPath = 1;
  }
  return Made;
}

// A release after `fill` would be the second one of the steps that succeed.
TEST(ObjectPatternsTest, LeaksOfSomePathsAreFreedOnThosePaths) {
  TestTrace T;
  const uint32_t Data = T.allocate("data", 100);
  T.set(Data);
  const std::vector<uint32_t> Made = temporaries(T, Data, {1, 4});
  T.launch("read", {Made[1], Made[4]}, {});
  T.copyFrom(Data);
  T.release(Data);
  const ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Leak = find(M.Found, "memory_leak", Made[1]);
  ASSERT_NE(Leak, nullptr);
  EXPECT_EQ(Leak->Others, std::vector<uint32_t>{Made[4]});
  EXPECT_EQ(Leak->Found.Suggestion, "Free it on the path that skips cudaFree, which frees 4 other "
                                    "allocations of this call site.");
}

// Half of the allocations are freed: a release after `fill` would be their second one. Memory of
// the leaked ones is free for the others when the leak is mended.
TEST(ObjectPatternsTest, LeaksOfHalfOfThePathsAreFreedOnThosePaths) {
  TestTrace T;
  const uint32_t Data = T.allocate("data", 100);
  T.set(Data);
  const std::vector<uint32_t> Made = temporaries(T, Data, {0, 2, 4});
  T.copyFrom(Data);
  T.release(Data);
  const ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Leak = find(M.Found, "memory_leak", Made[0]);
  ASSERT_NE(Leak, nullptr);
  EXPECT_EQ(Leak->Others, (std::vector<uint32_t>{Made[2], Made[4]}));
  EXPECT_EQ(Leak->Found.Suggestion, "Free it on the path that skips cudaFree, which frees 3 other "
                                    "allocations of this call site.");
  EXPECT_TRUE(std::ranges::none_of(M.Found, [](const ObjectInefficiency &I) {
    return I.Found.Pattern == "redundant_allocation";
  }));
}

// A loop that frees only its last object skips no path, but a release must not be its second one.
TEST(ObjectPatternsTest, LeaksOfMostPathsAreNotFreedTwice) {
  TestTrace T;
  const uint32_t Data = T.allocate("data", 100);
  T.set(Data);
  const std::vector<uint32_t> Made = temporaries(T, Data, {0, 1, 2, 3, 4});
  T.copyFrom(Data);
  T.release(Data);
  const ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Leak = find(M.Found, "memory_leak", Made[0]);
  ASSERT_NE(Leak, nullptr);
  EXPECT_EQ(Leak->Found.Suggestion,
            "Free it after `fill`, which needs it last, provided that it is not used later, as "
            "another allocation of this call site is, and that cudaFree, which frees 1 other "
            "allocation of this call site, does not free it again.");
  EXPECT_TRUE(std::ranges::any_of(M.Found, [](const ObjectInefficiency &I) {
    return I.Found.Pattern == "redundant_allocation";
  }));
}

TEST(ObjectPatternsTest, LeaksOfAllPathsAreFreedAfterTheLastUse) {
  for (bool OthersAreUsedLater : {false, true}) {
    TestTrace T;
    const uint32_t Data = T.allocate("data", 100);
    T.set(Data);
    const std::vector<uint32_t> Made = temporaries(T, Data, {0, 1, 2, 3, 4, 5});
    T.launch("read", {Made.begin() + OthersAreUsedLater, Made.end()}, {});
    T.copyFrom(Data);
    T.release(Data);
    const ObjectMemory M = objectMemory(T);
    const ObjectInefficiency *Leak = find(M.Found, "memory_leak", Made[0]);
    ASSERT_NE(Leak, nullptr);
    EXPECT_EQ(Leak->Found.Suggestion,
              OthersAreUsedLater ? "Free it after `fill`, which needs it last, provided that it "
                                   "is not used later, as another allocation of this call site "
                                   "is."
                                 : "Free it after `read`, which needs it last.");
  }
}

// The first buffer is needed by `f` last, the second one by `g`.
TEST(ObjectPatternsTest, AReleaseThatMovesFreesAllObjectsOfACallSite) {
  for (bool Alike : {false, true}) {
    TestTrace T;
    std::vector<uint32_t> Made;
    for (int I = 0; I < 2; ++I) {
      Made.push_back(T.allocate("buffer", 100));
      T.Apis.back().CallPath = 0;
      T.launch("f", {}, {Made.back()});
    }
    if (!Alike)
      T.launch("g", {Made[1]}, {});
    else
      T.launch("f", {Made[1]}, {});
    T.launch("other", {}, {});
    for (uint32_t Buffer : Made) {
      T.release(Buffer);
      T.Apis.back().CallPath = 1;
    }
    T.launch("f", {}, {});
    const ObjectMemory M = objectMemory(T);
    const ObjectInefficiency *Late = find(M.Found, "late_deallocation", Made[0]);
    ASSERT_NE(Late, nullptr);
    EXPECT_EQ(Late->Found.Suggestion,
              Alike ? "Free it right after `f`."
                    : "Free it right after `f`, provided that it is not used later, as another "
                      "allocation of this call site is.");
  }
}

// The last temporary could have the memory of `data`, the others would overwrite it.
TEST(ObjectPatternsTest, ACallSiteReusesMemoryThatNoneOfItsObjectsOverwrites) {
  for (bool UsedByOthers : {false, true}) {
    TestTrace T;
    const uint32_t Data = T.allocate("data", 100);
    T.set(Data);
    std::vector<uint32_t> Made;
    for (int I = 0; I < 3; ++I) {
      if (I == 1 && !UsedByOthers)
        T.launch("use", {Data}, {});
      Made.push_back(T.allocate("tmp", 100));
      T.Apis.back().CallPath = I == 2 || UsedByOthers ? 0 : 1;
      T.launch("fill", {}, {Made.back()});
      T.launch(I < 2 ? "add" : "read", {Made.back()}, {});
      if (I < 2)
        T.launch("use", {Data}, {});
      if (I < 2) {
        T.release(Made.back());
        T.Apis.back().CallPath = 2;
      }
    }
    T.release(Made.back());
    T.release(Data);
    const ObjectInefficiency *Reuse =
        find(objectMemory(T).Found, "redundant_allocation", Made.back());
    EXPECT_EQ(Reuse == nullptr, UsedByOthers);
  }
}

// Objects of different streams share memory only if one stream waits for the other.
TEST(ObjectPatternsTest, ReuseAcrossStreamsNeedsAnOrder) {
  for (bool Waits : {false, true}) {
    TestTrace T;
    const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100);
    T.launch("f", {}, {}, 2);
    const uint32_t K = T.launch("k", {A}, {}, 1);
    T.launch("g", {}, {}, 2);
    const uint32_t H = T.launch("h", {}, {B}, 2);
    if (Waits)
      T.Apis[H].After = {K};
    T.copyFrom(B, 2);
    T.release(A);
    T.release(B);
    ObjectMemory M = objectMemory(T);
    const ObjectInefficiency *Reuse = find(M.Found, "redundant_allocation", B);
    ASSERT_NE(Reuse, nullptr);
    EXPECT_EQ(Reuse->Found.Suggestion,
              Waits ? "Reuse the memory of `a` for `b`."
                    : "Reuse the memory of `a` for `b`, provided that the stream of `h` waits for "
                      "`k`.");
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
  // The name does not end with arguments that could be abbreviated.
  const std::string Member = "Matrix<std::array<float, 256>, std::array<std::string, 256>>::fill";
  EXPECT_EQ(Described(Member), Member);
}
