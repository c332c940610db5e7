//===- GlobalContextsTest.cpp - Launches that share counters --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/global/GlobalContexts.h"
#include "GlobalTest.h"

namespace gmprof::host {
namespace {

/// Makes contexts in addition to the session's.
static GlobalContexts contextsWith(const ContextLimits &Limits) {
  Session *S = Session::current();
  return {*S->openDevice()->TheDevice, S->log(), S->options(), Limits};
}

/// Returns a launch that counts an unknown number of writes to an object.
static std::shared_ptr<GlobalCase> caseOfWrites(uint64_t Address, uint64_t Bytes,
                                                unsigned Threshold) {
  auto Case = std::make_shared<GlobalCase>();
  Case->Roots.fill(-1);
  Case->Threshold = Threshold;
  Case->Objects.push_back({1, Address, Bytes, 2, 1u << GMPROF_COUNTER_WRITES});
  return Case;
}

TEST_F(GlobalTest, LaunchesShareCountersOnlyWhereTheyFit) {
  ContextLimits Limits;
  Limits.Outstanding = 1;
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  move(Out, In, 1); // one access at most per launch
  cudaDeviceSynchronize();
  GlobalContexts Own = contextsWith(Limits);
  const auto Case = caseOfWrites(Out, 1000, /*Threshold=*/255);
  std::string Why;
  LaunchContext *First = Own.acquire(Case, nullptr, false, Why);
  LaunchContext *Second = Own.acquire(Case, nullptr, false, Why);
  EXPECT_NE(First, Second); // nothing is known of how much they count
  auto Unlimited = std::make_shared<GlobalCase>(*Case);
  Unlimited->Threshold = 0;
  First = Own.acquire(Unlimited, nullptr, false, Why);
  EXPECT_EQ(Own.acquire(Unlimited, nullptr, false, Why), First);
  auto Replicated = std::make_shared<GlobalCase>(*Case);
  Replicated->Objects[0].Replicas = 8; // of 64 bits
  Replicated->Objects[0].ReplicaShift = 11;
  First = Own.acquire(Replicated, nullptr, false, Why);
  EXPECT_EQ(Own.acquire(Replicated, nullptr, false, Why), First);
}

/// Each launch passes through all existing contexts, whatever it counts.
TEST_F(GlobalTest, LaunchesShareCountersWhereThereAreMany) {
  ContextLimits Limits;
  Limits.Outstanding = 1;
  Limits.MostOutstanding = 3;
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  move(Out, In, 1);
  GlobalContexts Own = contextsWith(Limits);
  const auto Case = caseOfWrites(Out, 1000, /*Threshold=*/255);
  std::string Why;
  std::set<LaunchContext *> Contexts;
  for (unsigned I = 0; I < 6; ++I)
    Contexts.insert(Own.acquire(Case, nullptr, false, Why));
  EXPECT_EQ(Contexts.size(), 3u);
}

/// Cases whose forms are not evaluated depend on their objects alone.
TEST_F(GlobalTest, ClosedFormsOfVeryManyCases) {
  addMove(closedForms());
  uint64_t Out = allocate(400000), In = allocate(400);
  for (int I = 0; I < 8192; ++I)
    move(Out + 4 * I, In, 2);
  EXPECT_EQ(last().What->Name, "move");
  move(Out + 4 * 8192, In, 2);
  EXPECT_EQ(last().What->Name, "move__gm_global_all");
  move(Out + 4 * 8192, In, 3);
  EXPECT_EQ(last().What->Name, "move__gm_global_all");
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 8193u);
  EXPECT_FALSE(P.GlobalContexts[8192].ClosedForms);
  EXPECT_EQ(P.GlobalContexts[8192].Values, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(P.Launches[8192].Context, P.GlobalContexts[8192].Context);
  EXPECT_EQ(P.Launches[8193].Context, P.GlobalContexts[8192].Context);
  const Words Writes = counts(P, 1, GMPROF_COUNTER_WRITES); // by the last two launches
  ASSERT_EQ(Writes.size(), 8195u);
  EXPECT_EQ(Words(Writes.begin() + 8192, Writes.end()), (Words{2, 2, 1}));
}

/// The closed forms of each step differ, and the counted accesses are the same.
TEST_F(GlobalTest, StepsShareCounters) {
  ContextLimits Limits;
  Limits.Outstanding = 1;
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  move(Out, In, 1);
  cudaDeviceSynchronize();
  GlobalContexts Own = contextsWith(Limits);
  const auto Case = caseOfWrites(Out, 1000, /*Threshold=*/0);
  Case->Context = 1;
  auto Next = std::make_shared<GlobalCase>(*Case);
  Next->Context = 2;
  auto Elsewhere = std::make_shared<GlobalCase>(*Case);
  Elsewhere->Objects[0].Address = In;
  auto Anywhere = std::make_shared<GlobalCase>(*Case);
  Anywhere->Table = true;
  auto Replayed = std::make_shared<GlobalCase>(*Case);
  Replayed->Place = LaunchPlace::Graph;
  std::string Why;
  LaunchContext *First = Own.acquire(Case, nullptr, false, Why);
  EXPECT_EQ(Own.acquire(Next, nullptr, false, Why), First);
  EXPECT_NE(Own.acquire(Elsewhere, nullptr, false, Why), First);
  EXPECT_NE(Own.acquire(Anywhere, nullptr, false, Why), First);
  EXPECT_NE(Own.acquire(Replayed, nullptr, false, Why), First);
}

TEST_F(GlobalTest, LaunchesOfEachStepAreKnown) {
  addMove(closedForms());
  uint64_t Out = allocate(1000), In = allocate(1000);
  for (int I = 0; I < 1000; ++I)
    move(Out, In, 101 + I % 3);
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 3u);
  EXPECT_EQ(P.GlobalContexts[0].LaunchesCounted, 334u);
  EXPECT_EQ(P.GlobalContexts[1].LaunchesCounted, 333u);
  EXPECT_EQ(P.GlobalContexts[2].LaunchesCounted, 333u);
  EXPECT_EQ(P.GlobalContexts[0].Blocks + P.GlobalContexts[1].Blocks + P.GlobalContexts[2].Blocks,
            2000u);
  const Words Writes = counts(P, 1, GMPROF_COUNTER_WRITES);
  ASSERT_EQ(Writes.size(), 103u);
  EXPECT_EQ(Writes[100], 1000u);
  EXPECT_EQ(Writes[101], 666u);
  EXPECT_EQ(Writes[102], 333u);
}

TEST_F(GlobalTest, LargeCountersAreReadOutsideOfLaunches) {
  ContextLimits Limits;
  Limits.LargeBytes = 0;
  Limits.DrainShare = 0; // always
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  move(Out, In, 1);
  cudaDeviceSynchronize();
  GlobalContexts Own = contextsWith(Limits);
  const auto Case = caseOfWrites(Out, 1000, /*Threshold=*/192);
  auto Acquire = [&] {
    std::string Why;
    LaunchContext *C = Own.acquire(Case, nullptr, false, Why);
    Own.launched(C, nullptr);
    return C;
  };
  // Nothing is known of how much the launches count: one each, while two are enough.
  LaunchContext *First = Acquire(), *Second = Acquire();
  EXPECT_NE(First, Second);
  EXPECT_EQ(Acquire(), Second);
  Own.poll(); // begins to read the first
  EXPECT_EQ(Acquire(), Second);
  Own.poll(); // the first is done; the second follows
  EXPECT_NE(Acquire(), Second);
  Own.drain();
}

TEST_F(GlobalTest, SmallObjectsHaveReplicasOfCounters) {
  auto With = [](uint64_t Bytes, uint64_t ObjectBytes, uint64_t Blocks) {
    GlobalCase Case;
    Case.ObjectBytes = ObjectBytes;
    Case.Objects.push_back({1, 4096, Bytes, 2, 1u << GMPROF_COUNTER_READS});
    chooseReplicas(Case, Blocks);
    return std::pair(Case.Objects[0].Replicas, Case.counterBytes());
  };
  // 32 elements: 256 bytes of counters, for each of 64 blocks.
  EXPECT_EQ(With(128, 1 << 20, 64), std::pair(64u, uint64_t(16384)));
  EXPECT_EQ(With(128, 1 << 20, 1'000'000), std::pair(256u, uint64_t(65536)));
  // A quarter of the objects: 4096 bytes, less 64 for counters that exist already.
  EXPECT_EQ(With(128, 16384, 64), std::pair(8u, uint64_t(2048)));
  EXPECT_EQ(With(128, 8192, 64), std::pair(0u, uint64_t(64)));
  EXPECT_EQ(With(20000, 1 << 30, 64), std::pair(0u, uint64_t(5056)));
}

TEST_F(GlobalTest, WideCountersAsFarAsThereIsRoom) {
  GlobalCase Case;
  for (uint64_t Bytes : {1000, 4000, 100}) // of ints: 2048, 8192 and 256 bytes of counters
    Case.Objects.push_back({1, 4096, Bytes, 2, 1u << GMPROF_COUNTER_READS});
  Case.Objects[2].Replicas = 2;
  Case.Objects[2].ReplicaShift = 8;
  chooseWideCounters(Case, 8192);
  EXPECT_EQ(Case.Objects[0].Replicas, 1u);
  EXPECT_EQ(Case.Objects[0].ReplicaShift, 11u);
  EXPECT_EQ(Case.Objects[1].Replicas, 0u);
  EXPECT_EQ(Case.Objects[2].Replicas, 2u);
  EXPECT_EQ(Case.counterBytes(), 2048u + 1024 + 512); // 1000 bytes, in lines of 64
  Case.CounterBits = 32;
  Case.Objects[1].Replicas = 0;
  chooseWideCounters(Case, 1 << 20);
  EXPECT_EQ(Case.Objects[1].Replicas, 0u); // these have no threshold
}

TEST_F(GlobalTest, CountersStopAtTheThreshold) {
  addMove(countingEach());
  fake::hold(Stream1);
  uint64_t Out = allocate(1000), In = allocate(400);
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  cudaStreamBeginCapture(Stream2, cudaStreamCaptureModeGlobal);
  move(Out, In, 2, Stream2);
  cudaStreamEndCapture(Stream2, &Graph);
  EXPECT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  for (int I = 0; I < 300; ++I) // one after the other, nothing is read in between
    cudaGraphLaunch(Exec, Stream1);
  fake::release(Stream1);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{255, 255}));
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES, /*Capped=*/true), (Words{1, 1}));
  EXPECT_EQ(launchesOf(P, 1, GMPROF_COUNTER_WRITES), 300u);
}

TEST_F(GlobalTest, GraphsAreReadBetweenReplays) {
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  cudaStreamBeginCapture(Stream2, cudaStreamCaptureModeGlobal);
  move(Out, In, 2, Stream2);
  move(In, Out, 1, Stream2);
  cudaStreamEndCapture(Stream2, &Graph);
  EXPECT_EQ(fake::foreignNodes(Graph), 0u);
  EXPECT_EQ(fake::captureViolations(), 0);
  EXPECT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  for (int I = 0; I < 300; ++I) {
    cudaGraphLaunch(Exec, Stream1);
    cudaStreamSynchronize(Stream1);
  }
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{300, 300}));
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_READS), (Words{300}));
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES, /*Capped=*/true), (Words{0, 0}));
  ASSERT_EQ(P.Launches.size(), 2u);
  EXPECT_EQ(P.Launches[0].Times, 300u);
  EXPECT_EQ(P.Launches[1].Times, 300u);
  ASSERT_EQ(P.GlobalContexts.size(), 2u);
  EXPECT_EQ(P.GlobalContexts[0].LaunchesCounted, 300u);
}

TEST_F(GlobalTest, ClosedFormsInGraphs) {
  addMove(closedForms());
  uint64_t Out = allocate(1000), In = allocate(400);
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  cudaStreamBeginCapture(Stream2, cudaStreamCaptureModeGlobal);
  move(Out, In, 50, Stream2);
  move(Out, In, 101, Stream2);
  cudaStreamEndCapture(Stream2, &Graph);
  EXPECT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  for (int I = 0; I < 3; ++I)
    cudaGraphLaunch(Exec, Stream1);
  move(Out, In, 50);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 3u);
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Global);
  EXPECT_EQ(P.Launches[0].Times, 3u);
  EXPECT_EQ(P.Launches[1].Mode, LaunchMode::GlobalAll);
  EXPECT_EQ(P.Launches[1].Times, 3u);
  EXPECT_NE(P.Launches[2].Context, P.Launches[0].Context); // that one is replayed
  EXPECT_EQ(P.PlainGraphNodes, 0u);
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), Words(101, 3));
}

} // namespace
} // namespace gmprof::host
