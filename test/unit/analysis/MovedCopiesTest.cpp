//===- MovedCopiesTest.cpp - Copies that move with allocations ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What remains of a peak when copies from and to the host move together with allocations and
// releases (ObjectHistory.h), and what must not move.
//
//===----------------------------------------------------------------------===//

#include "TestTrace.h"
#include "analysis/ObjectInefficiencies.h"
#include <gtest/gtest.h>
#include <random>

using namespace gmprof::test;

namespace {

/// PolyBench's 2MM: C = A B, E = C D. All five arrays, of 100 bytes each, are there from the
/// begin to the end.
struct TwoProducts : TestTrace {
  uint32_t A, B, C, D, E;
  TwoProducts() {
    A = allocate("A", 100), B = allocate("B", 100), C = allocate("C", 100);
    D = allocate("D", 100), E = allocate("E", 100); // 4
    for (uint32_t Each : {A, B, C, D, E})
      upload(Each); // 5 to 9
    launch("first", {A, B}, {C});
    launch("second", {C, D, E}, {E});
    download(E); // 12
    for (uint32_t Each : {A, B, C, D, E})
      release(Each);
  }
};

} // namespace

// Table 4 of the paper: 40 %, by releasing A and B after the first kernel, and allocating and
// copying D and E before the second one.
TEST(MovedCopiesTest, TwoProductsSaveTwoOfFiveArrays) {
  TwoProducts T;
  ObjectMemory M = objectMemory(T);
  EXPECT_EQ(M.Devices[0].PeakBytes, 500u);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 300u);

  const ObjectInefficiency *Early = find(M.Found, "early_allocation", T.D);
  ASSERT_TRUE(Early);
  EXPECT_EQ(Early->Found.Message,
            "`D` is allocated 4 CUDA operations before cudaMemcpy uses it first.");
  EXPECT_EQ(Early->Found.Suggestion, "Allocate it right before second, and move cudaMemcpy there.");
  EXPECT_EQ(number(*Early, "copies_to_move"), 1u);
  EXPECT_EQ(Early->Found.BytesSaved, 0u); // A and B are still there then

  const ObjectInefficiency *Late = find(M.Found, "late_deallocation", T.A);
  ASSERT_TRUE(Late);
  EXPECT_EQ(Late->Found.Suggestion, "Free it right after `first`.");
  EXPECT_EQ(number(*Late, "copies_to_move"), 0u);
  EXPECT_EQ(Late->Found.BytesSaved, 0u); // D and E are there before

  // D and E can have the memory of A and B, each of the one that is the closest.
  const ObjectInefficiency *Redundant = find(M.Found, "redundant_allocation", T.D);
  ASSERT_TRUE(Redundant);
  EXPECT_EQ(Redundant->Reuses, T.A);
  EXPECT_EQ(
      Redundant->Found.Message,
      "The last use of `A`, by `first`, is before the first use of `D`, by `second`: both can "
      "share one allocation.");
  EXPECT_EQ(Redundant->Found.Suggestion,
            "Reuse the memory of `A` for `D`, and move cudaMemcpy to right before `second`.");
  EXPECT_EQ(Redundant->Found.BytesSaved, 100u);
  Redundant = find(M.Found, "redundant_allocation", T.E);
  ASSERT_TRUE(Redundant);
  EXPECT_EQ(Redundant->Reuses, T.B);
}

// 3MM: E = A B, F = C D, G = E F. The paper's 57 % takes E out of the memory while the second
// kernel runs, for which one API between two uses has to be enough.
TEST(MovedCopiesTest, ThreeProductsSaveThreeOrFourOfSevenArrays) {
  TestTrace T;
  std::vector<uint32_t> All;
  for (const char *Name : {"A", "B", "C", "D", "E", "F", "G"})
    All.push_back(T.allocate(Name, 100));
  for (uint32_t Each : All)
    T.upload(Each);
  T.launch("first", {All[0], All[1]}, {All[4]});
  T.launch("second", {All[2], All[3]}, {All[5]});
  T.launch("third", {All[4], All[5]}, {All[6]});
  T.download(All[6]);
  for (uint32_t Each : All)
    T.release(Each);
  ObjectMemoryOptions Options;
  EXPECT_EQ(objectMemory(T, Options).Devices[0].PeakBytesAfter, 400u);
  Options.Patterns.IdleApis = 1;
  EXPECT_EQ(objectMemory(T, Options).Devices[0].PeakBytesAfter, 300u);
}

// A result that is copied to the host at the end can be copied when it is ready.
TEST(MovedCopiesTest, CopiesToTheHostMoveWithReleases) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.launch("k", {}, {A});            // 1
  uint32_t B = T.allocate("b", 100); // 2
  T.launch("k2", {}, {B});           // 3
  T.download(B);
  T.download(A);
  T.release(B);
  T.release(A);
  ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Idle = find(M.Found, "temporary_idleness", A);
  ASSERT_TRUE(Idle);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 100u);
  const ObjectInefficiency *Reuse = find(M.Found, "redundant_allocation", B);
  ASSERT_TRUE(Reuse);
  EXPECT_EQ(Reuse->Found.Suggestion,
            "Reuse the memory of `a` for `b`, and move cudaMemcpy to right after `k`.");
  EXPECT_EQ(Reuse->Found.BytesSaved, 100u);
}

TEST(MovedCopiesTest, SeveralCopiesMoveTogether) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.launch("x", {}, {});
  T.set(A);
  T.upload(A);
  uint32_t B = T.allocate("b", 100);
  T.launch("y", {B}, {B});
  T.release(B);
  T.launch("k", {A}, {});
  T.release(A);
  ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Early = find(M.Found, "early_allocation", A);
  ASSERT_TRUE(Early);
  EXPECT_EQ(Early->Found.Suggestion, "Allocate it right before k, and move 2 copies there.");
  EXPECT_EQ(number(*Early, "copies_to_move"), 2u);
  EXPECT_EQ(Early->Found.BytesSaved, 100u);
}

// What is copied from another object of the device may change there meanwhile, and a kernel
// that GMProf does not know may read what was copied.
TEST(MovedCopiesTest, OtherCopiesStay) {
  for (bool Unknown : {false, true}) {
    TestTrace T;
    uint32_t From = T.allocate("from", 100);
    T.upload(From);
    uint32_t A = T.allocate("a", 100);
    T.launch("x", {}, {});
    if (Unknown) {
      T.upload(A);
      T.Apis[T.launch("unknown", {}, {})].Inferred = true;
    } else {
      T.Apis[T.copyTo(A)].Accesses.push_back({From, true, false, 0, 100});
    }
    uint32_t B = T.allocate("b", 100);
    T.launch("y", {From, B}, {});
    T.launch("k", {From, A}, {});
    ObjectMemory M = objectMemory(T);
    const ObjectInefficiency *Early = find(M.Found, "early_allocation", A);
    ASSERT_TRUE(Early);
    EXPECT_EQ(Early->Found.Suggestion, "Allocate it right before cudaMemcpy.");
    EXPECT_EQ(number(*Early, "copies_to_move"), 0u);
    EXPECT_EQ(Early->Found.BytesSaved, 0u);
    EXPECT_FALSE(find(M.Found, "redundant_allocation", B));
  }
}

// Allocated right before the copy, but long before what needs it.
TEST(MovedCopiesTest, WhatIsCopiedTooEarlyIsNotThereUntilItIsNeeded) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.upload(A);
  uint32_t B = T.allocate("b", 100);
  T.launch("y", {}, {B});
  T.release(B);
  uint32_t Use = T.launch("k", {A}, {});
  T.release(A);
  ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Idle = find(M.Found, "temporary_idleness", A);
  ASSERT_TRUE(Idle);
  EXPECT_EQ(Idle->Found.Suggestion, "Allocate it right before `k`, and move cudaMemcpy there.");
  EXPECT_EQ(Idle->Found.BytesSaved, 100u);
  const std::vector<Residency> &In = Idle->Instead.at(A);
  ASSERT_EQ(In.size(), 1u);
  EXPECT_EQ(In[0].From, Use);
  EXPECT_EQ(In[0].To, Use + 1);
}

// Only copied: from where to where it moves is open.
TEST(MovedCopiesTest, WhatNothingElseUsesStays) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100);
  T.launch("x", {}, {});
  uint32_t Up = T.upload(A);
  T.launch("y", {}, {});
  uint32_t Down = T.download(A);
  T.launch("x", {}, {});
  T.release(A);
  ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Early = find(M.Found, "early_allocation", A);
  const ObjectInefficiency *Late = find(M.Found, "late_deallocation", A);
  ASSERT_TRUE(Early && Late);
  EXPECT_EQ(Early->Instead.at(A)[0].From, Up);
  EXPECT_EQ(Late->Instead.at(A)[0].To, Down + 1);
}

// The second stream's kernel is called first, and runs later in topological time: its array
// is gone when the other one comes.
TEST(MovedCopiesTest, WhatWasCalledBeforeSharesNothing) {
  TestTrace T;
  uint32_t Y = T.allocate("y", 100, NoStream);
  for (int I = 0; I < 5; ++I)
    T.launch("x", {}, {}, 2);
  T.launch("late", {Y}, {}, 2); // T 5
  uint32_t X = T.allocate("x", 100, NoStream);
  T.launch("early", {X}, {}, 1); // T 1
  EXPECT_FALSE(find(objectMemory(T).Found, "redundant_allocation", Y));
}

// Two streams read an object, and run in another order than they were called.
TEST(MovedCopiesTest, AnIdleObjectIsThereWheneverItIsCalled) {
  TestTrace T;
  uint32_t A = T.allocate("a", 100, 1); // 0: T 0
  T.launch("w", {}, {A}, 1);            // 1: T 1
  for (int I = 0; I < 10; ++I)
    T.launch("x", {}, {}, 2);                // 2 to 11: T 0 to 9
  uint32_t Late = T.launch("r", {A}, {}, 2); // 12: T 10
  for (int I = 0; I < 3; ++I)
    T.launch("x", {}, {}, 1);                 // 13 to 15: T 2 to 4
  uint32_t Early = T.launch("r", {A}, {}, 1); // 16: T 5
  ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Idle = find(M.Found, "temporary_idleness", A);
  ASSERT_TRUE(Idle);
  EXPECT_EQ(number(*Idle, "idle_ranges"), 2u); // T 1 to 5, and 5 to 10
  const std::vector<Residency> &In = Idle->Instead.at(A);
  for (uint32_t Call : {Late, Early})
    EXPECT_TRUE(std::any_of(In.begin(), In.end(), [&](const Residency &R) {
      return R.From <= Call && Call < R.To;
    })) << Call;
}

// Of random programs: with all lifetimes as proposed, each object is in memory when something
// is called that cannot move, and what a copy reads was there before.
TEST(MovedCopiesTest, ObjectsAreThereWhenTheyAreNeeded) {
  std::mt19937 Random(11); // NOLINT(bugprone-random-generator-seed): the same in every run
  auto Below = [&](uint32_t N) { return static_cast<uint32_t>(Random() % N); };
  unsigned Shorter = 0;
  for (unsigned Round = 0; Round != 500; ++Round) {
    TestTrace T;
    std::vector<uint32_t> Objects;
    for (unsigned I = 0; I != 4; ++I)
      Objects.push_back(T.allocate("o" + std::to_string(I), 100));
    for (unsigned I = 0; I != 25; ++I) {
      const uint32_t Object = Objects[Below(4)], Stream = 1 + Below(2);
      switch (Below(4)) {
      case 0:
        T.upload(Object, Stream);
        break;
      case 1:
        T.download(Object, Stream);
        break;
      default:
        T.launch("k", {Object}, Below(2) ? std::vector{Object} : std::vector<uint32_t>(), Stream);
      }
    }
    ObjectMemory M = objectMemory(T);
    for (uint32_t Object : Objects) {
      std::vector<bool> In(T.Apis.size(), true);
      for (const ObjectInefficiency &I : M.Found) {
        auto Instead = I.Instead.find(Object);
        if (Instead == I.Instead.end() || I.Found.Pattern == "redundant_allocation")
          continue;
        for (uint32_t Call = 0; Call != In.size(); ++Call)
          In[Call] = In[Call] &&
                     std::any_of(Instead->second.begin(), Instead->second.end(),
                                 [&](const Residency &R) { return R.From <= Call && Call < R.To; });
      }
      uint32_t Upload = 0; // the last one, if nothing but copies to the host came since
      for (uint32_t Call = 0; Call != In.size(); ++Call) {
        const Api &A = T.Apis[Call];
        if (A.Accesses.empty() || A.Accesses[0].Object != Object)
          continue;
        if (!A.WithHost) {
          EXPECT_TRUE(In[Call]) << "round " << Round << " call " << Call;
          Upload = 0;
        } else if (A.Accesses[0].Writes) {
          Upload = Call;
        } else if (Upload != 0) {
          EXPECT_TRUE(std::find(In.begin() + Upload, In.end(), true) != In.end())
              << "round " << Round << " call " << Call;
        }
      }
      Shorter += std::find(In.begin() + Object, In.end(), false) != In.end();
    }
    for (const ObjectInefficiency &I : M.Found)
      if (I.Reuses) {
        const ObjectHistory H(T, M.Timestamps);
        EXPECT_LT(H.need(*I.Reuses).Last, H.need(I.Object).First);
      }
  }
  EXPECT_GT(Shorter, 500u);
}
