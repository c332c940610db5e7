//===- StreamsTest.cpp - Streams, events and waits in the log -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/RuntimeApi.h"

namespace gmprof::host {
namespace {

using log::OrderKind;

class StreamsTest : public HostTest {};

struct Expected {
  OrderKind Kind;
  uint64_t Stream, Event;
  bool NonBlocking, HasPath;

  bool operator==(const Expected &) const = default;
};

uint64_t number(const void *Handle) { return reinterpret_cast<uint64_t>(Handle); }

std::vector<Expected> orders(const profile::Profile &P) {
  std::vector<Expected> All;
  for (const profile::Order &O : P.Orders)
    All.push_back({O.Kind, O.Stream, O.Event, O.NonBlocking, O.CallPath != profile::None});
  return All;
}

TEST_F(StreamsTest, EveryForm) {
  const auto Event = reinterpret_cast<cudaEvent_t>(0xe0);
  cudaStream_t A, B, C;
  cudaSetDevice(1);
  EXPECT_EQ(cudaStreamCreate(&A), cudaSuccess);
  EXPECT_EQ(cudaStreamCreateWithFlags(&B, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaStreamCreateWithPriority(&C, cudaStreamDefault, -1), cudaSuccess);
  cudaEventRecord(Event, A);
  cudaEventRecord_ptsz(Event, nullptr);
  cudaEventRecordWithFlags(Event, B, 0);
  cudaEventRecordWithFlags_ptsz(Event, B, 0);
  cudaStreamWaitEvent(nullptr, Event, 0);
  cudaStreamWaitEvent_ptsz(nullptr, Event, 0);
  cudaStreamSynchronize(A);
  cudaStreamSynchronize_ptsz(nullptr);
  cudaEventSynchronize(Event);
  cudaDeviceSynchronize();
  cudaEventDestroy(Event);
  cudaStreamDestroy(C);
  profile::Profile P = finish();
  const uint64_t E = 0xe0, PerThread = 2;
  EXPECT_EQ(orders(P),
            (std::vector<Expected>{{OrderKind::StreamCreated, number(A), 0, false, false},
                                   {OrderKind::StreamCreated, number(B), 0, true, false},
                                   {OrderKind::StreamCreated, number(C), 0, false, false},
                                   {OrderKind::EventRecorded, number(A), E, false, false},
                                   {OrderKind::EventRecorded, PerThread, E, false, false},
                                   {OrderKind::EventRecorded, number(B), E, false, false},
                                   {OrderKind::EventRecorded, number(B), E, false, false},
                                   {OrderKind::StreamWaitsEvent, 0, E, false, false},
                                   {OrderKind::StreamWaitsEvent, PerThread, E, false, false},
                                   {OrderKind::StreamSynchronized, number(A), 0, false, true},
                                   {OrderKind::StreamSynchronized, PerThread, 0, false, true},
                                   {OrderKind::EventSynchronized, 0, E, false, true},
                                   {OrderKind::DeviceSynchronized, 0, 0, false, true},
                                   {OrderKind::EventDestroyed, 0, E, false, false},
                                   {OrderKind::StreamDestroyed, number(C), 0, false, false}}));
  for (const profile::Order &O : P.Orders) {
    EXPECT_EQ(O.Device, 1u);
    EXPECT_EQ(O.Thread, static_cast<uint32_t>(gettid()));
    EXPECT_NE(O.BeginNs, 0u);
    EXPECT_LE(O.BeginNs, O.EndNs);
  }
}

TEST_F(StreamsTest, FailuresChangeNothing) {
  cudaStream_t A;
  cudaStreamCreate(&A);
  fake::fail("cudaStreamCreate", cudaErrorMemoryAllocation);
  fake::fail("cudaEventRecord", cudaErrorInvalidResourceHandle);
  fake::fail("cudaStreamSynchronize", cudaErrorIllegalAddress);
  cudaStream_t B;
  EXPECT_EQ(cudaStreamCreate(&B), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaEventRecord(nullptr, A), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamSynchronize(A), cudaErrorIllegalAddress);
  EXPECT_EQ(finish().Orders.size(), 1u);
}

TEST_F(StreamsTest, CapturedOperationsOrderNothing) {
  cudaStream_t A;
  cudaStreamCreate(&A);
  cudaStreamBeginCapture(A, cudaStreamCaptureModeGlobal);
  cudaEventRecord(nullptr, A);
  cudaStreamWaitEvent(A, nullptr, 0);
  cudaGraph_t Graph;
  cudaStreamEndCapture(A, &Graph);
  cudaEventRecord(nullptr, A);
  profile::Profile P = finish();
  ASSERT_EQ(P.Orders.size(), 2u);
  EXPECT_EQ(P.Orders[1].Kind, OrderKind::EventRecorded);
}

// No work exists that could be ordered.
TEST_F(StreamsTest, EventsDoNotBeginTheSession) {
  cudaEventRecord(nullptr, nullptr);
  cudaDeviceSynchronize();
  EXPECT_EQ(Session::current(), nullptr);
}

} // namespace
} // namespace gmprof::host
