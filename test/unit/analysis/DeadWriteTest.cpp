//===- DeadWriteTest.cpp - Writes that nothing reads ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectPatternCases.h"
#include <gtest/gtest.h>

using namespace gmprof::test;

TEST(DeadWriteTest, DeadWritesAreOverwrittenWhole) {
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
TEST(DeadWriteTest, CallSitesWithALiveWriteStay) {
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
TEST(DeadWriteTest, CallSitesWithALiveWriteToAnotherObjectStay) {
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

TEST(DeadWriteTest, WritesThatSurviveAreNotDead) {
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

TEST(DeadWriteTest, DeadPartsAreFoundOneByOne) {
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

// A kernel adds to a counter under a condition on data, which did not hold.
TEST(DeadWriteTest, WritesThatOtherDataWouldReadAreNotDead) {
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
