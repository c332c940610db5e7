//===- ApiRecordsTest.cpp - Copies, orders and access sets of a log -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestLog.h"
#include "profile/ProfileBuilder.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

profile::Profile build(const LogBytes &Log) {
  auto Reader = EventLogReader::create(Log.Bytes, "log");
  auto P = buildProfile(*Reader, "log");
  EXPECT_TRUE(P) << P.error();
  return P ? *P : profile::Profile();
}

uint64_t damaged(const profile::Profile &P) {
  for (const profile::Gap &G : P.Gaps)
    if (G.What == "records" && G.Reason == "damaged")
      return G.Count;
  return 0;
}

LogBytes logWithKernel() {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", {}, 8);
  return Log;
}

log::LaunchRecord launch(uint64_t Id, uint32_t Set) {
  log::LaunchRecord R = {};
  R.id = Id;
  R.kernel = 1;
  R.accessSet = Set;
  R.callPath = 7;
  R.thread = 40 + static_cast<uint32_t>(Id);
  return R;
}

} // namespace

TEST(ApiRecordsTest, LaunchAccesses) {
  LogBytes Log = logWithKernel();
  Log.callPath(7, {0x1100});
  Log.accessSet(5, {{1, 1, 0}, {2, 0, 1}});
  Log.launch(launch(1, 5));
  Log.launch(launch(2, 0));
  Log.launch(launch(3, 0));
  Log.accessSet(6, {}, /*Inferred=*/true);
  Log.launchAccesses(3, 6);
  Log.launch(launch(4, 6)); // LaunchAccesses extends this set
  Log.launchAccesses(4, 5);
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 0u);
  ASSERT_EQ(P.AccessSets.size(), 2u);
  EXPECT_EQ(P.AccessSets[0].Knowledge, log::AccessKnowledge::Exact);
  ASSERT_EQ(P.AccessSets[0].Accesses.size(), 2u);
  EXPECT_EQ(P.AccessSets[0].Accesses[1].object, 2u);
  EXPECT_EQ(P.AccessSets[0].Accesses[1].reads, 0u);
  EXPECT_EQ(P.AccessSets[0].Accesses[1].writes, 1u);
  EXPECT_EQ(P.AccessSets[1].Knowledge, log::AccessKnowledge::Inferred);
  ASSERT_EQ(P.Launches.size(), 4u);
  EXPECT_EQ(P.Launches[3].AccessSet, 0u);
  EXPECT_EQ(P.Launches[0].AccessSet, 0u);
  EXPECT_EQ(P.Launches[1].AccessSet, profile::None);
  EXPECT_EQ(P.Launches[2].AccessSet, 1u);
  EXPECT_EQ(P.Launches[2].Thread, 43u);
  EXPECT_EQ(P.Launches[2].CallPath, 0u);
  EXPECT_LT(P.Launches[0].Record, P.Launches[1].Record);
}

// Before the launch it is known that it may access objects 1 and 2, and then that it accessed 1.
TEST(ApiRecordsTest, AccessesThatDataDecides) {
  LogBytes Log = logWithKernel();
  Log.accessSet(5, {{1, 1, 1}, {2, 1, 1}}, log::AccessKnowledge::Possible);
  Log.accessSet(6, {{1, 1, 0}});
  Log.launch(launch(1, 5));
  Log.launchAccesses(1, 6);
  const profile::Profile P = build(Log);
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].AccessSet, 1u);
  EXPECT_EQ(P.Launches[0].PossibleSet, 0u);
}

TEST(ApiRecordsTest, Copies) {
  LogBytes Log = logWithKernel();
  Log.callPath(7, {0x1100});
  log::CopyRecord R = {};
  R.beginNs = 10;
  R.endNs = 20;
  R.stream = 0xabc;
  R.rowBytes = 16;
  R.rows = 3;
  R.slices = 2;
  R.to = {1, 64, 32, 96, 0, 0};
  R.from.host = 1;
  R.wait = log::HostWait::Before;
  R.device = 1;
  R.callPath = 7;
  R.thread = 55;
  Log.copy(R, "cudaMemcpy3D");
  R.set = 1;
  Log.copy(R, "cudaMemset3D");
  profile::Profile P = build(Log);
  ASSERT_EQ(P.Copies.size(), 2u);
  const profile::Copy &C = P.Copies[0];
  EXPECT_EQ(C.Api, "cudaMemcpy3D");
  EXPECT_EQ(C.BeginNs, 10u);
  EXPECT_EQ(C.EndNs, 20u);
  EXPECT_EQ(C.Stream, 0xabcu);
  EXPECT_EQ(C.RowBytes, 16u);
  EXPECT_EQ(C.Rows, 3u);
  EXPECT_EQ(C.Slices, 2u);
  EXPECT_EQ(C.To.object, 1u);
  EXPECT_EQ(C.To.offset, 64u);
  EXPECT_EQ(C.To.pitch, 32u);
  EXPECT_EQ(C.To.slicePitch, 96u);
  EXPECT_EQ(C.From.host, 1u);
  EXPECT_EQ(C.Wait, log::HostWait::Before);
  EXPECT_FALSE(C.Set);
  EXPECT_EQ(C.Device, 1u);
  EXPECT_EQ(C.Thread, 55u);
  EXPECT_EQ(C.CallPath, 0u);
  EXPECT_TRUE(P.Copies[1].Set);
  EXPECT_EQ(P.Copies[1].Record, C.Record + 1);
}

TEST(ApiRecordsTest, Orders) {
  LogBytes Log = logWithKernel();
  log::OrderRecord R = {};
  R.beginNs = 10;
  R.endNs = 20;
  R.stream = 3;
  R.event = 4;
  R.kind = log::OrderKind::StreamWaitsEvent;
  R.nonBlocking = 1;
  R.device = 2;
  R.thread = 55;
  Log.order(R);
  profile::Profile P = build(Log);
  ASSERT_EQ(P.Orders.size(), 1u);
  const profile::Order &O = P.Orders[0];
  EXPECT_EQ(O.BeginNs, 10u);
  EXPECT_EQ(O.EndNs, 20u);
  EXPECT_EQ(O.Stream, 3u);
  EXPECT_EQ(O.Event, 4u);
  EXPECT_EQ(O.Kind, log::OrderKind::StreamWaitsEvent);
  EXPECT_TRUE(O.NonBlocking);
  EXPECT_EQ(O.Device, 2u);
  EXPECT_EQ(O.Thread, 55u);
  EXPECT_EQ(O.CallPath, profile::None);
}

TEST(ApiRecordsTest, Graphs) {
  LogBytes Log = logWithKernel();
  log::LaunchRecord L = launch(4, 0);
  L.graph = 1;
  Log.launch(L);
  Log.graphNode({1, 4, 0, log::GraphNodeKind::Launch, 0});
  Log.graphNode({2, 0, 9, log::GraphNodeKind::Allocation, 0});
  Log.graph(7, {});
  Log.graphNodes(7, {1, 0}, {0, 1});
  Log.graphLaunch(7);
  Log.graphNodes(7, {2}, {}); // changed
  Log.graphLaunch(7);
  Log.graphNode({2, 0, 9, log::GraphNodeKind::Allocation, 0});     // duplicate id
  Log.graphNode({3, 0, 9, static_cast<log::GraphNodeKind>(4), 0}); // invalid kind
  Log.graphNodes(7, {5}, {});                                      // unknown node
  Log.graphNodes(7, {2}, {0, 1});                                  // edge out of bounds
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 4u);
  ASSERT_EQ(P.Nodes.size(), 2u);
  EXPECT_EQ(P.Nodes[0].Launch, 0u);
  EXPECT_EQ(P.Nodes[1].Kind, log::GraphNodeKind::Allocation);
  EXPECT_EQ(P.Nodes[1].Object, 9u);
  ASSERT_EQ(P.Graphs.size(), 2u);
  EXPECT_EQ(P.Graphs[0].Nodes, (std::vector<uint32_t>{0, profile::None}));
  EXPECT_EQ(P.Graphs[0].Edges, (std::vector<std::array<uint32_t, 2>>{{0, 1}}));
  ASSERT_EQ(P.GraphLaunches.size(), 2u);
  EXPECT_EQ(P.GraphLaunches[0].Nodes, 0u);
  EXPECT_EQ(P.GraphLaunches[1].Nodes, 1u);
  EXPECT_EQ(P.GraphLaunches[1].Graph, 7u);
}

TEST(ApiRecordsTest, ContradictionsAreDamaged) {
  LogBytes Log = logWithKernel();
  Log.accessSet(5, {});
  Log.accessSet(5, {});     // duplicate id
  Log.accessSet(0, {});     // id 0
  Log.launchAccesses(9, 5); // unknown launch
  Log.launch(launch(1, 5));
  Log.launchAccesses(1, 5); // already exact
  Log.launch(launch(2, 0));
  Log.launchAccesses(2, 8); // unknown set
  Log.launchAccesses(2, 5);
  log::CopyRecord C = {};
  C.wait = static_cast<log::HostWait>(3);
  Log.copy(C, "cudaMemcpy");
  log::OrderRecord O = {};
  O.kind = static_cast<log::OrderKind>(8);
  Log.order(O);
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 7u);
  EXPECT_EQ(P.AccessSets.size(), 1u);
  EXPECT_EQ(P.Launches[1].AccessSet, 0u);
  EXPECT_EQ(P.Copies.size(), 0u);
  EXPECT_EQ(P.Orders.size(), 0u);
}

TEST(ApiRecordsTest, Regions) {
  LogBytes Log = logWithKernel();
  Log.region(10, 7, "solve");
  Log.region(20, 7, "", true);
  profile::Profile P = build(Log);
  ASSERT_EQ(P.Regions.size(), 2u);
  EXPECT_EQ(P.Regions[0].TimeNs, 10u);
  EXPECT_EQ(P.Regions[0].Thread, 7u);
  EXPECT_EQ(P.Regions[0].Name, "solve");
  EXPECT_FALSE(P.Regions[0].End);
  EXPECT_TRUE(P.Regions[1].End);
  Log.record(log::RecordKind::Region, std::vector<std::byte>(8));
  EXPECT_EQ(damaged(build(Log)), 1u);
}
