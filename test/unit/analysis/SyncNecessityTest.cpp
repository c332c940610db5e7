//===- SyncNecessityTest.cpp - Waits that the host needs ------------------===//
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

} // namespace
} // namespace gmprof::test
