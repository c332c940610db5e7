//===- GlobalTest.cpp - Launches of the global-memory profile -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel move(float *Out, const float *In, int N) reads In[i] and writes Out[i] for
// each i < N; with it in a table of objects, it reads Out[0] through an unknown
// pointer once. Its clones count that as the pass's do. No memory is touched: objects
// are addresses here.
//
//===----------------------------------------------------------------------===//

#include "../profile/TestLog.h"
#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include "host/global/GlobalContexts.h"
#include "host/global/ObjectCounts.h"
#include "profile/CompressedCounts.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <cstring>
#include <thread>

namespace gmprof::host {
namespace {

using log::LaunchMode;

constexpr unsigned Threshold = 255;

void count(const GmprofGlobalObject &O, GmprofCounterKind Kind, uint64_t Address) {
  auto *Counters = reinterpret_cast<uint8_t *>(O.counters[Kind]);
  uint64_t Element = (Address - O.base) >> O.elementShift;
  if (Counters && Counters[Element] < Threshold)
    ++Counters[Element];
}

void access(const GmprofGlobalLaunch &P, int Root, GmprofCounterKind Kind, uint64_t Address) {
  auto In = [&](const GmprofGlobalObject &O) {
    return Address >= O.base && Address - O.base < O.bytes;
  };
  if (Root >= 0 && In(P.roots[Root]))
    return count(P.roots[Root], Kind, Address);
  auto *Objects = reinterpret_cast<const GmprofGlobalObject *>(P.objects);
  for (unsigned I = 0; I < P.objectCount; ++I)
    if (In(Objects[I]))
      return count(Objects[I], Kind, Address);
  ++reinterpret_cast<GmprofGlobalTotals *>(P.totals)->outside;
}

void moveAndCount(const fake::Launch &L) {
  auto P = L.arg<GmprofGlobalLaunch>(3);
  auto *Totals = reinterpret_cast<GmprofGlobalTotals *>(P.totals);
  Totals->blocks += L.Grid.x;
  Totals->threads += L.Grid.x * L.Block.x;
  for (int I = 0; I < L.arg<int>(2); ++I) {
    access(P, 1, GMPROF_COUNTER_READS, L.arg<uint64_t>(1) + 4 * I);
    access(P, 0, GMPROF_COUNTER_WRITES, L.arg<uint64_t>(0) + 4 * I);
  }
  if (P.objectCount != 0)
    access(P, -1, GMPROF_COUNTER_READS, L.arg<uint64_t>(0));
}

class GlobalTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    settings().TheOptions.Profiles = ProfileChoice::Global;
  }

  /// The descriptor of move: In is read, Out written, each by its own thread.
  static test::DescriptorWriter describe(unsigned Modes = GMPROF_MODE_GLOBAL |
                                                          GMPROF_MODE_GLOBAL_CLONE) {
    test::DescriptorWriter D("move");
    D.Header.paramCount = 3;
    D.Header.modes = 0;
    D.global(GMPROF_LEVEL_SA_NA_SM_TH, 8, Threshold, Modes);
    D.pointer("Out", 4, 0, 0);
    D.pointer("In", 4, 1, 1);
    return D;
  }
  static test::DescriptorWriter countingEach() {
    test::DescriptorWriter D = describe();
    D.globalSite(1, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED);
    D.globalSite(0, GMPROF_ACCESS_STORE, GMPROF_RULE_COUNTED);
    return D;
  }
  /// The kernel that a session knows, which this begins.
  uint32_t kernelOfSession() {
    addMove(countingEach());
    move(allocate(8), 0, 0);
    return Session::current()->openDevice()->TheKernels.find(&StubA)->Id;
  }
  /// Both accesses at 4 * threadIdx.x, where N is at most 100.
  static test::DescriptorWriter closedForms(unsigned Modes = GMPROF_MODE_GLOBAL |
                                                             GMPROF_MODE_GLOBAL_ALL) {
    test::DescriptorWriter D = describe(Modes);
    std::vector<gmprof_i64> Words = {0, // nothing derived
                                     1,
                                     4,
                                     1,
                                     GMPROF_FACTOR_TID_X,
                                     0, // loops
                                     1,
                                     -1,
                                     3, // tid < N
                                     1,
                                     1,
                                     GMPROF_FACTOR_PARAMETER + 2,
                                     -1,
                                     1,
                                     GMPROF_FACTOR_TID_X,
                                     -1,
                                     0,
                                     1,
                                     0,
                                     0,
                                     100,
                                     1,
                                     1,
                                     1,
                                     GMPROF_FACTOR_PARAMETER + 2};
    D.form(D.globalSite(1, GMPROF_ACCESS_LOAD, GMPROF_RULE_CLOSED_FORM), Words);
    D.form(D.globalSite(0, GMPROF_ACCESS_STORE, GMPROF_RULE_CLOSED_FORM), Words);
    return D;
  }

  void addMove(const test::DescriptorWriter &D) {
    fake::Function Original;
    Original.Name = "move";
    Original.Params = {sizeof(void *), sizeof(void *), sizeof(int)};
    fake::Function Clone = Original;
    Clone.Params.push_back(sizeof(GmprofGlobalLaunch));
    Clone.Body = moveAndCount;
    Clone.Name = "move" GMPROF_GLOBAL_CLONE_SUFFIX;
    if (D.Header.modes & GMPROF_MODE_GLOBAL_CLONE)
      TheModule.add(Clone);
    Clone.Name = "move" GMPROF_GLOBAL_ALL_CLONE_SUFFIX;
    if (D.Header.modes & GMPROF_MODE_GLOBAL_ALL)
      TheModule.add(Clone);
    std::vector<std::byte> Bytes = D.bytes();
    auto *Begin = reinterpret_cast<const char *>(Bytes.data());
    TheModule.Globals[GMPROF_KERNEL_DESC_PREFIX "move"].assign(Begin, Begin + Bytes.size());
    fake::registerKernel(&StubA, TheModule.add(Original));
  }

  static uint64_t allocate(size_t Bytes) {
    void *Pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&Pointer, Bytes), cudaSuccess);
    return reinterpret_cast<uint64_t>(Pointer);
  }
  static void release(uint64_t Address) {
    EXPECT_EQ(cudaFree(reinterpret_cast<void *>(Address)), cudaSuccess);
  }
  static void move(uint64_t To, uint64_t From, int N, cudaStream_t Stream = nullptr) {
    void *Args[] = {&To, &From, &N};
    EXPECT_EQ(cudaLaunchKernel(&StubA, 2, 32, Args, 0, Stream), cudaSuccess);
  }
  static const fake::Launch &last() { return fake::launches().back(); }
  static GmprofGlobalLaunch parameter() { return last().arg<GmprofGlobalLaunch>(3); }

  /// The counts of an object; capped where Capped.
  static Words counts(const profile::Profile &P, uint64_t Object, GmprofCounterKind Kind,
                      bool Capped = false) {
    Words Sums;
    for (const profile::GlobalCounts &C : P.Global) {
      ElementSums Each;
      if (C.Object != Object || C.Kind != Kind)
        continue;
      EXPECT_TRUE(decompressCounts(C.Compressed, C.Elements, C.ThresholdReached, Each));
      Sums.resize(std::max(Sums.size(), C.FirstElement + C.Elements));
      for (size_t I = 0; I < C.Elements; ++I)
        Sums[C.FirstElement + I] += !Capped               ? Each.Sums[I]
                                    : Each.Capped.empty() ? 0
                                                          : Each.Capped[I];
    }
    return Sums;
  }
  static uint64_t launchesOf(const profile::Profile &P, uint64_t Object, GmprofCounterKind Kind) {
    uint64_t Launches = 0;
    for (const profile::GlobalCounts &C : P.Global)
      Launches += C.Object == Object && C.Kind == Kind ? C.Launches : 0;
    return Launches;
  }
};

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

TEST_F(GlobalTest, ReleaseWritesTheCounts) {
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  move(Out, In, 3);
  cudaDeviceSynchronize();
  release(Out);
  std::string Path = Session::current()->log().path();
  Result<EventLogReader> Log = EventLogReader::open(Path);
  ASSERT_TRUE(bool(Log));
  Result<profile::Profile> Early = buildProfile(*Log, Path);
  ASSERT_TRUE(bool(Early)) << Early.error();
  EXPECT_EQ(counts(*Early, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1}));
  EXPECT_EQ(counts(*Early, 2, GMPROF_COUNTER_READS), Words());
  // The same memory, but another object.
  uint64_t Again = allocate(1000);
  move(Again, In, 1);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1}));
  EXPECT_EQ(counts(P, 2, GMPROF_COUNTER_READS), (Words{2, 1, 1}));
  EXPECT_EQ(counts(P, 3, GMPROF_COUNTER_WRITES), (Words{1}));
}

TEST_F(GlobalTest, ReleasedWhileTheKernelRuns) {
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  fake::hold(Stream1);
  move(Out, In, 3, Stream1);
  EXPECT_EQ(cudaFreeAsync(reinterpret_cast<void *>(Out), Stream1), cudaSuccess);
  fake::release(Stream1);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1}));
}

TEST_F(GlobalTest, LittleMemoryMeansPasses) {
  addMove(countingEach());
  // 4096 counters of each object: with the totals, one fits, two do not.
  settings().TheOptions.Memory = {8192, 0};
  uint64_t A = allocate(16384), B = allocate(16384);
  for (int I = 0; I < 4; ++I) {
    move(A, B, 1);
    cudaDeviceSynchronize();
    EXPECT_EQ(parameter().roots[0].counters[GMPROF_COUNTER_WRITES] != 0, I % 2 == 0);
    EXPECT_EQ(parameter().roots[1].counters[GMPROF_COUNTER_READS] != 0, I % 2 == 1);
  }
  EXPECT_LE(fake::bytesAllocated(), 8192u);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{2}));
  EXPECT_EQ(counts(P, 2, GMPROF_COUNTER_READS), (Words{2}));
  EXPECT_EQ(launchesOf(P, 1, GMPROF_COUNTER_WRITES), 2u);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "objects of launches");
  EXPECT_EQ(P.Gaps[0].Count, 4u);
}

TEST_F(GlobalTest, MemoryThatTheProgramTookSince) {
  addMove(countingEach());
  fake::setMemory(size_t(256) << 20); // 64 MiB must stay free
  uint64_t A = allocate(size_t(1) << 20), B = allocate(size_t(1) << 20);
  fake::hold(Stream1);
  move(A, B, 1, Stream1);
  size_t Before = fake::bytesAllocated();
  fake::setMemory((size_t(64) << 20) + Before); // all but the reserve
  move(B, A, 1, Stream1);
  EXPECT_EQ(last().What->Name, "move"); // not even for totals
  move(A, B, 1, Stream1);
  EXPECT_EQ(last().What->Name, "move__gm_global"); // with the first one's counters
  EXPECT_EQ(fake::bytesAllocated(), Before);
  fake::release(Stream1);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 3u);
  EXPECT_EQ(P.Launches[1].Mode, LaunchMode::Refused);
  EXPECT_EQ(P.Launches[1].Reason, "there was no device memory for its counters");
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{2}));
}

TEST_F(GlobalTest, MemoryIsGivenBackToTheProgram) {
  addMove(countingEach());
  uint64_t A = allocate(size_t(1) << 20), B = allocate(size_t(1) << 20);
  move(A, B, 1);
  EXPECT_GT(fake::bytesAllocated(), size_t(512) << 10);
  fake::fail("cudaMalloc", cudaErrorMemoryAllocation);
  allocate(100);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(fake::bytesAllocated(), 0u);
  fake::fail("cudaMalloc", cudaErrorMemoryAllocation); // no memory can be released
  void *Pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&Pointer, 100), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(counts(finish(), 1, GMPROF_COUNTER_WRITES), (Words{1}));
}

TEST_F(GlobalTest, KernelsWithoutGlobalProfile) {
  addKernel(&StubB, "add");
  launch(&StubB, 5);
  EXPECT_EQ(last().What->Name, "add");
  profile::Profile P = finish();
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Reason, "it has no clone for this profile");
}

TEST_F(GlobalTest, DriverThatDoesNotDescribeParameters) {
  fake::remove("cuFuncGetParamInfo");
  addMove(countingEach());
  move(allocate(8), 0, 0);
  profile::Profile P = finish();
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Reason, "the CUDA driver does not say what its parameters are: GMProf "
                                 "needs one of CUDA 12.4 or later");
}

TEST_F(GlobalTest, ConcurrentLaunchesDoNotMix) {
  addMove(countingEach());
  uint64_t A = allocate(400), B = allocate(400);
  move(A, B, 1);
  fake::hold(Stream1);
  fake::hold(Stream2);
  move(A, B, 2, Stream1);
  GmprofGlobalLaunch First = parameter();
  move(A, B, 3, Stream2);
  EXPECT_NE(parameter().totals, First.totals);
  fake::release(Stream2);
  cudaStreamSynchronize(Stream2);
  fake::release(Stream1);
  EXPECT_EQ(counts(finish(), 1, GMPROF_COUNTER_WRITES), (Words{3, 2, 1}));
}

TEST_F(GlobalTest, ManyThreads) {
  addMove(countingEach());
  constexpr int Threads = 4, Each = 100;
  uint64_t In = allocate(400);
  move(allocate(4), In, 0);
  std::vector<std::thread> Running;
  for (int T = 0; T < Threads; ++T)
    Running.emplace_back([&, T] {
      for (int I = 0; I < Each; ++I) {
        uint64_t Own = allocate(40);
        move(Own, In, 1 + T, T % 2 ? Stream1 : Stream2);
        release(Own);
      }
    });
  for (std::thread &T : Running)
    T.join();
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_READS), (Words{4 * Each, 3 * Each, 2 * Each, 1 * Each}));
  Words Written;
  for (uint64_t Object = 3; Object < 3 + Threads * Each; ++Object) {
    Words Of = counts(P, Object, GMPROF_COUNTER_WRITES);
    Written.resize(std::max(Written.size(), Of.size()));
    for (size_t I = 0; I < Of.size(); ++I)
      Written[I] += Of[I];
  }
  EXPECT_EQ(Written, (Words{4 * Each, 3 * Each, 2 * Each, 1 * Each}));
}

TEST_F(GlobalTest, LargeContextsAreReadInParts) {
  addMove(countingEach());
  constexpr size_t Bytes = size_t(80) << 20; // 20 MiB of counters each
  uint64_t A = allocate(Bytes), B = allocate(Bytes);
  move(A, B + Bytes - 8, 2);
  int Before = fake::calls("cuMemcpyDtoHAsync");
  profile::Profile P = finish();
  EXPECT_EQ(fake::calls("cuMemcpyDtoHAsync") - Before, 3); // 16 MiB at a time
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1, 1}));
  Words Reads = counts(P, 2, GMPROF_COUNTER_READS);
  ASSERT_EQ(Reads.size(), Bytes / 4);
  EXPECT_EQ(Reads[Bytes / 4 - 3], 0u);
  EXPECT_EQ(Reads[Bytes / 4 - 2], 1u);
  EXPECT_EQ(Reads[Bytes / 4 - 1], 1u);
}

TEST_F(GlobalTest, SumsOfHugeObjectsTakeLittleMemory) {
  const uint32_t Kernel = kernelOfSession();
  ObjectCounts Counts(Session::current()->log());
  const uint8_t Counters[] = {0, 3, 0, 0, 255, 0};
  CountsKey Key = {77, Kernel, GMPROF_COUNTER_ATOMICS, 2, 255};
  constexpr uint64_t Far = uint64_t(1) << 40;
  Counts.add(Key, Far - 4, std::as_bytes(std::span(Counters)), 8, 1);
  Counts.add(Key, 10, std::as_bytes(std::span(Counters)), 8, 1);
  Counts.add(Key, 10, std::as_bytes(std::span(Counters)), 8, 1);
  Counts.launches(Key, 3);
  EXPECT_EQ(Counts.mostPerLaunch(Kernel), std::optional<uint64_t>(255));
  Counts.flush(77);
  Counts.flush(77); // nothing is left
  profile::Profile P = finish();
  std::vector<profile::GlobalCounts> Of;
  for (const profile::GlobalCounts &C : P.Global)
    if (C.Object == 77)
      Of.push_back(C);
  ASSERT_EQ(Of.size(), 2u);
  EXPECT_EQ(Of[0].FirstElement, 11u);
  EXPECT_EQ(Of[0].Elements, 4u);
  EXPECT_EQ(Of[0].Launches, 3u);
  EXPECT_TRUE(Of[0].ThresholdReached);
  EXPECT_EQ(Of[1].FirstElement, Far - 3);
  EXPECT_EQ(Of[1].Elements, 4u);
  EXPECT_EQ(Of[1].Launches, 0u);
  ElementSums Sums;
  ASSERT_TRUE(decompressCounts(Of[0].Compressed, 4, true, Sums));
  EXPECT_EQ(Sums.Sums.values(), (Words{6, 0, 0, 510}));
  EXPECT_EQ(Sums.Capped, (std::vector<uint32_t>{0, 0, 0, 2}));
}

TEST_F(GlobalTest, ThreadsAddManyCounters) {
  const uint32_t Kernel = kernelOfSession();
  ObjectCounts Counts(Session::current()->log());
  constexpr uint64_t First = 100, Number = 3'000'000; // 733 chunks, some of them zeros
  std::vector<uint16_t> Counters(Number);
  for (uint64_t I = 0; I < Number; ++I)
    Counters[I] = I / 200'000 % 2 == 0 ? static_cast<uint16_t>(I % 251 * 4) : 0;
  const CountsKey Key = {77, Kernel, GMPROF_COUNTER_READS, 2, 999};
  for (int Launch = 0; Launch < 2; ++Launch)
    Counts.add(Key, First, std::as_bytes(std::span(Counters)), 16, 1);
  Counts.launches(Key, 2);
  EXPECT_EQ(Counts.mostPerLaunch(Kernel), std::optional<uint64_t>(1000));
  Counts.flush(77);
  profile::Profile P = finish();
  Words Sums(First + Number), Capped(First + Number);
  uint64_t Launches = 0;
  for (const profile::GlobalCounts &C : P.Global)
    if (C.Object == 77) {
      ElementSums Of;
      ASSERT_TRUE(decompressCounts(C.Compressed, C.Elements, C.ThresholdReached, Of));
      ASSERT_LE(C.FirstElement + C.Elements, Sums.size());
      for (uint64_t I = 0; I < C.Elements; ++I)
        Sums[C.FirstElement + I] += Of.Sums[I];
      for (uint64_t I = 0; I < Of.Capped.size(); ++I)
        Capped[C.FirstElement + I] += Of.Capped[I];
      Launches += C.Launches;
    }
  EXPECT_EQ(Launches, 2u);
  uint64_t Wrong = 0;
  for (uint64_t I = 0; I < Number; ++I) {
    Wrong += Sums[First + I] != 2 * std::min<uint64_t>(Counters[I], 999) ? 1 : 0;
    Wrong += Capped[First + I] != (Counters[I] == 1000 ? 2 : 0) ? 1 : 0;
  }
  EXPECT_EQ(Wrong, 0u);
}

TEST_F(GlobalTest, SumsWithFewZerosInBetweenAreOneRecord) {
  const uint32_t Kernel = kernelOfSession();
  ObjectCounts Counts(Session::current()->log());
  const uint8_t Counters[] = {7};
  for (uint64_t Element : {3, 4096 * 10, 4096 * 40})
    Counts.add({77, Kernel, GMPROF_COUNTER_READS, 2, 0}, Element,
               std::as_bytes(std::span(Counters)), 8, 1);
  Counts.flush(77);
  profile::Profile P = finish();
  std::vector<std::pair<uint64_t, uint64_t>> Of;
  for (const profile::GlobalCounts &C : P.Global)
    if (C.Object == 77)
      Of.emplace_back(C.FirstElement, C.Elements);
  EXPECT_EQ(Of, (std::vector<std::pair<uint64_t, uint64_t>>{{3, 40958}, {163840, 1}}));
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
