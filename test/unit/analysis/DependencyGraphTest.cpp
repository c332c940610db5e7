//===- DependencyGraphTest.cpp - Tests of DependencyGraph.cpp -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTrace.h"
#include <gtest/gtest.h>
#include <tuple>

using namespace gmprof::test;

using Edge = std::tuple<uint32_t, uint32_t, DependencyKind>;

/// Returns the edges except those within a stream.
static std::vector<Edge> betweenStreams(const ApiTrace &T) {
  std::vector<Edge> Edges;
  for (const Dependency &D : dependencies(T))
    if (D.Kind != DependencyKind::Stream)
      Edges.emplace_back(D.From, D.To, D.Kind);
  return Edges;
}

TEST(DependencyGraphTest, OneStreamIsAChain) {
  TestTrace T;
  uint32_t A = T.allocate("a", 4);
  T.set(A);
  T.launch("k", {A}, {});
  T.release(A);
  EXPECT_EQ(T.timestamps(), (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST(DependencyGraphTest, ReadAfterWriteSkipsOverwrittenData) {
  TestTrace T;
  uint32_t A = T.allocate("a", 4, 1);   // 0
  T.launch("first", {}, {A}, 2);        // 1: after the allocation, WAW
  T.launch("second", {}, {A}, 3);       // 2: WAW after 1
  T.launch("reader", {A}, {}, 4);       // 3: RAW after 2, not after 1
  T.launch("other reader", {A}, {}, 5); // 4: the same
  T.launch("third", {}, {A}, 6);        // 5: WAR after both; no WAW after 2, which was read
  T.release(A, 7);                      // 6: WAW after 5
  EXPECT_EQ(betweenStreams(T), (std::vector<Edge>{{0, 1, DependencyKind::Waw},
                                                  {1, 2, DependencyKind::Waw},
                                                  {2, 3, DependencyKind::Raw},
                                                  {2, 4, DependencyKind::Raw},
                                                  {3, 5, DependencyKind::War},
                                                  {4, 5, DependencyKind::War},
                                                  {5, 6, DependencyKind::Waw}}));
  EXPECT_EQ(T.timestamps(), (std::vector<uint32_t>{0, 1, 2, 3, 3, 4, 5}));
}

TEST(DependencyGraphTest, ReadingAndWritingIsNoDependencyOnItself) {
  TestTrace T;
  uint32_t A = T.allocate("a", 4, 1);
  T.launch("update", {A}, {A}, 2);
  T.launch("update again", {A}, {A}, 3);
  EXPECT_EQ(betweenStreams(T), (std::vector<Edge>{{0, 1, DependencyKind::Raw},
                                                  {0, 1, DependencyKind::Waw},
                                                  {1, 2, DependencyKind::Raw},
                                                  {1, 2, DependencyKind::Waw}}));
}

// Figure 4: O1 is allocated at time 0 and first accessed at 3, by a copy that follows another
// allocation and copy in its stream. The kernel in the second stream waits for the first stream's
// copy to O2.
TEST(DependencyGraphTest, PaperFigure4DistanceOfO1Is3) {
  TestTrace T;
  uint32_t O1 = T.allocate("O1", 64, 1); // 0: T 0
  uint32_t O2 = T.allocate("O2", 64, 1); // 1: T 1
  uint32_t O3 = T.allocate("O3", 64, 2); // 2: T 0
  T.copyTo(O2, 1);                       // 3: T 2
  uint32_t Copy = T.copyTo(O1, 1);       // 4: T 3
  T.set(O3, 2);                          // 5: T 1
  T.launch("k2", {O2}, {O3}, 2);         // 6: T 3, after the copy to O2
  T.launch("k1", {O1}, {}, 1);           // 7: T 4
  T.release(O2, 1);                      // 8: T 5, after k1 in its stream and after k2
  EXPECT_EQ(T.timestamps(), (std::vector<uint32_t>{0, 1, 0, 2, 3, 1, 3, 4, 5}));
  std::vector<uint32_t> Times = T.timestamps();
  EXPECT_EQ(Times[Copy] - Times[T.Objects[O1].Allocation], 3u);
  ObjectInefficiencies Early = earlyAllocations(ObjectHistory(T, Times));
  ASSERT_EQ(Early.size(), 1u);
  EXPECT_EQ(Early[0].Object, O1);
  EXPECT_EQ(number(Early[0], "operations_between"), 2u);
}

TEST(DependencyGraphTest, GivenOrderCounts) {
  TestTrace T;
  uint32_t A = T.allocate("a", 4, 1);
  T.launch("k", {}, {A}, 1);
  T.launch("independent", {}, {}, 2);
  T.launch("after an event", {}, {}, 3);
  T.Apis.back().After = {1};
  EXPECT_EQ(T.timestamps(), (std::vector<uint32_t>{0, 1, 0, 2}));
}

TEST(DependencyGraphTest, StreamsOfDevicesAreDifferent) {
  TestTrace T;
  T.launch("k", {}, {}, 0, 0);
  T.launch("k", {}, {}, 0, 1);
  EXPECT_TRUE(dependencies(T).empty());
  EXPECT_EQ(T.timestamps(), (std::vector<uint32_t>{0, 0}));
}

TEST(DependencyGraphTest, HostOperationsAreInNoStream) {
  TestTrace T;
  uint32_t A = T.allocate("a", 4, NoStream);
  T.allocate("b", 4, NoStream);
  T.launch("k", {A}, {});
  EXPECT_EQ(betweenStreams(T), (std::vector<Edge>{{0, 2, DependencyKind::Raw}}));
  EXPECT_EQ(T.timestamps(), (std::vector<uint32_t>{0, 0, 1}));
}
