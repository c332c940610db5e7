//===- MovedCopiesTest.cpp - Copies that move with allocations ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the peak that remains if copies from and to the host move together with allocations and
// releases (ObjectHistory.h), and which copies must not move.
//
//===----------------------------------------------------------------------===//

#include "TestTrace.h"
#include "analysis/objects/ObjectInefficiencies.h"
#include <gtest/gtest.h>
#include <random>

using namespace gmprof::test;

namespace {

/// PolyBench's 2MM: C = A B, E = C D. All five arrays, of 100 bytes each, exist from begin to end.
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

// The paper's Table 4: 40 % is saved by releasing A and B after the first kernel, and by allocating
// and copying D and E before the second.
TEST(MovedCopiesTest, TwoProductsSaveTwoOfFiveArrays) {
  TwoProducts T;
  ObjectMemory M = objectMemory(T);
  EXPECT_EQ(M.Devices[0].PeakBytes, 500u);
  EXPECT_EQ(M.Devices[0].PeakBytesAfter, 300u);

  const ObjectInefficiency *Early = find(M.Found, "early_allocation", T.D);
  ASSERT_TRUE(Early);
  EXPECT_EQ(Early->Found.Message,
            "`D` is allocated 4 CUDA operations before cudaMemcpy uses it first.");
  EXPECT_EQ(Early->Found.Suggestion,
            "Allocate it right before `second`, and move cudaMemcpy there, provided that the host "
            "buffer still holds the same data.");
  EXPECT_EQ(number(*Early, "copies_to_move"), 1u);
  EXPECT_EQ(Early->Found.BytesSaved, 0u); // A and B still exist then

  const ObjectInefficiency *Late = find(M.Found, "late_deallocation", T.A);
  ASSERT_TRUE(Late);
  EXPECT_EQ(Late->Found.Suggestion, "Free it right after `first`.");
  EXPECT_EQ(number(*Late, "copies_to_move"), 0u);
  EXPECT_EQ(Late->Found.BytesSaved, 0u); // D and E already exist

  // D and E can reuse the memory of A and B, each the memory of the closest object.
  const ObjectInefficiency *Redundant = find(M.Found, "redundant_allocation", T.D);
  ASSERT_TRUE(Redundant);
  EXPECT_EQ(Redundant->Reuses, T.A);
  EXPECT_EQ(
      Redundant->Found.Message,
      "The last use of `A`, by `first`, is before the first use of `D`, by `second`: both can "
      "share one allocation.");
  EXPECT_EQ(Redundant->Found.Suggestion,
            "Reuse the memory of `A` for `D`, and move cudaMemcpy to right before `second`, "
            "provided that the host buffer still holds the same data.");
  EXPECT_EQ(savedAlone(*Redundant), 100u);
  Redundant = find(M.Found, "redundant_allocation", T.E);
  ASSERT_TRUE(Redundant);
  EXPECT_EQ(Redundant->Reuses, T.B);
}

// 3MM: E = A B, F = C D, G = E F. The paper's 57 % removes E from memory while the second kernel
// runs, which requires an idle range of a single API.
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

// A result that is copied to the host at the end can be copied as soon as it is ready.
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
  EXPECT_EQ(
      Reuse->Found.Suggestion,
      "Reuse the memory of `a` for `b`, and move cudaMemcpy to right after `k`, provided that "
      "the host buffer is not used in between.");
  EXPECT_EQ(savedAlone(*Reuse), 100u);
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
  EXPECT_EQ(
      Early->Found.Suggestion,
      "Allocate it right before `k`, and move 2 copies there, provided that the host buffer still "
      "holds the same data.");
  EXPECT_EQ(number(*Early, "copies_to_move"), 2u);
  EXPECT_EQ(Early->Found.BytesSaved, 100u);
}

// The source of a device-to-device copy may change in between, and an unknown kernel may read the
// copied data.
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

// The object is allocated right before the copy, but long before its data is needed.
TEST(MovedCopiesTest, EarlyCopyMovesToTheFirstUse) {
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
  EXPECT_EQ(
      Idle->Found.Suggestion,
      "Allocate it right before `k`, and move cudaMemcpy there, provided that the host buffer "
      "still holds the same data.");
  EXPECT_EQ(savedAlone(*Idle), 100u);
  const std::vector<Residency> &In = Idle->Instead.at(A);
  ASSERT_EQ(In.size(), 1u);
  EXPECT_EQ(In[0].From, Use);
  EXPECT_EQ(In[0].To, Use + 1);
}

// If there are only copies, there is no API to which they could move.
TEST(MovedCopiesTest, CopiesOfAnUnusedObjectStay) {
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

// The second stream's kernel is called first, and runs later in topological time: its array is
// already released when the other one is used.
TEST(MovedCopiesTest, EarlierCallSharesNothing) {
  TestTrace T;
  uint32_t Y = T.allocate("y", 100, NoStream);
  for (int I = 0; I < 5; ++I)
    T.launch("x", {}, {}, 2);
  T.launch("late", {Y}, {}, 2); // T 5
  uint32_t X = T.allocate("x", 100, NoStream);
  T.launch("early", {X}, {}, 1); // T 1
  EXPECT_FALSE(find(objectMemory(T).Found, "redundant_allocation", Y));
}

// Two streams read an object, in another order than they were called.
TEST(MovedCopiesTest, IdleObjectIsPresentAtItsCalls) {
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
  EXPECT_EQ(number(*Idle, "idle_ranges"), 2u); // T 1 to 5, and T 5 to 10
  const std::vector<Residency> &In = Idle->Instead.at(A);
  for (uint32_t Call : {Late, Early})
    EXPECT_TRUE(std::any_of(In.begin(), In.end(), [&](const Residency &R) {
      return R.From <= Call && Call < R.To;
    })) << Call;
}

namespace {

/// Returns the finding about `a`, which is copied from bytes 0 to 100 of a staging buffer, if
/// another copy uses other bytes of the host before the kernel that needs `a`.
ObjectInefficiency besideCopyOf(const HostRange &Other) {
  TestTrace T;
  const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 1000); // 0, 1
  T.Apis[T.upload(A)].Host = {0, 5000, 100, false};                   // 2
  T.Apis[Other.Writes ? T.download(B) : T.upload(B)].Host = Other;    // 3
  T.launch("x", {B}, {B});
  T.launch("k", {A}, {});
  const ObjectMemory M = objectMemory(T);
  const ObjectInefficiency *Early = find(M.Found, "early_allocation", A);
  EXPECT_TRUE(Early);
  return Early ? *Early : ObjectInefficiency();
}

} // namespace

// A staging buffer is filled again for the next copy, or gets a result.
TEST(MovedCopiesTest, CopiesDoNotMovePastOthersOfTheirBuffer) {
  for (const HostRange &Other : {HostRange{0, 5000, 100, false}, HostRange{0, 5099, 4, false},
                                 HostRange{0, 4000, 1001, true}, HostRange{0, 5050, 1, true}})
    EXPECT_EQ(besideCopyOf(Other).Found.Suggestion, "Allocate it right before cudaMemcpy.")
        << Other.Begin;
  // Other bytes, page-locked memory, and bytes that are not known.
  for (const HostRange &Other : {HostRange{0, 5100, 100, false}, HostRange{0, 4000, 1000, true},
                                 HostRange{7, 5000, 100, true}, HostRange{}})
    EXPECT_EQ(
        besideCopyOf(Other).Found.Suggestion,
        "Allocate it right before `k`, and move cudaMemcpy there, provided that the host buffer "
        "still holds the same data.")
        << Other.Begin;
}

// The copy before it that cannot move keeps its place; the last one can move on its own.
TEST(MovedCopiesTest, CopiesBehindTheOneThatStaysStayToo) {
  TestTrace T;
  const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 1000); // 0, 1
  T.Apis[T.upload(A)].Host = {0, 5000, 50, false};                    // 2
  T.Apis[T.upload(A)].Host = {0, 5000, 50, false};                    // 3
  T.launch("x", {B}, {B});
  T.launch("k", {A}, {});
  const std::vector<uint32_t> Times = T.timestamps();
  const ObjectHistory H(T, Times);
  EXPECT_EQ(H.need(A).First, 2u);
}

// A result is not copied earlier, to where the host's buffer still serves another copy.
TEST(MovedCopiesTest, CopiesToTheHostDoNotMovePastOthersOfTheirBuffer) {
  for (const bool Same : {false, true}) {
    TestTrace T;
    const uint32_t A = T.allocate("a", 100), B = T.allocate("b", 1000); // 0, 1
    T.launch("k", {}, {A});                                             // 2
    T.launch("x", {B}, {B});
    T.Apis[T.upload(B)].Host = {0, Same ? 5000u : 6000u, 100, false}; // 4
    T.launch("y", {B}, {B});
    T.Apis[T.download(A)].Host = {0, 5000, 100, true}; // 6
    const std::vector<uint32_t> Times = T.timestamps();
    const ObjectHistory H(T, Times);
    EXPECT_EQ(H.need(A).Last, Same ? 6u : 2u);
  }
}

// Its place in another stream may be due to an event.
TEST(MovedCopiesTest, AsynchronousCopiesStayInTheirStream) {
  for (const uint64_t Stream : {1, 2}) {
    TestTrace T;
    const uint32_t A = T.allocate("a", 100);
    T.Apis[T.upload(A, Stream)].Name = "cudaMemcpyAsync"; // 1
    T.launch("x", {}, {}, 1);
    T.launch("k", {A}, {}, 1); // 3
    const std::vector<uint32_t> Times = T.timestamps();
    const ObjectHistory H(T, Times);
    EXPECT_EQ(H.need(A).First, Stream == 1 ? 3u : 1u);
  }
}

// Memory of a pool is only there in the order of the stream that allocates and releases it.
TEST(MovedCopiesTest, MemoryOfPoolsMovesToTheStreamOfItsUse) {
  for (const uint64_t Stream : {1, 2}) {
    TestTrace T;
    const uint32_t A = T.allocate("a", 100, Stream);
    T.Objects[A].Kind = gmprof::log::ObjectKind::AsyncPool;
    T.launch("x", {}, {}, Stream);
    T.launch("k", {A}, {A}, 1);
    T.Apis.back().After = {1};
    T.launch("y", {}, {}, Stream);
    T.Apis.back().After = {2};
    T.release(A, Stream);
    const ObjectMemory M = objectMemory(T);
    const ObjectInefficiency *Early = find(M.Found, "early_allocation", A);
    const ObjectInefficiency *Late = find(M.Found, "late_deallocation", A);
    ASSERT_TRUE(Early && Late);
    const std::string Where = Stream == 1 ? "`k`." : "`k` in its stream.";
    EXPECT_EQ(Early->Found.Suggestion, "Allocate it right before " + Where);
    EXPECT_EQ(Late->Found.Suggestion, "Free it right after " + Where);
  }
}

// In random programs, neighbours are those that a search through all copies finds: a copy may move
// to the kernel only if no copy in between shares a byte with it.
TEST(MovedCopiesTest, NeighboursAreThoseOfAFullSearch) {
  std::mt19937 Random(12); // NOLINT(bugprone-random-generator-seed): the same in every run
  auto Below = [&](uint32_t N) { return static_cast<uint32_t>(Random() % N); };
  unsigned Stay = 0;
  for (unsigned Round = 0; Round != 300; ++Round) {
    TestTrace T;
    std::vector<uint32_t> Objects;
    for (unsigned I = 0; I != 12; ++I) {
      const uint32_t Object = T.allocate("o" + std::to_string(I), 100);
      const uint32_t Copy = T.upload(Object);
      T.Apis[Copy].Host = {Below(2), Below(60), 1 + Below(8), false};
      Objects.push_back(Object);
    }
    std::vector<uint32_t> Kernels;
    for (const uint32_t Object : Objects)
      Kernels.push_back(T.launch("k", {Object}, {}));
    const std::vector<uint32_t> Times = T.timestamps();
    const ObjectHistory H(T, Times);
    for (unsigned I = 0; I != 12; ++I) {
      const uint32_t Copy = T.Objects[Objects[I]].Allocation + 1;
      const HostRange R = Api(T.Apis[Copy]).Host;
      bool Free = true;
      for (uint32_t Each = Copy + 1; Each != Kernels[I]; ++Each) {
        const HostRange O = Api(T.Apis[Each]).Host;
        Free &= O.Bytes == 0 || O.Object != R.Object || O.end() <= R.Begin || R.end() <= O.Begin;
      }
      EXPECT_EQ(H.need(Objects[I]).First, Free ? Kernels[I] : Copy)
          << "round " << Round << ' ' << I;
      Stay += !Free;
    }
  }
  EXPECT_GT(Stay, 300u);
}

// In random programs with all lifetimes as proposed, each object is in memory when an API that
// cannot move uses it, and the source of a copy was written before.
TEST(MovedCopiesTest, ObjectsArePresentWhenNeeded) {
  std::mt19937 Random(11); // NOLINT: the same in every run
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
      uint32_t Upload = 0; // the last one, if only copies to the host followed
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
