//===- ApiCallsTest.cpp - Tests of what calls wait for --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/ApiCalls.h"
#include "RecordedLog.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/HostWatch.h"
#include <set>
#include <sys/mman.h>

namespace gmprof::host {
namespace {

using log::CallKind;

/// A GPU whose streams work as long as a test says, on a clock that it sets.
struct Gpu {
  struct Event {
    CUstream Stream = nullptr;
    float Ms = 0;
  };
  std::vector<Event> Events;
  std::set<CUstream> Working;
  std::vector<float> Clock; ///< times of the next events; beyond them 0
  size_t NextTime = 0;
  int Device = 0;
  int Queries = 0;
  bool RefuseEvents = false;
} TheGpu;

Gpu::Event &eventOf(CUevent Event) {
  return TheGpu.Events.at(reinterpret_cast<uint64_t>(Event) - 1);
}

DriverApi driver() {
  DriverApi Api;
  Api.cuCtxGetDevice = [](CUdevice *To) {
    *To = TheGpu.Device;
    return CUDA_SUCCESS;
  };
  Api.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode *) { return CUDA_SUCCESS; };
  Api.cuStreamCreate = [](CUstream *To, unsigned) {
    *To = reinterpret_cast<CUstream>(0x5000);
    return CUDA_SUCCESS;
  };
  Api.cuStreamSynchronize = [](CUstream) { return CUDA_SUCCESS; };
  Api.cuEventCreate = [](CUevent *To, unsigned) {
    TheGpu.Events.emplace_back();
    *To = reinterpret_cast<CUevent>(TheGpu.Events.size());
    return CUDA_SUCCESS;
  };
  Api.cuEventRecord = [](CUevent Event, CUstream Stream) {
    if (TheGpu.RefuseEvents)
      return CUDA_ERROR_INVALID_VALUE;
    const size_t At = TheGpu.NextTime++;
    eventOf(Event) = {Stream, At < TheGpu.Clock.size() ? TheGpu.Clock[At] : 0};
    return CUDA_SUCCESS;
  };
  Api.cuEventQuery = [](CUevent Event) {
    ++TheGpu.Queries;
    return TheGpu.Working.contains(eventOf(Event).Stream) ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  Api.cuEventElapsedTime = [](float *To, CUevent Begin, CUevent End) {
    *To = eventOf(End).Ms - eventOf(Begin).Ms;
    return CUDA_SUCCESS;
  };
  return Api;
}

const auto A = reinterpret_cast<cudaStream_t>(0xa00), B = reinterpret_cast<cudaStream_t>(0xb00);

class ApiCallsTest : public testing::Test {
protected:
  void SetUp() override { TheGpu = Gpu(); }

  /// Creates the ApiCalls under test for a stage.
  ApiCalls &calls(SyncStage Stage, HostWatch *Watch = nullptr) {
    return Calls.emplace(Log.recorder(), Paths, Api, Stage, Watch);
  }
  /// Makes a call that succeeds, during which the work in these streams ends.
  uint64_t call(const ApiCalls::Call &C, const std::set<CUstream> &Ends = {}) {
    ApiCalls::Pending P = Calls->before(C);
    for (CUstream Each : Ends)
      TheGpu.Working.erase(Each);
    Calls->after(P, steadyNs());
    Calls->resumed(P);
    return P.Operation;
  }
  uint64_t launch(cudaStream_t Stream) {
    return call({CallKind::Launch, "cudaLaunchKernel", &NoCaller, Stream});
  }
  profile::Profile read() {
    Calls->finish();
    return Log.read();
  }

  static constexpr void *NoCaller[2] = {};
  RecordedLog Log;
  CallPaths Paths{&Log.recorder(), 0};
  const DriverApi Api = driver();
  std::optional<ApiCalls> Calls;
};

TEST_F(ApiCallsTest, CountStreamsThatAreBusyBeforeAndAfter) {
  calls(SyncStage::Memory);
  TheGpu.Working = {A, B};
  EXPECT_EQ(launch(A), 1u);
  EXPECT_EQ(launch(B), 2u);
  EXPECT_EQ(launch(A), 3u);
  const auto Event = reinterpret_cast<cudaEvent_t>(0xe00);
  EXPECT_EQ(call({CallKind::StreamSynchronized, "cudaStreamSynchronize", &NoCaller, A, Event}, {A}),
            0u);
  EXPECT_EQ(call({CallKind::DeviceSynchronized, "cudaDeviceSynchronize", &NoCaller}, {B}), 0u);
  const profile::Profile P = read();
  ASSERT_EQ(P.Calls.size(), 5u);
  for (size_t I = 0; I < 3; ++I) {
    EXPECT_EQ(P.Calls[I].Api, "cudaLaunchKernel");
    EXPECT_EQ(P.Calls[I].Kind, CallKind::Launch);
    EXPECT_EQ(P.Calls[I].Operation, I + 1);
    EXPECT_FALSE(P.Calls[I].Looked); // launches do not wait
  }
  EXPECT_EQ(P.Calls[1].Stream, 0xb00u);
  const profile::ApiCall &Stream = P.Calls[3], &Device = P.Calls[4];
  EXPECT_EQ(Stream.Api, "cudaStreamSynchronize");
  EXPECT_EQ(Stream.Event, 0xe00u);
  EXPECT_TRUE(Stream.Looked);
  EXPECT_EQ(Stream.BusyBefore, 2u);
  EXPECT_EQ(Stream.BusyAfter, 1u);
  EXPECT_EQ(Device.BusyBefore, 1u);
  EXPECT_EQ(Device.BusyAfter, 0u);
  EXPECT_TRUE(P.GpuTimes.empty());
  EXPECT_TRUE(P.Gaps.empty());
}

TEST_F(ApiCallsTest, KnowWhichOperationsHaveEnded) {
  ApiCalls &All = calls(SyncStage::Memory);
  TheGpu.Working = {A, B};
  launch(A);
  launch(B);
  EXPECT_FALSE(All.hasEnded(1));
  EXPECT_FALSE(All.hasEnded(2));
  TheGpu.Working = {B};
  EXPECT_TRUE(All.hasEnded(1));
  EXPECT_FALSE(All.hasEnded(2));
  EXPECT_TRUE(All.hasEnded(3)); // unknown ones have
}

TEST_F(ApiCallsTest, CapturedCallsAreNoOperations) {
  calls(SyncStage::Memory);
  ApiCalls::Call C = {CallKind::Copy, "cudaMemcpyAsync", &NoCaller, A};
  C.Captured = true;
  EXPECT_EQ(call(C), 0u);
  EXPECT_EQ(launch(A), 1u);
  EXPECT_EQ(TheGpu.Events.size(), 1u);
}

TEST_F(ApiCallsTest, DefaultStreamsAreThoseOfADevice) {
  calls(SyncStage::Memory);
  TheGpu.Working = {nullptr, cudaStreamLegacy, cudaStreamPerThread};
  launch(nullptr);
  launch(cudaStreamLegacy); // the same one
  launch(cudaStreamPerThread);
  TheGpu.Device = 1;
  launch(nullptr);
  call({CallKind::DeviceSynchronized, "cudaDeviceSynchronize", &NoCaller});
  const profile::Profile P = read();
  EXPECT_EQ(P.Calls.back().BusyBefore, 3u);
  EXPECT_EQ(P.Calls.back().BusyAfter, 3u);
  EXPECT_EQ(P.Calls.back().Device, 1u);
}

TEST_F(ApiCallsTest, EventsAreUsedAgain) {
  calls(SyncStage::Memory);
  for (int I = 0; I < 10; ++I) {
    launch(A);
    launch(A);
    call({CallKind::StreamSynchronized, "cudaStreamSynchronize", &NoCaller, A});
  }
  EXPECT_EQ(TheGpu.Events.size(), 2u);
}

TEST_F(ApiCallsTest, ACallThatFailsLeavesNothing) {
  calls(SyncStage::Trace);
  ApiCalls::Pending P = Calls->before({CallKind::Launch, "cudaLaunchKernel", &NoCaller, A});
  Calls->failed(P);
  const size_t Before = TheGpu.Events.size();
  launch(A); // takes the event in front again, and one behind, which the clock has left
  EXPECT_EQ(TheGpu.Events.size(), Before);
  const profile::Profile Read = read();
  ASSERT_EQ(Read.Calls.size(), 1u);
  EXPECT_EQ(Read.Calls[0].Operation, 2u);
}

TEST_F(ApiCallsTest, TimesOnTheGpuAreThoseBetweenEvents) {
  calls(SyncStage::Trace);
  // Four tries for the reference; four pairs, which add 0.5 ms and more; two operations.
  TheGpu.Clock = {0, 0, 0, 0, 1, 1.75F, 2, 2.5F, 3, 4, 5, 6, 10, 13, 20, 20.25F};
  launch(A);
  launch(A);
  const profile::Profile P = read();
  ASSERT_EQ(P.GpuTimes.size(), 2u);
  const profile::GpuTime &First = P.GpuTimes[0], &Second = P.GpuTimes[1];
  EXPECT_EQ(First.Operation, 1u);
  EXPECT_EQ(Second.Operation, 2u);
  EXPECT_EQ(First.EndNs - First.BeginNs, 2'500'000u);
  EXPECT_EQ(Second.EndNs, Second.BeginNs); // shorter than a pair of events
  EXPECT_EQ(Second.BeginNs - First.BeginNs, 10'000'000u);
}

TEST_F(ApiCallsTest, OperationsWithoutAnEventAreAGap) {
  calls(SyncStage::Memory);
  TheGpu.RefuseEvents = true;
  launch(A);
  launch(A);
  const profile::Profile P = read();
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "operations");
  EXPECT_EQ(P.Gaps[0].Reason, "the driver refused the event that says when it has ended");
  EXPECT_EQ(P.Gaps[0].Count, 2u);
}

TEST_F(ApiCallsTest, TheBaselineAsksTheGpuNothing) {
  calls(SyncStage::Baseline);
  TheGpu.Working = {A};
  EXPECT_EQ(launch(A), 0u);
  ApiCalls::Call C = {CallKind::DeviceSynchronized, "cudaDeviceSynchronize", &NoCaller};
  C.UsesHost = C.HostDone = true;
  call(C);
  const profile::Profile P = read();
  EXPECT_TRUE(TheGpu.Events.empty());
  EXPECT_EQ(TheGpu.Queries, 0);
  ASSERT_EQ(P.Calls.size(), 2u);
  EXPECT_FALSE(P.Calls[1].Looked);
  EXPECT_TRUE(P.Calls[1].UsesHost && P.Calls[1].HostDone);
}

TEST_F(ApiCallsTest, WhatEndedIsWatchedOnceTheCallHasReturned) {
  constexpr uint64_t Page = 4096;
  FaultHandler::prepare(HostWatch::ask);
  HostWatch &Watch = *new HostWatch(Log.recorder(), Paths); // handlers keep it
  void *Memory =
      ::mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto Begin = reinterpret_cast<uint64_t>(Memory);
  calls(SyncStage::Memory, &Watch);
  TheGpu.Working = {A, B};
  Watch.given(launch(A), Begin, Page, /*Writes=*/true);
  Watch.given(launch(B), Begin + Page, Page, /*Writes=*/true);
  call({CallKind::StreamSynchronized, "cudaStreamSynchronize", &NoCaller, A}, {A});
  Watch.used(nullptr, Begin, 2 * Page, /*Stores=*/false); // the second one is not watched yet
  // A copy that has ended when it returns, whatever its stream.
  TheGpu.Working = {B};
  ApiCalls::Call Copy = {CallKind::Copy, "cudaMemcpy", &NoCaller, B};
  Copy.HostDone = true;
  ApiCalls::Pending P = Calls->before(Copy);
  Watch.given(P.Operation, Begin, Page, /*Writes=*/true);
  Calls->after(P, steadyNs());
  Calls->resumed(P);
  Watch.used(nullptr, Begin, 2 * Page, /*Stores=*/false);
  Watch.finish();
  const profile::Profile Read = read();
  ASSERT_EQ(Read.Uses.size(), 2u);
  EXPECT_EQ(Read.Uses[0].Operation, 1u);
  EXPECT_EQ(Read.Uses[1].Operation, 3u);
  ::munmap(Memory, 2 * Page);
}

} // namespace
} // namespace gmprof::host
