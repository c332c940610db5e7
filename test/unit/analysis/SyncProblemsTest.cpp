//===- SyncProblemsTest.cpp - Unneeded waits and copies -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCallsOfSync.h"
#include <gtest/gtest.h>

namespace gmprof::test {
namespace {

constexpr auto Launch = CallKind::Launch;
constexpr auto DeviceWait = CallKind::DeviceSynchronized;
constexpr auto StreamWait = CallKind::StreamSynchronized;

TEST(SyncTrace, ImplicitWaitsAreThoseSeen) {
  TestSyncCalls C;
  C.give(Launch, "cudaLaunchKernel", 1, 1001, 1100);
  const uint32_t Busy = C.call(CallKind::Release, "cudaFree", 1);
  C.Calls[Busy].Looked = true;
  C.Calls[Busy].BusyBefore = C.Calls[Busy].BusyAfter = 1;
  const uint32_t Waited = C.wait(CallKind::Release, "cudaFree", 98);
  const SyncTrace T = buildSyncTrace(C);
  EXPECT_FALSE(T.Calls[Busy].Waits);
  EXPECT_TRUE(T.Calls[Waited].Waits);
  EXPECT_TRUE(T.covers(T.Calls[Waited].Covers, 0));
  EXPECT_EQ(T.Calls[Waited].WaitNs, 98u);
}

// Only the part of the call during which the GPU works is a wait.
TEST(SyncTrace, WaitEndsWithTheWork) {
  TestSyncCalls C;
  C.give(Launch, "cudaLaunchKernel", 10, 1005, 1040);
  const uint32_t Free = C.wait(CallKind::Release, "cudaFree", 100);
  EXPECT_EQ(buildSyncTrace(C).Calls[Free].WaitNs, 30u);
}

/// cudaFree after each of two kernels, then work of the host; the result is used at the end.
TestSyncCalls freesInALoop() {
  TestSyncCalls C;
  // A kernel takes 1000 from the start of each step; the host then works for 2000.
  for (int Step = 0; Step < 2; ++Step) {
    const uint64_t Begin = C.Now + 10;
    C.give(Launch, "cudaLaunchKernel", 10, Begin, Begin + 1000);
    C.wait(CallKind::Release, "cudaFree", 1000);
    C.work(2000);
  }
  const uint64_t Begin = C.Now;
  const uint32_t Copy = copyBack(C, 100, Begin, Begin + 100);
  C.use(Copy);
  return C;
}

TEST(SyncProblems, FreesInALoop) {
  const TestSyncCalls C = freesInALoop();
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  const SyncProblems S = syncProblems(Runs);
  ASSERT_EQ(S.Sites.size(), 3u);
  const SyncSite &Free = S.Sites[0];
  EXPECT_EQ(Free.Api, "cudaFree");
  EXPECT_EQ(Free.Waits, 2u);
  EXPECT_EQ(Free.Unnecessary, 2u);
  EXPECT_EQ(Free.WaitNs, 2000u);
  // Both kernels can overlap the host's work.
  EXPECT_EQ(Free.UnnecessaryBenefit, 2000u);
  EXPECT_EQ(Free.ReplaySaving, 2000);
  ASSERT_EQ(S.Sequences.size(), 1u);
  EXPECT_EQ(S.Sequences[0].Benefit, 2000u);
  const std::vector<Finding> F = unnecessarySynchronizations(Runs, S);
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].Level, Severity::High);
  EXPECT_EQ(F[0].SecondsSaved, 2e-6);
  EXPECT_TRUE(misplacedSynchronizations(Runs, S).empty());
}

// A user cannot remove a call in a header of Thrust; a wrapper of CUDA's headers is the user's
// call.
TEST(SyncProblems, CallsThatALibraryMakes) {
  for (const bool OfThrust : {true, false}) {
    TestSyncCalls C = freesInALoop();
    C.CallPaths.resize(1);
    for (const char *File : {OfThrust ? "/usr/local/cuda/include/cccl/thrust/detail/malloc.h"
                                      : "/usr/local/cuda/include/cuda_runtime.h",
                             "app.cu"})
      C.CallPaths[0].Frames.emplace_back().Source = {File, 7, 0};
    for (auto &Call : C.Calls)
      if (Call.Api == "cudaFree")
        Call.CallPath = 0;
    const SyncRuns Runs = {&C, &C, nullptr, 10'000};
    const std::vector<Finding> F = unnecessarySynchronizations(Runs, syncProblems(Runs));
    ASSERT_EQ(F.size(), 1u);
    EXPECT_EQ(F[0].Source.File, "app.cu");
    EXPECT_EQ(F[0].Suggestion,
              OfThrust
                  ? "The library that this line calls makes the call: use a form that does not "
                    "wait (thrust::cuda::par_nosync), if it has one."
                  : "cudaFree waits for the GPU: allocate before the loop and free after it, "
                    "or use cudaMallocAsync and cudaFreeAsync.");
  }
}

// Two unneeded waits in each iteration of a loop, then a needed wait. Call paths tell them apart.
TEST(SyncSubsequences, OnePlaceOfALoop) {
  TestSyncCalls C;
  C.CallPaths.resize(3);
  auto Wait = [&](const char *Api, uint64_t Ns, uint32_t Path) {
    C.give(Launch, "cudaLaunchKernel", 10, C.Now + 10, C.Now + 10 + Ns);
    C.Calls[C.wait(DeviceWait, Api, Ns)].CallPath = Path;
  };
  for (int Round = 0; Round < 2; ++Round) {
    Wait("cudaDeviceSynchronize", 1800, 0);
    C.work(300);
    Wait("cudaDeviceSynchronize", 200, 1);
    C.work(3000);
    const uint64_t Begin = C.Now;
    const uint32_t Copy = copyBack(C, 100, Begin, Begin + 100);
    C.Calls[Copy].CallPath = 2;
    C.use(Copy);
  }
  const SyncSubsequences S({&C, &C, nullptr, 10'000});
  ASSERT_EQ(S.problems().Sequences.size(), 1u);
  EXPECT_EQ(S.problems().Sequences[0].Count, 2u);
  ASSERT_EQ(S.problems().Sequences[0].Entries.size(), 2u);
  // A launch takes 10 ns too: 300 + 10 + 3000 can absorb 1800 + 200.
  EXPECT_EQ(S.problems().Sequences[0].Benefit, 2 * 2000u);
  EXPECT_EQ(S.of(0, 0, 1).Expected, 2 * 2000u);
  EXPECT_EQ(S.of(0, 0, 0).Expected, 2 * 310u);
  EXPECT_EQ(S.of(0, 1, 1).Expected, 2 * 200u);
  EXPECT_EQ(S.of(0, 0, 1).Replay, 2 * 2000);
  // In the replay, too, the second wait takes longer.
  EXPECT_EQ(S.of(0, 0, 0).Replay, 2 * 310);
  EXPECT_EQ(S.of(0, 1, 1).Replay, 2 * 200);
}

// Figure 5 assumes that the GPU is idle while the host works; the replay knows it is busy.
TEST(SyncProblems, ReplayKnowsTheGpuIsBusy) {
  TestSyncCalls C;
  C.createStream(0x10, true);
  C.createStream(0x20, true);
  const uint64_t Begin = C.Now + 10;
  C.give(Launch, "cudaLaunchKernel", 10, Begin, Begin + 1000, 0x10);
  C.give(Launch, "cudaLaunchKernel", 10, Begin + 10, Begin + 3000, 0x20);
  C.wait(StreamWait, "cudaStreamSynchronize", 990, 0x10);
  C.work(500);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 1500);
  const SyncProblems S = syncProblems({&C, &C, nullptr, 10'000});
  ASSERT_EQ(S.Sites[0].Api, "cudaStreamSynchronize");
  EXPECT_EQ(S.Sites[0].UnnecessaryBenefit, 500u);
  EXPECT_EQ(S.Sites[0].ReplaySaving, 0);
}

// The run that watches memory takes long to notice a use that is the next thing the program does.
TEST(SyncProblems, UseBeforeTheNextCallIsNoLaterThanThat) {
  TestSyncCalls Traced, Watched;
  for (TestSyncCalls *C : {&Traced, &Watched}) {
    const uint32_t Copy = C->give(CallKind::Copy, "cudaMemcpyAsync", 2, 1002, 1100);
    C->wait(DeviceWait, "cudaDeviceSynchronize", 98);
    C->work(C == &Traced ? 1'000 : 60'000);
    if (C == &Watched)
      C->use(Copy);
    C->work(1'000);
    C->give(Launch, "cudaLaunchKernel", 1, C->Now, C->Now + 1);
  }
  const SyncRuns Runs = {&Traced, &Watched, nullptr, 10'000};
  SyncProblems S = syncProblems(Runs);
  EXPECT_TRUE(misplacedSynchronizations(Runs, S).empty());
  // It comes after that call.
  Watched.Uses[0].TimeNs = Watched.Now + 60'000;
  S = syncProblems(Runs);
  EXPECT_EQ(misplacedSynchronizations(Runs, S).size(), 1u);
}

// Other processes can delay the program between a wait and the same code's use of the result.
TEST(SyncProblems, WaitsAreMisplacedIfNoUseByTheSameCodeFollowsAtOnce) {
  const auto Misplaced = [](std::vector<uint64_t> Delays, bool SameCode) {
    TestSyncCalls C;
    C.CallPaths.resize(2);
    for (size_t I = 0; I < Delays.size(); ++I) {
      const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, C.Now, C.Now + 98);
      C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
      C.work(Delays[I]);
      C.use(Copy, log::UseKind::Load, SameCode ? 0 : static_cast<uint32_t>(I));
      C.work(1'000);
    }
    const SyncProblems S = syncProblems({&C, &C, nullptr, 10'000});
    uint64_t Count = 0;
    for (const SyncSite &Site : S.Sites)
      Count += Site.Misplaced;
    return Count;
  };
  EXPECT_EQ(Misplaced({30'000, 40'000}, true), 2u);
  EXPECT_EQ(Misplaced({30'000, 19'000}, true), 0u);
  EXPECT_EQ(Misplaced({30'000, 19'000}, false), 1u);
}

// cudaFree waits for the GPU as well: a wait that comes later only moves the time there.
TEST(SyncProblems, AWaitIsDelayedUpToTheNextReleaseOfMemory) {
  const auto Misplaced = [](uint64_t UntilRelease, const char *Release, bool SameThread) {
    TestSyncCalls C;
    const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, C.Now, C.Now + 98);
    C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
    C.work(UntilRelease);
    C.Thread = SameThread ? 1 : 2;
    C.call(CallKind::Release, Release, 60'000);
    C.Thread = 1;
    C.use(Copy);
    const SyncRuns Runs = {&C, &C, nullptr, 10'000};
    return misplacedSynchronizations(Runs, syncProblems(Runs)).size();
  };
  EXPECT_EQ(Misplaced(1'000, "cudaFree", true), 0u);
  EXPECT_EQ(Misplaced(30'000, "cudaFree", true), 1u);
  EXPECT_EQ(Misplaced(1'000, "cudaFree", false), 1u);
  EXPECT_EQ(Misplaced(1'000, "cudaFreeAsync", true), 1u);
}

// Another process delays the program before the release in one of the runs.
TEST(SyncProblems, TheShorterTimeUntilTheReleaseOfBothRunsCounts) {
  TestSyncCalls Traced, Memory;
  for (TestSyncCalls *C : {&Traced, &Memory}) {
    const uint32_t Copy = C->give(CallKind::Copy, "cudaMemcpyAsync", 2, C->Now, C->Now + 98);
    C->wait(DeviceWait, "cudaDeviceSynchronize", 98);
    C->work(C == &Traced ? 30'000 : 1'000);
    C->call(CallKind::Release, "cudaFree", 60'000);
    C->use(Copy);
  }
  const SyncRuns Runs = {&Traced, &Memory, nullptr, 10'000};
  EXPECT_TRUE(misplacedSynchronizations(Runs, syncProblems(Runs)).empty());
}

// A use is no later than in the run in which it came sooner.
TEST(SyncProblems, TheShorterDelayOfBothRunsCounts) {
  TestSyncCalls Memory, Use;
  for (TestSyncCalls *C : {&Memory, &Use}) {
    const uint32_t Copy = C->give(CallKind::Copy, "cudaMemcpyAsync", 2, 1002, 1100);
    C->wait(DeviceWait, "cudaDeviceSynchronize", 98);
    C->work(C == &Memory ? 30'000 : 40'000);
    C->use(Copy);
  }
  SyncProblems S = syncProblems({&Memory, &Memory, &Use, 10'000});
  EXPECT_EQ(S.Sites.at(0).FirstUseNs + S.Sites.at(1).FirstUseNs, 30'000u);
  S = syncProblems({&Memory, &Use, &Memory, 10'000});
  EXPECT_EQ(S.Sites.at(0).FirstUseNs + S.Sites.at(1).FirstUseNs, 30'000u);
}

// Work that ends during an allocation ends by itself.
TEST(SyncTrace, AllocationDoesNotWait) {
  TestSyncCalls C;
  C.give(Launch, "cudaLaunchKernel", 10, C.Now, C.Now + 50);
  C.wait(CallKind::Allocation, "cudaMalloc", 100);
  C.give(Launch, "cudaLaunchKernel", 10, C.Now, C.Now + 50);
  C.wait(CallKind::Allocation, "cudaMallocHost", 100);
  const Profile &P = C;
  const SyncTrace T = buildSyncTrace(P);
  EXPECT_FALSE(T.Calls[1].Waits);
  EXPECT_TRUE(T.Calls[3].Waits);
}

// A copy from pageable memory waits for the kernel, then takes 50 ns of host time. If the copy is
// removed, the host's 400 ns overlap the kernels.
TEST(SyncProblems, CopiesWaitBeforeTheyBegin) {
  TestSyncCalls C;
  for (int Step = 0; Step < 2; ++Step) {
    const uint64_t Begin = C.Now;
    C.give(Launch, "cudaLaunchKernel", 10, Begin + 10, Begin + 1010);
    const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpy", 1050, Begin + 1020, Begin + 1070);
    C.seenToWait(Copy);
    C.content(Copy, 1, 0x100, 4096);
    C.work(400);
  }
  const Profile &P = C;
  const SyncTrace T = buildSyncTrace(P);
  const TimelineReplay Replay(P, T);
  // 10 to enqueue, 1000 of the kernel, 50 of the call, 400 of the host; the second step has no host
  // work, but its copy ends 10 after the call.
  EXPECT_EQ(Replay.run({}), 1460u + 1060 + 10);
  std::vector<ReplayChange> Changes(T.Calls.size());
  Changes[1].Change = Changes[3].Change = CallChange::Gone;
  // The first kernel ends at 1010, when the second one begins.
  EXPECT_EQ(Replay.run(Changes), 2010u);
}

TEST(SyncProblems, OtherRunOfOtherCalls) {
  const TestSyncCalls C = freesInALoop();
  TestSyncCalls Other = freesInALoop();
  Other.Calls.pop_back(); // removes the copy
  Other.Uses.clear();
  const SyncProblems S = syncProblems({&C, &Other, nullptr, 10'000});
  EXPECT_FALSE(S.MemoryMatch.Equal);
  EXPECT_EQ(S.MemoryMatch.FirstDifference, 4u);
  EXPECT_EQ(S.MemoryMatch.Api, "cudaMemcpy");
  // Calls that both runs made are judged, except the wait at the end of the run.
  EXPECT_EQ(S.Sites[0].Unnecessary, 1u);
  EXPECT_EQ(S.Sites[0].NotSeen, 1u);
}

TEST(FoldedName, DropsTemplateArgumentsAndParameters) {
  EXPECT_EQ(foldedName("void f<int, g<3>>(int*, float)"), "f");
  EXPECT_EQ(foldedName("thrust::detail::contiguous_storage<int, A<int> >::allocate(unsigned long)"),
            "thrust::detail::contiguous_storage::allocate");
  EXPECT_EQ(foldedName("(anonymous namespace)::solve(int)"), "(anonymous namespace)::solve");
  EXPECT_EQ(foldedName("main"), "main");
  EXPECT_EQ(foldedName("A<int>::operator()(int) const"), "A::operator()");
}

} // namespace
} // namespace gmprof::test
