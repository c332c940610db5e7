//===- ObjectPatternsTest.cpp - Tests of the object-level patterns --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTrace.h"
#include "analysis/ObjectInefficiencies.h"
#include <gtest/gtest.h>

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

/// Objects of 100 bytes that exist from the start, each with a use at the given
/// times; a kernel without accesses runs at the others.
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

// Figure 2: B is allocated at 2, used first at 7 and last at 9, and released at 12;
// C is never released, and idle for a while.
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
      EXPECT_EQ(I.Found.Message, "B is allocated 4 GPU APIs before k7 uses it first.");
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
  T.set(A, 1);
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

// Figure 3: O1's last use and O3's first are the same API, A5, so that O3 cannot
// have O1's memory; O4, whose first use is A6, can.
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
            "What cudaMemset writes to a is overwritten by cudaMemcpy before anything uses it.");
  EXPECT_EQ(number(M.Found[0], "dead_bytes"), 100u);
  EXPECT_EQ(M.Found[0].Found.BytesSaved, 0u);
}

TEST(ObjectPatternsTest, WritesThatSurviveAreNotDead) {
  TestTrace Parts; // a header over a cleared object
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
  T.copyTo(A, 0, 50, 0); // overwrites the first, not the second
  T.launch("k", {A}, {});
  T.release(A);
  ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Found.size(), 1u);
  EXPECT_EQ(number(M.Found[0], "dead_writes"), 1u);
  EXPECT_EQ(number(M.Found[0], "dead_bytes"), 30u);
}
