//===- GraphApiTraceTest.cpp - API traces of programs with graphs ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApiTraceParts.h"
#include "TestCalls.h"
#include <gtest/gtest.h>
#include <tuple>

using namespace gmprof;
using namespace gmprof::test;
using namespace gmprof::profile;

namespace {

/// A program that launches graphs. Nodes are positions in Nodes.
struct GraphCalls : TestCalls {
  uint32_t launchNode(const Ids &Reads, const Ids &Writes) {
    launch(Reads, Writes);
    Launches.back().Graph = true;
    GraphNode Node;
    Node.Launch = static_cast<uint32_t>(Launches.size() - 1);
    return add(Node);
  }
  uint32_t setNode(uint64_t Id) {
    set(Id);
    GraphNode Node;
    Node.Kind = log::GraphNodeKind::Copy;
    Node.TheCopy = Copies.back();
    Copies.pop_back();
    return add(Node);
  }
  uint32_t memoryNode(log::GraphNodeKind Kind, uint64_t Id) {
    GraphNode Node;
    Node.Kind = Kind;
    Node.Object = Id;
    return add(Node);
  }
  uint32_t add(const GraphNode &Node) {
    Nodes.push_back(Node);
    return static_cast<uint32_t>(Nodes.size() - 1);
  }
  void launchGraph(uint32_t Graph, uint64_t Stream) {
    order(OrderKind::EventDestroyed); // takes the next record and time
    GraphLaunch L;
    L.Record = Orders.back().Record;
    L.TimeNs = Orders.back().BeginNs;
    L.Thread = Orders.back().Thread;
    Orders.pop_back();
    L.Graph = L.Nodes = Graph;
    L.Stream = Stream;
    GraphLaunches.push_back(L);
  }
};

using Placed = std::tuple<std::string, uint64_t, std::vector<uint32_t>>;

/// Returns name, stream and predecessors of each API.
std::vector<Placed> placed(const ApiTrace &T) {
  std::vector<Placed> All;
  for (const Api &A : T.Apis)
    All.emplace_back(A.Name, A.Stream, A.After);
  return All;
}

} // namespace

TEST(GraphApiTraceTest, NodesOfGraphsAreLaunchedWithThem) {
  GraphCalls C;
  C.create(0xa0, true);
  uint64_t O = C.allocate(64);
  uint32_t Set = C.setNode(O), Kernel = C.launchNode({O}, {O});
  C.Launches[0].CallPath = 5;
  C.Graphs.push_back({{Set, Kernel}, {{0, 1}}});
  C.launchGraph(0, 0xa0);
  C.launchGraph(0, 0xa0);
  C.GraphLaunches[1].CallPath = 6;
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(placed(T), (std::vector<Placed>{{"cudaMalloc", 0, {}},
                                            {"cudaMemsetAsync", 1, {}},
                                            {"k()", 1, {}},
                                            {"cudaMemsetAsync", 1, {}},
                                            {"k()", 1, {}}}));
  EXPECT_EQ(accesses(T.Apis[3]), (Accesses{{0, false, true, 0, 64}}));
  EXPECT_EQ(accesses(T.Apis[4]), (Accesses{{0, true, false, 0, 0}, {0, false, true, 0, 0}}));
  EXPECT_EQ(T.Apis[2].Launch, 0u);
  // Each node has a distinct time.
  EXPECT_EQ(T.Apis[1].TimeNs, C.GraphLaunches[0].TimeNs);
  EXPECT_EQ(T.Apis[2].TimeNs, C.GraphLaunches[0].TimeNs + 1);
  EXPECT_EQ(T.Apis[4].TimeNs, C.GraphLaunches[1].TimeNs + 1);
  EXPECT_EQ(T.Apis[3].CallPath, 6u); // call path of the graph's launch
  EXPECT_EQ(T.Apis[4].CallPath, 5u); // call path of the capture
}

// PyTorch frees the tensors of a capture before the graph's first launch. What is released after
// the last launch is not used later.
TEST(GraphApiTraceTest, GraphsUseWhatWasReleasedAfterTheCapture) {
  GraphCalls C;
  C.create(0xa0, true);
  const uint64_t Tensor = C.allocate(64), Kept = C.allocate(64), Other = C.allocate(64);
  C.Graphs.push_back({{C.setNode(Tensor), C.launchNode({Tensor, Kept}, {})}, {{0, 1}}});
  C.release(Tensor);
  C.release(Other);
  C.launchGraph(0, 0xa0);
  C.release(Kept);
  const ApiTrace T = buildApiTrace(C);
  ASSERT_EQ(T.Objects.size(), 3u);
  EXPECT_TRUE(T.Objects[0].UsedAfterRelease);
  EXPECT_FALSE(T.Objects[1].UsedAfterRelease);
  EXPECT_FALSE(T.Objects[2].UsedAfterRelease);
}

// A node, two that wait for it, and one that waits for both through an empty node.
TEST(GraphApiTraceTest, BranchesOfAGraphAreLanes) {
  GraphCalls C;
  C.create(0xa0, true);
  C.create(0xb0, true);
  C.launch({}, {}, 0xb0);
  C.order(OrderKind::EventRecorded, 0xb0, 0xe0);
  C.order(OrderKind::StreamWaitsEvent, 0xa0, 0xe0);
  std::vector<uint32_t> K;
  for (int I = 0; I < 4; ++I)
    K.push_back(C.launchNode({}, {}));
  C.Graphs.push_back({{K[0], K[1], K[2], None, K[3]}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}});
  C.launchGraph(0, 0xa0);
  C.launch({}, {}, 0xa0);
  C.launchGraph(0, 0xa0);
  EXPECT_EQ(placed(buildApiTrace(C)), (std::vector<Placed>{{"k()", 2, {}},
                                                           {"k()", 1, {0}},
                                                           {"k()", 1, {}},
                                                           {"k()", 3, {1}},
                                                           {"k()", 1, {3}},
                                                           {"k()", 1, {}},
                                                           {"k()", 1, {}},
                                                           {"k()", 1, {}},
                                                           {"k()", 3, {6}},
                                                           {"k()", 1, {8}}}));
}

TEST(GraphApiTraceTest, WorkAfterAGraphWaitsForAllNodes) {
  GraphCalls C;
  C.create(0xa0, true);
  uint32_t K = C.launchNode({}, {}), L = C.launchNode({}, {});
  C.Graphs.push_back({{K, L}, {}});
  C.Graphs.push_back({{None}, {}}); // an empty node
  C.launchGraph(0, 0xa0);
  C.launchGraph(1, 0xa0);
  C.launch({}, {}, 0xa0);
  EXPECT_EQ(placed(buildApiTrace(C)),
            (std::vector<Placed>{{"k()", 1, {}}, {"k()", 2, {}}, {"k()", 1, {1}}}));
}

TEST(GraphApiTraceTest, EachLaunchAllocatesAgain) {
  GraphCalls C;
  C.create(0xa0, true);
  uint64_t O = C.object(ObjectKind::Graph, 64, "cudaMallocAsync", 0xa0);
  uint32_t Allocation = C.memoryNode(log::GraphNodeKind::Allocation, O);
  uint32_t Kernel = C.launchNode({}, {O});
  C.releaseAsync(O, 0xa0);
  C.Objects[0].Released->InGraph = true;
  uint32_t Release = C.memoryNode(log::GraphNodeKind::Release, O);
  C.Graphs.push_back({{Allocation, Kernel, Release}, {{0, 1}, {1, 2}}});
  C.launchGraph(0, 0xa0);
  C.launchGraph(0, 0xa0);
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(names(T), (Names{"cudaMallocAsync", "k()", "cudaFreeAsync", "cudaMallocAsync", "k()",
                             "cudaFreeAsync"}));
  ASSERT_EQ(T.Objects.size(), 2u);
  for (uint32_t I : {0, 1}) {
    EXPECT_EQ(T.Objects[I].Id, O);
    EXPECT_EQ(T.Objects[I].Allocation, 3 * I);
    EXPECT_EQ(T.Objects[I].Release, 3 * I + 2);
    EXPECT_EQ(accesses(T.Apis[3 * I + 1]), (Accesses{{I, false, true, 0, 0}}));
  }
}

TEST(GraphApiTraceTest, GraphAllocationsMayBeReleasedOutside) {
  GraphCalls C;
  uint64_t O = C.object(ObjectKind::Graph, 64, "cudaMallocAsync", 0xa0);
  C.Graphs.push_back({{C.memoryNode(log::GraphNodeKind::Allocation, O)}, {}});
  C.launchGraph(0, 0xa0);
  C.release(O);
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(names(T), (Names{"cudaMallocAsync", "cudaFree"}));
  EXPECT_EQ(T.Objects[0].Release, 1u);
}

TEST(GraphApiTraceTest, RepeatedGraphAllocationsAreReleasedRepeatedly) {
  GraphCalls C;
  uint64_t O = C.object(ObjectKind::Graph, 64, "cudaMallocAsync", 0xa0);
  C.Graphs.push_back({{C.memoryNode(log::GraphNodeKind::Allocation, O)}, {}});
  C.launchGraph(0, 0xa0);
  C.launch({O}, {});
  C.releaseOfALaunch(O);
  C.launch({O}, {}); // the object is already released
  C.launchGraph(0, 0xa0);
  C.launch({O}, {});
  C.release(O);
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(names(T), (Names{"cudaMallocAsync", "k()", "cudaFree", "k()", "cudaMallocAsync", "k()",
                             "cudaFree"}));
  ASSERT_EQ(T.Objects.size(), 2u);
  EXPECT_EQ(T.Objects[0].Release, 2u);
  EXPECT_EQ(T.Objects[1].Release, 6u);
  EXPECT_EQ(accesses(T.Apis[1]), (Accesses{{0, true, false, 0, 0}}));
  EXPECT_TRUE(T.Apis[3].Accesses.empty());
  EXPECT_EQ(accesses(T.Apis[5]), (Accesses{{1, true, false, 0, 0}}));
}

TEST(GraphApiTraceTest, NodesOfGraphsAreNotLaunched) {
  TestCalls C;
  C.launch({}, {});
  C.Launches[0].Graph = true;
  EXPECT_TRUE(buildApiTrace(C).Apis.empty());
}
