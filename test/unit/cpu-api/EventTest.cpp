//===- EventTest.cpp - Events ---------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

using namespace gmprof::test;

namespace {

class Events : public Program {
protected:
  Events() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&A, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&B, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&First), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&Second), cudaSuccess);
  }
  cudaStream_t A, B;
  cudaEvent_t First, Second;
  float Time = -1;
};

} // namespace

TEST_F(Events, HandlesAndFlagsAreChecked) {
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventCreateWithFlags(&First, 0x80), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(A, nullptr, 0), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(Second), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(Second, A), cudaErrorInvalidResourceHandle);
}

TEST_F(Events, NeverRecordedAreDone) {
  EXPECT_EQ(cudaEventQuery(First), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(First), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(A, First, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(A), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&Time, First, Second), cudaErrorInvalidResourceHandle);
}

TEST_F(Events, AreDoneWhenTheWorkBeforeThemIs) {
  makeBusy(A);
  ASSERT_EQ(cudaEventRecord(First, A), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(Second, B), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(First), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(Second), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&Time, Second, First), cudaErrorNotReady);
  EXPECT_TRUE(waits([&] { cudaEventSynchronize(First); }));
  EXPECT_TRUE(ended());
  EXPECT_EQ(cudaEventQuery(First), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&Time, Second, First), cudaSuccess);
  EXPECT_GT(Time, 0);
}

TEST_F(Events, WithoutTimingHaveNoTime) {
  cudaEvent_t Untimed;
  ASSERT_EQ(cudaEventCreateWithFlags(&Untimed, cudaEventDisableTiming), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(First, A), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(Untimed, A), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&Time, First, Untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(nullptr, First, First), cudaErrorInvalidValue);
}

TEST_F(Events, OrderStreams) {
  int *Cell;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 4, cudaMemAttachGlobal),
            cudaSuccess);
  makeBusy(A);
  ASSERT_EQ(store(Cell, 1, A), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(First, A), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(B, First, 0), cudaSuccess);
  // Later records of the event do not change what the stream waits for.
  ASSERT_EQ(cudaEventRecord(First, nullptr), cudaSuccess);
  ASSERT_EQ(store(Cell, 2, B), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(B), cudaErrorNotReady);
  ASSERT_EQ(cudaEventDestroy(First), cudaSuccess);
  open();
  ASSERT_EQ(cudaStreamSynchronize(B), cudaSuccess);
  EXPECT_EQ(*Cell, 2);
}
