//===- MemoryLeakTest.cpp - Objects that are not freed, or too late -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectPatternCases.h"
#include <gtest/gtest.h>
#include <set>

using namespace gmprof::test;

TEST(MemoryLeakTest, UnusedLeakIsOneFinding) {
  TestTrace T;
  T.allocate("a", 100);
  const ObjectMemory M = objectMemory(T);
  ASSERT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "a"}}));
  EXPECT_EQ(M.Found[0].Found.Message,
            "No kernel, copy or memset accesses `a`, which is never freed.");
  EXPECT_EQ(M.Found[0].Found.Also, std::vector<std::string>{"memory_leak"});
  EXPECT_EQ(M.Found[0].Found.Suggestion,
            "Remove the allocation, or allocate only for the inputs that use it.");
}

TEST(MemoryLeakTest, AnUnusedAllocationThatIsFreedIsNoLeak) {
  TestTrace T;
  T.release(T.allocate("a", 100));
  const ObjectMemory M = objectMemory(T);
  ASSERT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "a"}}));
  EXPECT_TRUE(M.Found[0].Found.Also.empty());
}

TEST(MemoryLeakTest, LeaksDoNotDependOnLaunches) {
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

TEST(MemoryLeakTest, PythonLeaksWhatALineMakesThroughoutTheRun) {
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

TEST(MemoryLeakTest, PythonKeepsItsVariablesToTheEnd) {
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

TEST(MemoryLeakTest, TheHostMayUseManagedAndPinnedMemory) {
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

TEST(MemoryLeakTest, MemoryInUseAtACrashIsNoLeak) {
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
TEST(MemoryLeakTest, LeaksOfSomePathsAreFreedOnThosePaths) {
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

// A graph frees what its earlier launch has allocated: the program skips no call.
TEST(MemoryLeakTest, AllocationsOfGraphsAreFreedAfterTheLastUse) {
  TestTrace T;
  const uint32_t Data = T.allocate("data", 100);
  T.set(Data);
  const std::vector<uint32_t> Made = temporaries(T, Data, {4});
  for (const uint32_t Object : Made)
    T.Objects[Object].Kind = gmprof::log::ObjectKind::Graph;
  T.copyFrom(Data);
  T.release(Data);
  const ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Leak = find(M.Found, "memory_leak", Made[4]);
  ASSERT_NE(Leak, nullptr);
  EXPECT_EQ(Leak->Found.Suggestion,
            "Free it after `fill`, which needs it last, provided that it is not used later, as "
            "another allocation of this call site is.");
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

// No path frees a temporary: the leak is the cause, and reusing the first one is no second finding.
// If the last one is freed, one allocation before the loop mends both.
TEST(MemoryLeakTest, LeaksOfACallSiteAreNotRedundantAllocations) {
  for (bool FreesLast : {false, true}) {
    TestTrace T;
    const uint32_t Sum = T.allocate("sum", 4000);
    T.set(Sum);
    uint32_t Temporary = 0;
    for (int Step = 0; Step < 6; ++Step) {
      Temporary = T.allocate("tmp", 100);
      T.Apis.back().CallPath = 0;
      T.set(Temporary);
      T.launch("add", {Temporary, Sum}, {Sum});
    }
    if (FreesLast)
      T.release(Temporary);
    T.copyFrom(Sum);
    T.release(Sum);
    std::set<std::string> Patterns;
    for (const ObjectInefficiency &I : objectMemory(T).Found)
      Patterns.insert(I.Found.Pattern);
    EXPECT_TRUE(Patterns.contains("memory_leak"));
    EXPECT_EQ(Patterns.contains("redundant_allocation"), FreesLast);
  }
}

TEST(MemoryLeakTest, LeaksOfAllPathsAreFreedAfterTheLastUse) {
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
TEST(MemoryLeakTest, AReleaseThatMovesFreesAllObjectsOfACallSite) {
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
