//===- StreamTest.cpp - Streams -------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

using namespace gmprof::test;

namespace {

class Streams : public Program {
protected:
  Streams() {
    EXPECT_EQ(cudaStreamCreate(&A), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&B), cudaSuccess);
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 64, cudaMemAttachGlobal),
              cudaSuccess);
  }
  cudaStream_t A, B;
  int *Cell;
};

} // namespace

TEST_F(Streams, HandlesAreChecked) {
  cudaStream_t S;
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreateWithFlags(&S, 7), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(A), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(A), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamQuery(A), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(store(Cell, 1, A), cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, KnowTheirProperties) {
  int Least, Greatest, Priority;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&Least, &Greatest), cudaSuccess);
  EXPECT_EQ(Least, 0);
  EXPECT_EQ(Greatest, -5);
  cudaStream_t S;
  ASSERT_EQ(cudaStreamCreateWithPriority(&S, cudaStreamNonBlocking, -100), cudaSuccess);
  ASSERT_EQ(cudaStreamGetPriority(S, &Priority), cudaSuccess);
  EXPECT_EQ(Priority, -5);
  unsigned Flags;
  ASSERT_EQ(cudaStreamGetFlags(S, &Flags), cudaSuccess);
  EXPECT_EQ(Flags, unsigned(cudaStreamNonBlocking));
  unsigned long long IdA, IdB;
  ASSERT_EQ(cudaStreamGetId(A, &IdA), cudaSuccess);
  ASSERT_EQ(cudaStreamGetId(B, &IdB), cudaSuccess);
  EXPECT_NE(IdA, IdB);
}

TEST_F(Streams, QueryReportsPendingWork) {
  EXPECT_EQ(cudaStreamQuery(A), cudaSuccess);
  makeBusy(A);
  EXPECT_EQ(cudaStreamQuery(A), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(B), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady); // blocking streams count
  open();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(A), cudaSuccess);
}

TEST_F(Streams, KeepTheOrderOfTheirWork) {
  makeBusy(A);
  for (int I = 1; I <= 100; ++I)
    ASSERT_EQ(store(Cell, I, A), cudaSuccess);
  EXPECT_EQ(*Cell, 0);
  open();
  ASSERT_EQ(cudaStreamSynchronize(A), cudaSuccess);
  EXPECT_EQ(*Cell, 100);
}

TEST_F(Streams, RunConcurrently) {
  makeBusy(A);
  ASSERT_EQ(store(Cell, 5, B), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(B), cudaSuccess);
  EXPECT_EQ(*Cell, 5);
}

TEST_F(Streams, WorkOfADestroyedStreamIsFinished) {
  makeBusy(A);
  ASSERT_EQ(store(Cell, 6, A), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(A), cudaSuccess);
  open();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*Cell, 6);
}

TEST_F(Streams, TheLegacyStreamComesAfterAndBeforeBlockingOnes) {
  makeBusy(A);
  ASSERT_EQ(store(Cell, 1, nullptr), cudaSuccess); // after A's kernel
  ASSERT_EQ(store(Cell + 1, 2, B), cudaSuccess);   // after the legacy stream's
  EXPECT_EQ(cudaStreamQuery(B), cudaErrorNotReady);
  EXPECT_EQ(Cell[1], 0);
  open();
  ASSERT_EQ(cudaStreamSynchronize(B), cudaSuccess);
  EXPECT_EQ(Cell[0], 1);
  EXPECT_EQ(Cell[1], 2);
}

TEST_F(Streams, HostFunctionsRunInTurnWithoutTheApi) {
  struct Seen {
    int *Cell;
    int Value = -1;
    cudaError_t Inside = cudaSuccess;
  } S{Cell};
  ASSERT_EQ(store(Cell, 8, A), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(
                A,
                [](void *Data) {
                  auto *S = static_cast<Seen *>(Data);
                  S->Value = *S->Cell;
                  void *P;
                  S->Inside = cudaMalloc(&P, 16);
                },
                &S),
            cudaSuccess);
  ASSERT_EQ(store(Cell, 9, A), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(A), cudaSuccess);
  EXPECT_EQ(S.Value, 8);
  EXPECT_EQ(S.Inside, cudaErrorNotPermitted);
  EXPECT_EQ(cudaLaunchHostFunc(A, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(Streams, CallbacksGetTheirStream) {
  static cudaStream_t Got;
  static cudaError_t Status;
  ASSERT_EQ(cudaStreamAddCallback(
                A, [](cudaStream_t S, cudaError_t E, void *) { Got = S, Status = E; }, nullptr, 0),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(A), cudaSuccess);
  EXPECT_EQ(Got, A);
  EXPECT_EQ(Status, cudaSuccess);
}

TEST_F(Streams, HostFunctionsMayWaitForOtherStreams) {
  static std::latch Both{2};
  auto Meet = [](void *) { Both.arrive_and_wait(); };
  ASSERT_EQ(cudaLaunchHostFunc(A, Meet, nullptr), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(B, Meet, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Streams, ManyThreadsMaySubmit) {
  std::vector<std::thread> Threads;
  int *Cells;
  ASSERT_EQ(
      cudaMallocManaged(reinterpret_cast<void **>(&Cells), 16 * sizeof(int), cudaMemAttachGlobal),
      cudaSuccess);
  for (int T = 0; T != 8; ++T)
    Threads.emplace_back([&, T] {
      cudaStream_t Own;
      ASSERT_EQ(cudaStreamCreate(&Own), cudaSuccess);
      for (int I = 1; I <= 50; ++I) {
        ASSERT_EQ(store(Cells + T, I, Own), cudaSuccess);
        ASSERT_EQ(store(Cell + T, I, nullptr), cudaSuccess);
        ASSERT_EQ(store(Cells + 8 + T, -I, cudaStreamPerThread), cudaSuccess);
      }
      ASSERT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
      ASSERT_EQ(store(Cells + T, T, Own), cudaSuccess);
      ASSERT_EQ(cudaStreamDestroy(Own), cudaSuccess);
    });
  for (std::thread &T : Threads)
    T.join();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int T = 0; T != 8; ++T) {
    EXPECT_EQ(Cells[T], T);
    EXPECT_EQ(Cells[8 + T], -50);
    EXPECT_EQ(Cell[T], 50);
  }
}
