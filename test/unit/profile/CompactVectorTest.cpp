//===- CompactVectorTest.cpp - Tests of the packed vector -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/CompactVector.h"
#include "profile/ApiTrace.h"
#include "profile/IdIndex.h"
#include <gtest/gtest.h>
#include <iterator>
#include <limits>

using namespace gmprof;

namespace {

struct Item {
  uint64_t Time = 0;
  int32_t Signed = 0;
  uint8_t Small = 0;
  double Real = 0;
  uint64_t Large = 0;
  uint16_t Last = 0; ///< makes the size without padding no multiple of 8

  bool operator==(const Item &) const = default;
};

/// Returns elements that go up and down, including extreme values.
Item item(uint64_t I) {
  constexpr uint64_t Most = std::numeric_limits<uint64_t>::max();
  return {1000 * I,
          I % 2 ? -static_cast<int32_t>(I) : static_cast<int32_t>(I),
          static_cast<uint8_t>(I),
          static_cast<double>(I) / 3,
          I % 3 == 0   ? Most
          : I % 3 == 1 ? 0
                       : Most / 2 + I,
          static_cast<uint16_t>(65535 - I)};
}

constexpr uint64_t Many = 100; // six blocks of 16, and 4

CompactVector<Item> many() {
  CompactVector<Item> V;
  for (uint64_t I = 0; I < Many; ++I)
    V.push_back(item(I));
  return V;
}

} // namespace

TEST(CompactVectorTest, ReturnsAppendedElements) {
  CompactVector<Item> V;
  EXPECT_TRUE(V.empty());
  EXPECT_EQ(V.begin(), V.end());
  for (uint64_t I = 0; I < Many; ++I) {
    V.push_back(item(I));
    ASSERT_EQ(V.size(), I + 1);
    EXPECT_EQ(V.back(), item(I));
    for (uint64_t Before = 0; Before <= I; ++Before)
      ASSERT_EQ(std::as_const(V)[Before], item(Before));
  }
  uint64_t I = 0;
  for (const Item &Each : V)
    EXPECT_EQ(Each, item(I++));
  EXPECT_EQ(I, Many);
  EXPECT_THROW((void)V.at(Many), std::out_of_range);
}

TEST(CompactVectorTest, ElementsCanBeChanged) {
  CompactVector<Item> V = many();
  for (uint64_t I = 0; I < Many; I += 7)
    V.change(I, [](Item &Each) { Each.Large = 5; });
  // Access by reference unpacks the block; a later change packs it again.
  Item &One = V[20];
  V[90].Small = 1;
  One.Small = 2;
  V.change(21, [](Item &Each) { Each.Small = 3; });
  uint64_t I = 0;
  for (const Item &Each : V) {
    Item Expected = item(I);
    if (I % 7 == 0)
      Expected.Large = 5;
    if (I == 90 || I == 20 || I == 21)
      Expected.Small = I == 90 ? 1 : I == 20 ? 2 : 3;
    EXPECT_EQ(Each, Expected);
    EXPECT_EQ(std::as_const(V)[I], Expected);
    ++I;
  }
  const CompactVector<Item> Copy = V;
  EXPECT_TRUE(std::equal(Copy.begin(), Copy.end(), V.begin()));
}

TEST(CompactVectorTest, TheLastCanBeTakenAway) {
  CompactVector<Item> V = many();
  for (uint64_t I = Many; I-- > 1;) {
    V.pop_back();
    ASSERT_EQ(V.size(), I);
    EXPECT_EQ(V.back(), item(I - 1));
  }
  V.pop_back();
  EXPECT_TRUE(V.empty());
  V.push_back(item(3));
  EXPECT_EQ(V.back(), item(3));
}

TEST(IdIndexTest, FindsNearAndFarIds) {
  IdIndex Index;
  EXPECT_FALSE(Index.contains(0));
  Index.add(1, 10);
  Index.add(3, 30); // before 2
  Index.add(2, 20);
  Index.add(UINT64_MAX, 40);
  Index.add(70000, 50); // far at first; near once the ids before it exist
  EXPECT_EQ(Index.find(1), 10u);
  EXPECT_EQ(Index.find(2), 20u);
  EXPECT_EQ(Index.find(3), 30u);
  EXPECT_EQ(Index.find(UINT64_MAX), 40u);
  EXPECT_EQ(Index.find(70000), 50u);
  EXPECT_FALSE(Index.contains(0));
  EXPECT_FALSE(Index.contains(4));
  Index.add(60000, 60);
  Index.add(80000, 70);
  EXPECT_EQ(Index.find(70000), 50u);
  EXPECT_EQ(Index.find(60000), 60u);
  EXPECT_FALSE(Index.contains(69999));
}

TEST(NameTest, EqualTextIsOneName) {
  using profile::Name;
  const Name A = "cudaMalloc", B = std::string("cudaMalloc"), C = "cudaFree";
  EXPECT_EQ(&A.str(), &B.str());
  EXPECT_EQ(A, B);
  EXPECT_FALSE(A == C);
  EXPECT_EQ(A, "cudaMalloc");
  EXPECT_TRUE(Name().empty());
  EXPECT_EQ(Name(), Name(""));
}

TEST(ApiListTest, KeepsListsAndNames) {
  using namespace profile;
  ApiList All;
  for (uint32_t I = 0; I < 40; ++I) {
    Api &A = All.emplace_back();
    A.Kind = I % 2 ? ApiKind::Launch : ApiKind::Copy;
    A.Name = I % 2 ? "kernel(int)" : "cudaMemcpy";
    A.TimeNs = 100 * I;
    A.Stream = I == 7 ? NoStream : I % 3;
    for (uint32_t Object = 0; Object < I % 4; ++Object)
      A.Accesses.push_back({Object, Object == 0, true, I, 8});
    if (I % 5 == 4)
      A.After = {I - 1, I - 3};
  }
  All[2].Thread = 9;
  All.rename(ApiKind::Launch, [](const std::string &Of) { return Of.substr(0, 6); });
  auto Check = [](const Api &A, uint32_t I) {
    EXPECT_EQ(A.Name, I % 2 ? "kernel" : "cudaMemcpy");
    EXPECT_EQ(A.TimeNs, 100 * I);
    EXPECT_EQ(A.Stream, I == 7 ? NoStream : I % 3);
    EXPECT_EQ(A.Thread, I == 2 ? 9u : 0u);
    ASSERT_EQ(A.Accesses.size(), I % 4);
    for (uint32_t Object = 0; Object < I % 4; ++Object) {
      EXPECT_EQ(A.Accesses[Object].Object, Object);
      EXPECT_EQ(A.Accesses[Object].Reads, Object == 0);
      EXPECT_EQ(A.Accesses[Object].Offset, I);
    }
    EXPECT_EQ(A.After,
              I % 5 == 4 ? (std::vector<uint32_t>{I - 1, I - 3}) : std::vector<uint32_t>());
  };
  uint32_t I = 0;
  for (const Api &A : All) {
    Check(A, I);
    Check(std::as_const(All)[I], I);
    ++I;
  }
  EXPECT_EQ(I, 40u);
}
