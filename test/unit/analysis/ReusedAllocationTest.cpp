//===- ReusedAllocationTest.cpp - Memory that can be reused ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectPatternCases.h"
#include <gtest/gtest.h>

using namespace gmprof::test;

// Figure 3: O1's last use and O3's first use are the same API, A5, so O3 cannot reuse O1's memory;
// O4, whose first use is A6, can.
TEST(ReusedAllocationTest, PaperFigure3) {
  TestTrace T = usedAt(
      {{"O1", 100, {1, 5}}, {"O2", 100, {2, 7}}, {"O3", 100, {5, 8}}, {"O4", 100, {6, 9}}}, 9);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"O4", "O1"}}));
}

TEST(ReusedAllocationTest, AReusedObjectCanReuseAnother) {
  TestTrace T = usedAt({{"x", 100, {1, 2}}, {"y", 100, {3, 4}}, {"z", 100, {5, 6}}}, 6);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"z", "y"}, {"y", "x"}}));
}

TEST(ReusedAllocationTest, AnObjectIsReusedOnce) {
  TestTrace T = usedAt({{"x", 100, {1}}, {"y", 100, {2, 4}}, {"z", 100, {3, 4}}}, 4);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"z", "x"}}));
}

// The number of later objects of the same size does not matter.
TEST(ReusedAllocationTest, EarlierReleaseHidesNothing) {
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

TEST(ReusedAllocationTest, EarlierReleaseStillSharesMemory) {
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
TEST(ReusedAllocationTest, AnObjectThatNothingReadsIsNotReused) {
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

TEST(ReusedAllocationTest, ArraysForTexturesKeepTheirMemory) {
  TestTrace T = usedAt({{"x", 100, {1}}, {"y", 100, {2}}}, 2);
  T.Objects[1].Opaque = true;
  EXPECT_EQ(reuses(T).size(), 0u);
  T.Objects[0].Opaque = true;
  EXPECT_EQ(reuses(T).size(), 0u);
}

TEST(ReusedAllocationTest, SizesOfReuseDifferByTenPercentAtMost) {
  EXPECT_EQ(reuses(usedAt({{"x", 100, {1}}, {"y", 90, {2}}}, 2)).size(), 1u);
  EXPECT_EQ(reuses(usedAt({{"x", 100, {1}}, {"y", 89, {2}}}, 2)).size(), 0u);
  EXPECT_EQ(reuses(usedAt({{"x", 90, {1}}, {"y", 100, {2}}}, 2)).size(), 1u);
  EXPECT_EQ(reuses(usedAt({{"x", 89, {1}}, {"y", 100, {2}}}, 2)).size(), 0u);
  EXPECT_EQ(reuses(usedAt({{"x", 89, {1}}, {"y", 100, {2}}}, 2), {0.11, 2}).size(), 1u);
}

// Each object of a chain can reuse the memory of the previous one: together they need the memory of
// one.
TEST(ReusedAllocationTest, AChainOfReusesSavesAllButOne) {
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

// The last temporary could have the memory of `data`, the others would overwrite it.
TEST(ReusedAllocationTest, ACallSiteReusesMemoryThatNoneOfItsObjectsOverwrites) {
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
TEST(ReusedAllocationTest, ReuseAcrossStreamsNeedsAnOrder) {
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

// `d` could reuse the memory of `a` or of `b`; only `a` is used in the stream of `d`.
TEST(ReusedAllocationTest, MemoryOfTheSameStreamIsPreferred) {
  TestTrace T;
  const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 100), C = T.allocate("c", 100),
                 D = T.allocate("d", 100);
  T.launch("load", {A}, {A}, 2);
  T.launch("load", {B}, {B}, 1);
  T.launch("use", {C}, {C}, 1);
  T.launch("use", {D}, {D}, 2);
  for (const uint32_t Each : {A, B, C, D})
    T.release(Each);
  EXPECT_EQ(reuses(T), (std::vector<Pattern>{{"d", "a"}, {"c", "b"}}));
}

// Two workers that run one function need its allocation at once in another run. Threads of
// different call sites may follow each other, as the advice has to state.
TEST(ReusedAllocationTest, ThreadsOfOneCallSiteShareNoMemory) {
  for (bool OneCallSite : {true, false})
    for (bool OneThread : {true, false}) {
      TestTrace T;
      std::vector<uint32_t> Objects;
      for (uint32_t I : {0u, 1u}) {
        Objects.push_back(T.allocate(I == 0 ? "a" : "b", 100));
        T.Apis.back().CallPath = OneCallSite ? 0 : I;
      }
      for (uint32_t I : {0u, 1u})
        for (const char *Kernel : {"fill", "read"}) {
          T.launch(Kernel, {Objects[I]}, {Objects[I]});
          T.Apis.back().Thread = OneThread ? 1 : 1 + I;
        }
      for (uint32_t Object : Objects)
        T.release(Object);
      const ObjectMemory M = objectMemory(T);
      const ObjectInefficiency *Reuse = find(M.Found, "redundant_allocation", Objects[1]);
      ASSERT_EQ(Reuse != nullptr, OneThread || !OneCallSite);
      if (Reuse)
        EXPECT_EQ(Reuse->Found.Suggestion,
                  OneThread ? "Reuse the memory of `a` for `b`."
                            : "Reuse the memory of `a` for `b`, provided that the host thread that "
                              "calls `fill` waits for the other thread to call `read`.");
    }
}
