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

using Need = SyncVerdict::Need;
constexpr auto Launch = CallKind::Launch;
constexpr auto DeviceWait = CallKind::DeviceSynchronized;
constexpr auto StreamWait = CallKind::StreamSynchronized;

std::vector<Need> needs(const Profile &P) {
  std::vector<Need> All;
  for (const SyncVerdict &V : syncNecessity(P, buildSyncTrace(P)))
    All.push_back(V.Is);
  return All;
}

/// Adds a copy to the host that has ended when the call returns.
uint32_t copyBack(TestSyncCalls &C, uint64_t Ns, uint64_t Begin, uint64_t End) {
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpy", Ns, Begin, End);
  C.Calls[Copy].HostDone = true;
  C.seenToWait(Copy);
  return Copy;
}

// Figure 2: a wait is needed if the host accesses the copied memory before the next wait.
TEST(SyncNecessity, UsedBeforeNextWait) {
  TestSyncCalls C;
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, 1002, 1100);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
  C.work(500);
  C.use(Copy);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 1);
  const Profile &P = C;
  const std::vector<SyncVerdict> V = syncNecessity(P, buildSyncTrace(P));
  EXPECT_EQ(V[1].Is, Need::Used);
  EXPECT_EQ(V[1].FirstUseNs, 500u);
  EXPECT_EQ(V[2].Is, Need::None);
}

TEST(SyncNecessity, LastWaitBeforeTheUseIsTheNeededOne) {
  TestSyncCalls C;
  const uint32_t Copy = copyBack(C, 50, 1000, 1050);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 5);
  C.use(Copy);
  EXPECT_EQ(needs(C), (std::vector{Need::None, Need::Used}));
}

// Unwatched memory counts as used once its operation is seen to have ended, which may be before the
// program waits for it. It may be used after each of the waits up to the thread's next operation.
TEST(SyncNecessity, AssumedUsesNeedTheNextWaits) {
  TestSyncCalls C;
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, 1000, 1001);
  C.use(Copy, log::UseKind::Assumed);
  C.work(100);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 5);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 5);
  C.give(Launch, "cudaLaunchKernel", 1, 2000, 2001);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 5);
  EXPECT_EQ(needs(C), (std::vector{Need::None, Need::AssumedUsed, Need::AssumedUsed, Need::None,
                                   Need::None}));
}

// Each thread relies on the first of its own waits that covers the operation.
TEST(SyncNecessity, AssumedUsesNeedTheFirstWaitOfEachThread) {
  TestSyncCalls C;
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, 1000, 1001);
  const uint32_t Own = C.wait(DeviceWait, "cudaDeviceSynchronize", 5);
  C.use(Copy, log::UseKind::Assumed);
  C.give(Launch, "cudaLaunchKernel", 1, 2000, 2001);
  C.Thread = 2;
  const uint32_t Others = C.wait(DeviceWait, "cudaDeviceSynchronize", 5);
  C.give(Launch, "cudaLaunchKernel", 1, 3000, 3001);
  const uint32_t Later = C.wait(DeviceWait, "cudaDeviceSynchronize", 5);
  EXPECT_EQ(needs(C)[Own], Need::AssumedUsed);
  EXPECT_EQ(needs(C)[Others], Need::AssumedUsed);
  EXPECT_EQ(needs(C)[Later], Need::None);
}

TEST(SyncNecessity, AssumedUsesNeedNoWaitForOtherStreams) {
  TestSyncCalls C;
  C.createStream(0x10, true);
  C.createStream(0x20, true);
  C.give(Launch, "cudaLaunchKernel", 1, 900, 950, 0x20);
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, 1000, 1001, 0x10);
  C.use(Copy, log::UseKind::Assumed);
  const uint32_t Own = C.wait(StreamWait, "cudaStreamSynchronize", 5, 0x10);
  C.Thread = 2;
  const uint32_t Other = C.wait(StreamWait, "cudaStreamSynchronize", 5, 0x20);
  EXPECT_EQ(needs(C)[Own], Need::AssumedUsed);
  EXPECT_EQ(needs(C)[Other], Need::None);
}

// A wait only protects the work it waited for.
TEST(SyncNecessity, OtherStreamsAreNotCovered) {
  TestSyncCalls C;
  C.createStream(0x10, true);
  C.createStream(0x20, true);
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 1, 1000, 1020, 0x10);
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1030, 0x20);
  C.wait(StreamWait, "cudaStreamSynchronize", 10, 0x10);
  C.wait(StreamWait, "cudaStreamSynchronize", 20, 0x20);
  C.use(Copy);
  EXPECT_EQ(needs(C),
            (std::vector{Need::None, Need::None, Need::None, Need::None, Need::Used, Need::None}));
}

TEST(SyncNecessity, EventsCarryOrderToOtherStreams) {
  TestSyncCalls C;
  C.createStream(0x10, true);
  C.createStream(0x20, true);
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 1, 1000, 1020, 0x10);
  C.Calls[C.call(CallKind::EventRecorded, "cudaEventRecord", 1, 0x10)].Event = 7;
  C.Calls[C.call(CallKind::StreamWaitsEvent, "cudaStreamWaitEvent", 1, 0x20)].Event = 7;
  const uint32_t Wait = C.wait(StreamWait, "cudaStreamSynchronize", 20, 0x20);
  C.use(Copy);
  EXPECT_EQ(needs(C)[Wait], Need::Used);
}

TEST(SyncNecessity, TimeOfAnEventNeedsTheWait) {
  TestSyncCalls C;
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1100);
  C.Calls[C.call(CallKind::EventRecorded, "cudaEventRecord", 1)].Event = 7;
  const uint32_t Wait = C.wait(CallKind::EventSynchronized, "cudaEventSynchronize", 98);
  C.Calls[Wait].Event = 7;
  C.Calls[C.call(CallKind::EventRead, "cudaEventElapsedTime", 1)].Event = 7;
  EXPECT_EQ(needs(C)[Wait], Need::EventRead);
}

// Only the wait orders the second kernel after the first.
TEST(SyncNecessity, WaitThatOrdersStreams) {
  TestSyncCalls C;
  C.createStream(0x10, true);
  C.createStream(0x20, true);
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1100, 0x10);
  const uint32_t Wait = C.wait(StreamWait, "cudaStreamSynchronize", 98, 0x10);
  C.give(Launch, "cudaLaunchKernel", 1, 1200, 1300, 0x20);
  EXPECT_EQ(needs(C)[Wait], Need::OrdersStreams);
}

TEST(SyncNecessity, LegacyStreamOrdersByItself) {
  TestSyncCalls C;
  C.createStream(0x10, false);
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1100, 0x10);
  const uint32_t Wait = C.wait(StreamWait, "cudaStreamSynchronize", 98, 0x10);
  C.give(Launch, "cudaLaunchKernel", 1, 1200, 1300, 0);
  EXPECT_EQ(needs(C)[Wait], Need::None);
}

// The function's effects are unknown; a wait after the first one covers nothing new.
TEST(SyncNecessity, FirstWaitForAFunctionOfTheHostIsNeeded) {
  TestSyncCalls C;
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1100);
  C.hostFunction();
  C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 1);
  C.give(Launch, "cudaLaunchKernel", 1, 1200, 1300);
  C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
  EXPECT_EQ(needs(C), (std::vector{Need::None, Need::None, Need::OrdersHost, Need::None, Need::None,
                                   Need::None}));
}

TEST(SyncNecessity, WaitForAnotherStreamCoversNoFunctionOfTheHost) {
  TestSyncCalls C;
  C.createStream(0x10, true);
  C.createStream(0x20, true);
  C.hostFunction(0x10);
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1100, 0x20);
  const uint32_t Other = C.wait(StreamWait, "cudaStreamSynchronize", 98, 0x20);
  const uint32_t Wait = C.wait(StreamWait, "cudaStreamSynchronize", 10, 0x10);
  EXPECT_EQ(needs(C)[Other], Need::None);
  EXPECT_EQ(needs(C)[Wait], Need::OrdersHost);
}

// Another thread that waits for the same work may not have reached its wait before.
TEST(SyncNecessity, EachThreadNeedsItsWaitForAFunctionOfTheHost) {
  TestSyncCalls C;
  C.hostFunction();
  const uint32_t First = C.wait(DeviceWait, "cudaDeviceSynchronize", 10);
  C.Thread = 2;
  const uint32_t Second = C.wait(DeviceWait, "cudaDeviceSynchronize", 10);
  EXPECT_EQ(needs(C)[First], Need::OrdersHost);
  EXPECT_EQ(needs(C)[Second], Need::OrdersHost);
}

// The first wait is needed immediately, whatever is used later.
TEST(SyncNecessity, WaitForAFunctionOfTheHostIsNotTooEarly) {
  TestSyncCalls C;
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, 1002, 1100);
  C.hostFunction();
  const uint32_t Wait = C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
  C.work(500'000);
  C.use(Copy);
  const Profile &P = C;
  const SyncVerdict V = syncNecessity(P, buildSyncTrace(P))[Wait];
  EXPECT_EQ(V.Is, Need::OrdersHost);
  EXPECT_EQ(V.FirstUseNs, 0u);
}

// Thread 1 waits and uses; that thread 2 has waited in between is chance.
TEST(SyncNecessity, UsesAreOwedToTheWaitOfTheirThread) {
  TestSyncCalls C;
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpyAsync", 2, 1002, 1100);
  const uint32_t Own = C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
  C.Thread = 2;
  const uint32_t Other = C.wait(DeviceWait, "cudaDeviceSynchronize", 10);
  C.Thread = 1;
  C.use(Copy);
  EXPECT_EQ(needs(C)[Own], Need::Used);
  EXPECT_EQ(needs(C)[Other], Need::None);
  // A thread that has not waited itself relies on another thread's wait, the last possible one.
  C.Uses[0].Thread = 3;
  EXPECT_EQ(needs(C)[Own], Need::None);
  EXPECT_EQ(needs(C)[Other], Need::Used);
}

TEST(SyncNecessity, OrderOfStreamsIsOwedToTheWaitOfTheThread) {
  TestSyncCalls C;
  C.createStream(0x10, true);
  C.createStream(0x20, true);
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1100, 0x10);
  C.Thread = 2;
  const uint32_t Other = C.wait(StreamWait, "cudaStreamSynchronize", 98, 0x10);
  C.Thread = 1;
  const uint32_t Own = C.wait(StreamWait, "cudaStreamSynchronize", 1, 0x10);
  C.give(Launch, "cudaLaunchKernel", 1, 1200, 1300, 0x20);
  EXPECT_EQ(needs(C)[Other], Need::None);
  EXPECT_EQ(needs(C)[Own], Need::OrdersStreams);
}

TEST(SyncNecessity, UnrecordedUsesMayNeedAnyWait) {
  TestSyncCalls C;
  C.give(Launch, "cudaLaunchKernel", 1, 1000, 1100);
  const uint32_t Wait = C.wait(DeviceWait, "cudaDeviceSynchronize", 98);
  EXPECT_EQ(needs(C)[Wait], Need::None);
  C.Gaps = {{"orders of streams", "what waits by cuStreamWaitValue32 is not recorded", 1}};
  EXPECT_EQ(needs(C)[Wait], Need::OrdersStreams);
  C.Gaps = {{"uses by the host", "more of them came at a time than there is room for", 1}};
  EXPECT_EQ(needs(C)[Wait], Need::AssumedUsed);
}

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

TEST(DuplicateTransfer, KeyHasSizeDirectionAndDestination) {
  TestSyncCalls C;
  auto Copy = [&](uint64_t Hash, uint64_t To, uint64_t Bytes, log::CopyDirection D) {
    const uint32_t Call = C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0);
    C.content(Call, Hash, To, Bytes, D);
  };
  using enum log::CopyDirection;
  Copy(5, 0x1000, 64, HostToDevice);
  Copy(5, 0x2000, 64, HostToDevice);
  Copy(5, 0x1000, 32, HostToDevice);
  Copy(5, 0x1000, 64, DeviceToDevice);
  Copy(6, 0x1000, 64, HostToDevice);
  Copy(5, 0x1000, 64, HostToDevice);
  C.Contents.back().Identical = true;
  const std::vector<CopyVerdict> V = duplicateTransfers(C, buildSyncTrace(C));
  for (size_t I = 0; I < 5; ++I)
    EXPECT_FALSE(V[I].Duplicate) << I;
  EXPECT_TRUE(V[5].Duplicate);
  EXPECT_TRUE(V[5].Identical);
  EXPECT_EQ(V[5].First, 0u);
}

/// Copies the same to the host as before, where it still is.
uint32_t copyBackAgain(TestSyncCalls &C) {
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0);
  C.content(Copy, 5, 0x1000, 64, log::CopyDirection::DeviceToHost);
  C.Contents.back().Identical = true;
  return Copy;
}

bool lastIsDuplicate(const TestSyncCalls &C) {
  return duplicateTransfers(C, buildSyncTrace(C)).back().Duplicate;
}

// The host may have read the copy in between, as a loop does that polls a flag.
TEST(DuplicateTransfer, CopiesToTheHostThatAreReadAreNone) {
  TestSyncCalls C;
  const uint32_t First = copyBackAgain(C);
  copyBackAgain(C);
  EXPECT_TRUE(lastIsDuplicate(C));
  C.use(First, log::UseKind::OnlyByCode); // no access
  EXPECT_TRUE(lastIsDuplicate(C));
  C.use(First, log::UseKind::Assumed);
  EXPECT_FALSE(lastIsDuplicate(C));
}

TEST(DuplicateTransfer, LastCopyToTheHostMayBeRead) {
  TestSyncCalls C;
  copyBackAgain(C);
  C.use(copyBackAgain(C));
  EXPECT_TRUE(lastIsDuplicate(C));
}

TEST(DuplicateTransfer, FunctionOfTheHostMayReadACopy) {
  TestSyncCalls C;
  copyBackAgain(C);
  C.hostFunction();
  copyBackAgain(C);
  EXPECT_FALSE(lastIsDuplicate(C));
  copyBackAgain(C);
  EXPECT_TRUE(lastIsDuplicate(C));
}

// The copy before brought other bytes: they are lost, but they are not the same.
TEST(DuplicateTransfer, CopiesToTheHostInTurnAreNone) {
  TestSyncCalls C;
  copyBackAgain(C);
  copyBackAgain(C);
  C.Contents.back().Hash = {6, 1};
  copyBackAgain(C);
  EXPECT_FALSE(lastIsDuplicate(C));
}

TEST(DuplicateTransfer, UsesThatWereNotSeenMayBeOfACopy) {
  TestSyncCalls C;
  copyBackAgain(C);
  copyBackAgain(C);
  C.Gaps = {{"uses by the host", "too many", 1}};
  EXPECT_FALSE(lastIsDuplicate(C));
}

/// The finding about two copies of the same bytes. Identical: whether the destination held them.
Finding duplicateFinding(log::CopyDirection Direction, std::optional<bool> Identical) {
  TestSyncCalls C;
  for (int I = 0; I < 2; ++I) {
    C.content(C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0), 5, 0x1000, 64, Direction);
    C.Contents.back().Identical = Identical;
  }
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  const std::vector<Finding> All = duplicateTransferFindings(Runs, syncProblems(Runs));
  EXPECT_EQ(All.size(), 1u);
  return All.empty() ? Finding() : All.front();
}

TEST(DuplicateTransfer, SuggestionHasTheConditionOfItsDirection) {
  using enum log::CopyDirection;
  Finding F = duplicateFinding(DeviceToHost, true);
  EXPECT_EQ(F.Kind, "still_there");
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls bring back what the host has "
                       "already and has not read (64 bytes).");
  EXPECT_EQ(F.Suggestion, "Copy once, after the loop or right before the host reads the data, "
                          "provided that nothing reads the host buffer in between.");
  F = duplicateFinding(HostToDevice, true);
  EXPECT_EQ(F.Kind, "still_there");
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls write what the destination "
                       "holds already (64 bytes).");
  const std::string Once =
      "Copy once, before the loop or the first use, provided that neither the host writes the "
      "source nor a kernel the destination in between; declare the source const, so that the "
      "compiler rejects writes to it.";
  EXPECT_EQ(F.Suggestion, Once);
  F = duplicateFinding(HostToDevice, std::nullopt);
  EXPECT_EQ(F.Kind, "copied_again");
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls write what was copied to the "
                       "same place before (64 bytes).");
  EXPECT_EQ(F.Suggestion, Once);
  F = duplicateFinding(HostToDevice, false);
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls write what was copied to the "
                       "same place before and overwritten (64 bytes).");
  EXPECT_EQ(F.Suggestion,
            "The destination was written in between, so the data has to be restored: if the host "
            "never changes the source, keep an unchanged copy on the device, and copy from there.");
  EXPECT_EQ(duplicateFinding(DeviceToDevice, true).Suggestion,
            "Copy once, before the loop or the first use, provided that nothing writes the source "
            "or the destination in between.");
}

/// Copies that bring an array to the host and back, with this hash of what comes back; Identical as
/// in duplicateFinding.
std::vector<Finding> roundTrip(uint64_t HashBack, std::optional<bool> Identical) {
  TestSyncCalls C;
  using enum log::CopyDirection;
  C.content(C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0), 5, 0x7000, 64, DeviceToHost);
  C.content(C.give(CallKind::Copy, "cudaMemcpyAsync", 1, 0, 0), HashBack, 0x1000, 64, HostToDevice);
  C.Contents.back().Identical = Identical;
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  return duplicateTransferFindings(Runs, syncProblems(Runs));
}

TEST(DuplicateTransfer, DataThatComesBackUnchangedIsRedundant) {
  const std::vector<Finding> All = roundTrip(5, true);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Object, "cudaMemcpyAsync");
  EXPECT_EQ(All[0].Kind, "round_trip");
  EXPECT_EQ(All[0].Message, "The cudaMemcpyAsync call writes what the destination holds already "
                            "and a copy has brought to the host (64 bytes).");
  EXPECT_EQ(All[0].Suggestion,
            "Keep the data on the device, and copy it there only if the host has "
            "changed it since it was copied back.");
}

TEST(DuplicateTransfer, DataThatEitherSideHasChangedComesBackForAReason) {
  EXPECT_EQ(roundTrip(6, true).size(), 0u);  // the host has changed it; that it is there is chance
  EXPECT_EQ(roundTrip(5, false).size(), 0u); // the device has changed it
  EXPECT_EQ(roundTrip(5, std::nullopt).size(), 0u);
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

//===----------------------------------------------------------------------===//
// Host memory
//===----------------------------------------------------------------------===//

/// Returns the findings about copies of so many bytes.
std::vector<Finding> pageable(const std::string &Api, bool ToHost, uint64_t Bytes,
                              uint64_t HostObject = 0, int Count = 2) {
  TestSyncCalls C;
  for (int I = 0; I < Count; ++I) {
    C.call(CallKind::Copy, Api, 1000);
    profile::Copy Of;
    Of.Api = Api;
    Of.RowBytes = Bytes;
    Of.From.object = Of.To.object = 7;
    (ToHost ? Of.To : Of.From).object = HostObject;
    (ToHost ? Of.To : Of.From).host = 1;
    C.Copies.push_back(Of);
  }
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  return pageableTransfers(Runs, syncProblems(Runs));
}

TEST(PageableTransfer, AsynchronousCopiesOfPageableMemory) {
  constexpr uint64_t Large = uint64_t(1) << 20;
  std::vector<Finding> Found = pageable("cudaMemcpyAsync", false, Large);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "host_to_device");
  EXPECT_EQ(Found[0].Message,
            "All 2 cudaMemcpyAsync calls read pageable host memory (2 MiB): such a call returns "
            "only when the driver has copied the data to a page-locked buffer.");
  EXPECT_EQ(Found[0].SecondsSaved, 1e-6); // half of 2 us
  Found = pageable("cudaMemcpyAsync", true, Large);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Kind, "device_to_host");
  EXPECT_EQ(Found[0].Message, "All 2 cudaMemcpyAsync calls write pageable host memory (2 MiB): "
                              "such a call returns only when the copy has ended.");
}

TEST(PageableTransfer, OthersAreInnocent) {
  EXPECT_TRUE(pageable("cudaMemcpy", false, 1 << 20).empty());
  EXPECT_TRUE(pageable("cudaMemcpyAsync", false, 1 << 16).empty());
  EXPECT_EQ(pageable("cudaMemcpyAsync", false, (1 << 16) + 1).size(), 1u);
  EXPECT_TRUE(pageable("cudaMemcpyAsync", false, 1 << 20, /*HostObject=*/3).empty());
  EXPECT_TRUE(pageable("cudaMemcpyAsync", true, 1 << 20, /*HostObject=*/3).empty());
  // Page-locking memory costs more than one copy of it gains.
  EXPECT_TRUE(pageable("cudaMemcpyAsync", false, 1 << 20, 0, /*Count=*/1).empty());
}

/// Returns the findings about four allocations of 100 ns. Each is freed before the next, or, with
/// Together, at the end.
std::vector<Finding> repeated(bool Together, uint64_t Count = 4,
                              const std::string &Api = "cudaHostAlloc") {
  TestSyncCalls C;
  for (uint64_t I = 0; I < Count; ++I) {
    profile::Object O;
    O.Kind = log::ObjectKind::Pinned;
    O.Bytes = 1024 * (I + 1);
    O.Made.Api = Api;
    C.call(CallKind::Allocation, Api, 100);
    O.Made.TimeNs = C.Now;
    O.Released.emplace();
    O.Released->Api = "cudaFreeHost";
    O.Released->TimeNs = Together ? 1'000'000 : C.Now;
    C.Objects.push_back(O);
  }
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  return repeatedAllocations(Runs, syncProblems(Runs));
}

TEST(RepeatedAllocation, PageLockedMemoryPerCall) {
  const std::vector<Finding> Found = repeated(false);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Message,
            "3 of 4 cudaHostAlloc calls page-lock memory again after cudaFreeHost "
            "has freed it (up to 4 KiB each).");
  EXPECT_EQ(Found[0].SecondsSaved, 3e-7);
}

TEST(RepeatedAllocation, OthersAreInnocent) {
  EXPECT_TRUE(repeated(true).empty());
  EXPECT_TRUE(repeated(false, 2).empty());
  EXPECT_TRUE(repeated(false, 4, "cudaHostRegister").empty());
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
