//===- GlobalTest.cpp - Counts of the elements that kernels access --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalTest.h"

namespace gmprof::host {
namespace {

/// Whatever the arguments.
TEST_F(GlobalTest, ElementsProfileSeparatesLaunches) {
  settings().TheOptions.Profiles = ProfileChoice::Elements;
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 3);
  move(Out, In + 12, 2);
  move(Out, In, 3);
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 3u);
  const uint64_t First = P.GlobalContexts[0].Context, Second = P.GlobalContexts[1].Context,
                 Third = P.GlobalContexts[2].Context;
  for (uint32_t I = 0; I < 3; ++I)
    EXPECT_EQ(profile::Launch(P.Launches[I]).Context, P.GlobalContexts[I].Context);
  std::map<uint64_t, Words> Reads;
  for (const profile::GlobalCounts &C : P.Global) {
    ElementSums Each;
    ASSERT_TRUE(decompressCounts(C.Compressed, C.Elements, C.ThresholdReached, Each));
    if (C.Object == 2)
      Reads[C.Context] = Each.Sums.values();
    if (C.Object == 2 && C.Context == Second) {
      EXPECT_EQ(C.FirstElement, 3u);
    }
  }
  EXPECT_EQ(Reads,
            (std::map<uint64_t, Words>{{First, {1, 1, 1}}, {Second, {1, 1}}, {Third, {1, 1, 1}}}));
}

/// The second case gets a context of its own, unless its counters would take a large part of the
/// memory for all.
TEST_F(GlobalTest, ElementsProfileSeparatesCases) {
  settings().TheOptions.Profiles = ProfileChoice::Elements;
  settings().TheOptions.Memory = {131072, 0};
  addMove(countingEach());
  uint64_t Out = allocate(80000), In = allocate(80000);
  move(Out, In, 3);
  move(Out, In + 12, 2);
  move(Out, In, 3);
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 2u);
  EXPECT_EQ(P.Launches[0].Context, P.GlobalContexts[0].Context);
  EXPECT_EQ(P.Launches[1].Context, P.GlobalContexts[1].Context);
  EXPECT_EQ(P.Launches[2].Context, P.GlobalContexts[0].Context);
  EXPECT_TRUE(P.Gaps.empty());
}

/// The first 64 launches have separate counts, then 64 cases of the others.
TEST_F(GlobalTest, SeparateCountsAreLimited) {
  settings().TheOptions.Profiles = ProfileChoice::Elements;
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(1000);
  for (unsigned I = 0; I < 134; ++I)
    move(Out, In + 4 * I, 1);
  profile::Profile P = finish();
  std::map<uint64_t, uint64_t> Launches;
  for (const profile::GlobalCounts &C : P.Global)
    if (C.Object == 2)
      Launches[C.Context] += C.Launches;
  EXPECT_EQ(Launches.size(), 129u);
  EXPECT_EQ(Launches[0], 6u);
  EXPECT_EQ(counts(P, 2, GMPROF_COUNTER_READS), Words(134, 1));
}

TEST_F(GlobalTest, CountersOfReachableObjects) {
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  allocate(64);
  move(Out, In + 16, 5);
  EXPECT_EQ(last().What->Name, "move__gm_global");
  GmprofGlobalLaunch P = parameter();
  EXPECT_EQ(P.objectCount, 0u);
  EXPECT_EQ(P.blockSample, 1u);
  EXPECT_EQ(P.roots[0].base, Out);
  EXPECT_EQ(P.roots[0].bytes, 1000u);
  EXPECT_EQ(P.roots[0].elementShift, 2u);
  EXPECT_EQ(P.roots[0].counters[GMPROF_COUNTER_READS], 0u);
  EXPECT_EQ(P.roots[0].counters[GMPROF_COUNTER_WRITES] % 64, 0u);
  EXPECT_EQ(P.roots[0].counters[GMPROF_COUNTER_ATOMICS], 0u);
  EXPECT_EQ(P.roots[1].base, In);
  EXPECT_EQ(P.roots[1].bytes, 400u);
  // 250 counters of Out before it, in 64s.
  EXPECT_EQ(P.roots[1].counters[GMPROF_COUNTER_READS],
            P.roots[0].counters[GMPROF_COUNTER_WRITES] + 256);
  EXPECT_EQ(P.roots[2].bytes, 0u);

  profile::Profile Result = finish();
  EXPECT_EQ(counts(Result, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1, 1, 1}));
  EXPECT_EQ(counts(Result, 2, GMPROF_COUNTER_READS), (Words{0, 0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Result.Global.size(), 2u);
  EXPECT_EQ(launchesOf(Result, 1, GMPROF_COUNTER_WRITES), 1u);
  ASSERT_EQ(Result.GlobalContexts.size(), 1u);
  const profile::GlobalContext &C = Result.GlobalContexts[0];
  EXPECT_EQ(C.Objects, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(C.Offsets, (std::vector<int64_t>{0, 16}));
  EXPECT_EQ(C.CounterBytes, 256u + 128);
  EXPECT_EQ(C.ObjectBytes, 1400u);
  EXPECT_TRUE(C.ClosedForms);
  EXPECT_EQ(C.LaunchesCounted, 1u);
  EXPECT_EQ(C.Blocks, 2u);
  EXPECT_EQ(C.Threads, 64u);
  EXPECT_EQ(C.Outside, 0u);
  ASSERT_EQ(Result.Launches.size(), 1u);
  EXPECT_EQ(Result.Launches[0].Mode, LaunchMode::Global);
  EXPECT_EQ(Result.Launches[0].Context, C.Context);
}

TEST_F(GlobalTest, LaunchesAddUp) {
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  for (int I = 0; I < 1000; ++I)
    move(Out, In, 1 + I % 3);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1000, 666, 333}));
  EXPECT_EQ(launchesOf(P, 1, GMPROF_COUNTER_WRITES), 1000u);
  EXPECT_EQ(P.GlobalContexts.size(), 1u);
  EXPECT_EQ(P.GlobalContexts[0].LaunchesCounted, 1000u);
  EXPECT_EQ(P.GlobalContexts[0].Blocks, 2000u);
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES, /*Capped=*/true), (Words{0, 0, 0}));
}

TEST_F(GlobalTest, PointerIntoNoObject) {
  addMove(countingEach());
  uint64_t Out = allocate(1000);
  move(Out, Out + 4096, 3);
  EXPECT_EQ(parameter().roots[1].bytes, 0u);
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 1u);
  EXPECT_EQ(P.GlobalContexts[0].Objects, (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(P.GlobalContexts[0].Outside, 3u);
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1}));
}

TEST_F(GlobalTest, TwoPointersIntoOneObject) {
  test::DescriptorWriter D = describe();
  D.pointer("Other", 16, 1, 3); // another view of In
  D.globalSite(1, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
  D.globalSite(2, GMPROF_ACCESS_ATOMIC, GMPROF_RULE_SWEEP);
  D.globalSite(0, GMPROF_ACCESS_STORE, GMPROF_RULE_COUNTED);
  addMove(D);
  uint64_t Object = allocate(1000);
  move(Object, Object + 400, 4);
  GmprofGlobalLaunch P = parameter();
  for (int Root : {0, 1, 3}) {
    EXPECT_EQ(P.roots[Root].base, Object);
    EXPECT_EQ(P.roots[Root].elementShift, 2u);
    EXPECT_EQ(std::memcmp(&P.roots[Root], &P.roots[0], sizeof(P.roots[0])), 0);
    EXPECT_NE(P.roots[Root].counters[GMPROF_COUNTER_ATOMICS], 0u);
  }
  profile::Profile Result = finish();
  EXPECT_EQ(counts(Result, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1, 1}));
  Words Reads = counts(Result, 1, GMPROF_COUNTER_READS);
  ASSERT_EQ(Reads.size(), 104u);
  EXPECT_EQ(Reads[99], 0u);
  EXPECT_EQ(Reads[100], 1u);
}

TEST_F(GlobalTest, ElementsOfAnObjectStayTheSame) {
  test::DescriptorWriter D = describe();
  D.pointer("Pairs", 8, 1, 3); // another view of In
  D.globalSite(0, GMPROF_ACCESS_STORE, GMPROF_RULE_COUNTED);
  D.globalSite(2, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
  addMove(D);
  uint64_t A = allocate(1000), B = allocate(1000);
  move(A, B, 1);
  EXPECT_EQ(parameter().roots[0].elementShift, 2u);
  EXPECT_EQ(parameter().roots[3].elementShift, 3u);
  move(B, A, 1);
  EXPECT_EQ(parameter().roots[0].elementShift, 2u);
  EXPECT_EQ(parameter().roots[3].elementShift, 2u); // as before
}

TEST_F(GlobalTest, ClosedFormsLeaveTheKernelAlone) {
  addMove(closedForms());
  uint64_t Out = allocate(1000), In = allocate(400);
  move(Out, In, 100);
  move(Out, In, 100);
  EXPECT_EQ(last().What->Name, "move");
  EXPECT_TRUE(last().ByRuntime);
  move(Out, In, 101); // outside the condition: counts
  EXPECT_EQ(last().What->Name, "move__gm_global_all");
  EXPECT_EQ(fake::bytesAllocated(), 4096u);
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 2u);
  EXPECT_TRUE(P.GlobalContexts[0].ClosedForms);
  EXPECT_EQ(P.GlobalContexts[0].Values, (std::vector<int64_t>{0, 0, 100}));
  EXPECT_EQ(P.GlobalContexts[0].CounterBytes, 0u);
  EXPECT_EQ(P.GlobalContexts[0].Grid[0], 2u);
  EXPECT_EQ(P.GlobalContexts[0].Block[0], 32u);
  EXPECT_FALSE(P.GlobalContexts[1].ClosedForms);
  EXPECT_EQ(P.GlobalContexts[1].Values, (std::vector<int64_t>{0, 0, 101}));
  ASSERT_EQ(P.Launches.size(), 3u);
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Global);
  EXPECT_EQ(P.Launches[0].Context, P.GlobalContexts[0].Context);
  EXPECT_EQ(P.Launches[1].Context, P.GlobalContexts[0].Context);
  EXPECT_EQ(P.Launches[2].Mode, LaunchMode::GlobalAll);
  EXPECT_EQ(P.Launches[2].Context, P.GlobalContexts[1].Context);
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), Words(101, 1));
}

TEST_F(GlobalTest, ClosedFormDoesNotHoldAndNothingCounts) {
  addMove(closedForms(GMPROF_MODE_GLOBAL));
  uint64_t Out = allocate(1000);
  move(Out, Out, -1);
  EXPECT_EQ(last().What->Name, "move");
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Refused);
  EXPECT_EQ(P.Launches[0].Reason, "its clone that counts is missing from the module");
}

TEST_F(GlobalTest, ContextsFollowTheObjects) {
  addMove(closedForms());
  uint64_t A = allocate(400), B = allocate(400);
  move(A, B, 7);
  allocate(8); // irrelevant to the kernel
  move(A, B, 7);
  move(B, A, 7);
  release(B);
  move(A, B, 7);
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 3u);
  EXPECT_EQ(P.Launches[1].Context, P.Launches[0].Context);
  EXPECT_EQ(P.GlobalContexts[1].Objects, (std::vector<uint64_t>{2, 1}));
  EXPECT_EQ(P.GlobalContexts[2].Objects, (std::vector<uint64_t>{1, 0}));
}

TEST_F(GlobalTest, UnknownPointersFindAllObjects) {
  test::DescriptorWriter D = countingEach();
  D.globalSite(GMPROF_NONE, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED, "loaded from memory");
  addMove(D);
  uint64_t A = allocate(64), B = allocate(400), C = allocate(1000);
  ASSERT_LT(A, B);
  ASSERT_LT(B, C);
  fake::hold(Stream1);
  move(C, A, 2, Stream1);
  GmprofGlobalLaunch P = parameter();
  ASSERT_EQ(P.objectCount, 3u);
  auto *Objects = reinterpret_cast<const GmprofGlobalObject *>(P.objects);
  EXPECT_EQ(Objects[0].base, A);
  EXPECT_EQ(Objects[1].base, B);
  EXPECT_EQ(Objects[2].base, C);
  EXPECT_NE(Objects[1].counters[GMPROF_COUNTER_READS], 0u);
  EXPECT_EQ(Objects[1].counters[GMPROF_COUNTER_WRITES], 0u);
  EXPECT_NE(Objects[2].counters[GMPROF_COUNTER_READS], 0u);
  EXPECT_EQ(Objects[2].counters[GMPROF_COUNTER_WRITES], P.roots[0].counters[GMPROF_COUNTER_WRITES]);
  fake::release(Stream1);
  profile::Profile Result = finish();
  EXPECT_EQ(counts(Result, 1, GMPROF_COUNTER_READS), (Words{1, 1}));
  EXPECT_EQ(counts(Result, 2, GMPROF_COUNTER_READS), Words());
  EXPECT_EQ(launchesOf(Result, 2, GMPROF_COUNTER_READS), 1u);
  EXPECT_EQ(counts(Result, 3, GMPROF_COUNTER_READS), (Words{1}));
  EXPECT_EQ(counts(Result, 3, GMPROF_COUNTER_WRITES), (Words{1, 1}));
}

TEST_F(GlobalTest, VariablesOfTheModule) {
  test::DescriptorWriter D = describe();
  D.symbol("table", 8, 512, 5);
  D.globalSite(2, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
  addMove(D);
  TheModule.Globals["table"].resize(512);
  auto Table = reinterpret_cast<uint64_t>(TheModule.Globals["table"].data());
  uint64_t A = allocate(64);
  move(A, A, 0);
  EXPECT_EQ(parameter().roots[5].base, Table);
  EXPECT_EQ(parameter().roots[5].bytes, 512u);
  EXPECT_EQ(parameter().roots[5].elementShift, 3u);
  EXPECT_EQ(parameter().roots[0].bytes, 0u); // nothing that must be counted
  profile::Profile P = finish();
  ASSERT_EQ(P.GlobalContexts.size(), 1u);
  EXPECT_EQ(P.GlobalContexts[0].Objects, (std::vector<uint64_t>{1, 1, 2}));
}

TEST_F(GlobalTest, RegisteredVariablesOfTheModule) {
  __cudaRegisterVar(nullptr, nullptr, nullptr, "_ZN2ns5tableE", 0, 512, 0, 0);
  __cudaRegisterVar(nullptr, nullptr, nullptr, "elsewhere", 0, 4, 0, 0);
  test::DescriptorWriter D = countingEach();
  D.globalSite(GMPROF_NONE, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
  addMove(D);
  TheModule.Globals["_ZN2ns5tableE"].resize(512);
  uint64_t A = allocate(64);
  move(A, A, 0);
  ASSERT_EQ(parameter().objectCount, 2u);
  std::vector<LiveObject> Live = Session::current()->objects().live(0);
  ASSERT_EQ(Live.size(), 2u);
  EXPECT_EQ(std::max(Live[0].Bytes, Live[1].Bytes), 512u);
}

TEST_F(GlobalTest, SampledOutNodesOfGraphs) {
  settings().TheOptions.LaunchSample = 2;
  addMove(closedForms());
  uint64_t Out = allocate(1000), In = allocate(400);
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  cudaStreamBeginCapture(Stream2, cudaStreamCaptureModeGlobal);
  move(Out, In, 50, Stream2);
  move(Out, In, 60, Stream2); // not in the sample
  cudaStreamEndCapture(Stream2, &Graph);
  EXPECT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  cudaGraphLaunch(Exec, Stream1);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 2u);
  EXPECT_EQ(P.Launches[0].Times, 1u);
  EXPECT_EQ(P.PlainGraphNodes, 1u);
}

TEST_F(GlobalTest, KernelFilterThatMatchesNothing) {
  settings().TheOptions.Kernels = "^mvoe$";
  settings().TheOptions.Quiet = false;
  addMove(countingEach());
  addKernel(&StubB, "add");
  testing::internal::CaptureStderr();
  move(allocate(8), 0, 0);
  launch(&StubB, 5);
  profile::Profile P = finish();
  const std::string Why = "'^mvoe$' matches none of the kernels launched: add, move";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: warning: the kernel filter " + Why + "\n");
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "kernel filters");
  EXPECT_EQ(P.Gaps[0].Reason, Why);
}

TEST_F(GlobalTest, KernelFilterThatMatchesOne) {
  settings().TheOptions.Kernels = "^move$";
  settings().TheOptions.Quiet = false;
  addMove(countingEach());
  addKernel(&StubB, "add");
  testing::internal::CaptureStderr();
  move(allocate(8), 0, 0);
  launch(&StubB, 5);
  EXPECT_EQ(finish().Gaps.size(), 0u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace
} // namespace gmprof::host
