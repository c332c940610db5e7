//===- SyncFirstSightTest.cpp - Calls without knowledge of their use ------===//
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

/// Calls of a program whose host reads nothing, as recorded at first sight.
TestSyncCalls atFirstSight() {
  TestSyncCalls C;
  C.TheRun.Profiles = {"objects", "sync"};
  C.TheRun.SyncStage = "baseline";
  C.call(CallKind::Copy, "cudaMemcpy", 30);
  C.call(CallKind::Copy, "cudaMemcpyAsync", 5);
  C.call(Launch, "cudaLaunchKernel", 10);
  C.call(DeviceWait, "cudaDeviceSynchronize", 100);
  C.call(CallKind::Copy, "cudaMemcpy", 20);
  C.call(DeviceWait, "cudaDeviceSynchronize", 1);
  for (uint64_t Bytes : {1024, 512}) {
    profile::Copy Of;
    Of.Api = "cudaMemcpy";
    Of.RowBytes = Bytes;
    Of.Rows = 2;
    C.Copies.push_back(Of);
  }
  return C;
}

TEST(SyncProblems, FirstSightTellsCallsAndTheirDuration) {
  const TestSyncCalls C = atFirstSight();
  const SyncProblems S = syncProblems({&C, &C, nullptr, 1000});
  EXPECT_EQ(S.Calls, 6u);
  ASSERT_EQ(S.Sites.size(), 4u); // the longest waits first
  EXPECT_EQ(S.Sites[0].Api, "cudaDeviceSynchronize");
  EXPECT_EQ(S.Sites[0].Calls, 2u);
  EXPECT_EQ(S.Sites[0].Waits, 2u);
  EXPECT_EQ(S.Sites[0].WaitNs, 101u);
  EXPECT_TRUE(S.Sites[0].Explicit);
  EXPECT_EQ(S.Sites[1].Api, "cudaMemcpy");
  EXPECT_EQ(S.Sites[1].WaitNs, 50u);
  EXPECT_EQ(S.Sites[1].Copies, 2u);
  EXPECT_EQ(S.Sites[1].CopiedBytes, 3072u);
  EXPECT_EQ(S.Sites[2].Api, "cudaMemcpyAsync");
  EXPECT_EQ(S.Sites[2].CallNs, 5u);
  EXPECT_EQ(S.Sites[2].WaitNs, 0u);
  EXPECT_EQ(S.Sites[2].Copies, 1u);
  EXPECT_EQ(S.Sites[3].Api, "cudaLaunchKernel");
}

TEST(SyncProblems, FirstSightFindsNoProblem) {
  TestSyncCalls C = atFirstSight();
  std::vector<CallProblem> PerCall;
  const SyncRuns Runs = {&C, &C, nullptr, 1000};
  const SyncProblems S = syncProblems(Runs, &PerCall);
  ASSERT_EQ(PerCall.size(), 6u);
  for (const CallProblem &Each : PerCall) {
    EXPECT_EQ(Each.Problem, SyncProblem::None);
    EXPECT_FALSE(Each.Duplicate);
  }
  EXPECT_TRUE(S.Folds.empty());
  EXPECT_TRUE(S.Sequences.empty());
  EXPECT_TRUE(unnecessarySynchronizations(Runs, S).empty());
  EXPECT_TRUE(misplacedSynchronizations(Runs, S).empty());
  EXPECT_TRUE(duplicateTransferFindings(Runs, S).empty());
  // The same calls, observed: nothing reads the results of any wait.
  C.TheRun.SyncStage = "single";
  for (ApiCall &Each : C.Calls)
    if (Each.Kind == DeviceWait)
      Each.Looked = Each.BusyBefore = 1;
    else
      Each.Operation = ++C.LastOperation;
  EXPECT_FALSE(unnecessarySynchronizations(Runs, syncProblems(Runs)).empty());
}

} // namespace
} // namespace gmprof::test
