//===- UnusedAllocationTest.cpp - Objects that nothing uses ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectPatternCases.h"
#include <gtest/gtest.h>

using namespace gmprof::test;

TEST(UnusedAllocationTest, UnusedObjectIsNeitherEarlyNorLate) {
  TestTrace T;
  uint32_t A = T.allocate("a", 10);
  T.launch("k", {}, {});
  T.launch("k", {}, {});
  T.release(A);
  EXPECT_EQ(patterns(T), (std::vector<Pattern>{{"unused_allocation", "a"}}));
}

// A buffer that is cleared at the start, for a case that does not occur.
TEST(UnusedAllocationTest, ObjectsThatNothingReadsAreUnused) {
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

TEST(UnusedAllocationTest, ObjectsThatMayBeReadAreNotUnused) {
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

TEST(UnusedAllocationTest, UnnamedUnusedAllocationsOfPythonMayBeWorkspaces) {
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

TEST(UnusedAllocationTest, UnusedVariablesOfNativeCodeInPythonAreTheProgramsOwn) {
  TestTrace T;
  T.allocate("a", 100);
  ObjectMemoryOptions Options;
  Options.Patterns.IsPython = true;
  const ObjectMemory M = objectMemory(T, Options);
  ASSERT_EQ(M.Found.size(), 1u);
  EXPECT_EQ(M.Found[0].Found.Suggestion,
            "Remove the allocation, or allocate only for the inputs that use it.");
}

// A program whose allocation fails ends before it uses what it allocated last.
TEST(UnusedAllocationTest, AllocationsAfterTheLastUseAreNotUnusedIfOneFailed) {
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

// A program allocates four buffers in a loop, and a short run uses three of them.
TEST(UnusedAllocationTest, UnusedBuffersOfACallThatAllocatesUsedOnes) {
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
