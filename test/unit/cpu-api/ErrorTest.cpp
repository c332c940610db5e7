//===- ErrorTest.cpp - Error codes and the last error ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

using namespace gmprof::test;

TEST(Errors, HaveNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(720)),
               "cudaErrorCooperativeLaunchTooLarge");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(Errors, LastOneIsKeptUntilTaken) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  int Count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&Count), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Errors, LastOneIsEachThreadsOwn) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

using Failures = Program;

TEST_F(Failures, NotReadyIsNoError) {
  makeBusy(nullptr);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Failures, KernelFailuresPersist) {
  testing::internal::CaptureStderr();
  void *Memory = nullptr;
  ASSERT_EQ(cudaMalloc(&Memory, 16), cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(&Fail, 1, 1, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "gmprof: the kernel read 0x10\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  // Calls that an H200 refuses from then on, and calls that it still answers.
  cudaStream_t Stream;
  EXPECT_EQ(cudaStreamCreate(&Stream), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFree(Memory), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaLaunchKernel(&Nothing, 1, 1, nullptr, 0, nullptr), cudaErrorIllegalAddress);
  void *Address;
  EXPECT_EQ(cudaGetSymbolAddress(&Address, &Counter), cudaErrorIllegalAddress);
  int Value;
  cudaPointerAttributes Attributes;
  EXPECT_EQ(cudaGetDevice(&Value), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetAttribute(&Value, cudaDevAttrWarpSize, 0), cudaSuccess);
  EXPECT_EQ(cudaPointerGetAttributes(&Attributes, Memory), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&Memory, 16), cudaSuccess);
}

TEST_F(Failures, KeepLaterWorkFromRunning) {
  testing::internal::CaptureStderr();
  static std::atomic<int> Runs;
  Runs = 0;
  makeBusy(nullptr);
  cudaLaunchKernel(&Fail, 1, 1, nullptr, 0, nullptr);
  cudaLaunchHostFunc(nullptr, [](void *) { ++Runs; }, nullptr);
  cudaStreamAddCallback(
      nullptr,
      [](cudaStream_t, cudaError_t Status, void *) {
        Runs += Status == cudaErrorIllegalAddress ? 10 : 1000;
      },
      nullptr, 0);
  open();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(Runs, 10);
  testing::internal::GetCapturedStderr();
}

TEST_F(Failures, UnsupportedFunctionsSayWhichOnce) {
  testing::internal::CaptureStderr();
  cudaMipmappedArray_t Array;
  cudaChannelFormatDesc Description =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  EXPECT_EQ(Description.x, 32);
  EXPECT_EQ(Description.f, cudaChannelFormatKindFloat);
  const cudaExtent Extent = {4, 4, 0};
  EXPECT_EQ(cudaMallocMipmappedArray(&Array, &Description, Extent, 2, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaMallocMipmappedArray(&Array, &Description, Extent, 2, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: the CPU device does not support cudaMallocMipmappedArray yet; run the program "
            "on a GPU\n");
}

/// Results are those that CUDA's guide specifies for devices without these features.
TEST_F(Failures, SharingWithOthersIsNotSupported) {
  testing::internal::CaptureStderr();
  void *Memory = nullptr;
  ASSERT_EQ(cudaMalloc(&Memory, 64), cudaSuccess);
  cudaEvent_t Event;
  ASSERT_EQ(cudaEventCreateWithFlags(&Event, cudaEventDisableTiming | cudaEventInterprocess),
            cudaSuccess);
  int Supported = 1;
  EXPECT_EQ(cudaDeviceGetAttribute(&Supported, cudaDevAttrIpcEventSupport, 0), cudaSuccess);
  EXPECT_EQ(Supported, 0);
  cudaIpcMemHandle_t OfMemory = {};
  EXPECT_EQ(cudaIpcGetMemHandle(&OfMemory, Memory), cudaErrorNotSupported);
  EXPECT_EQ(cudaIpcOpenMemHandle(&Memory, OfMemory, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorNotSupported);
  EXPECT_EQ(cudaIpcCloseMemHandle(Memory), cudaErrorNotSupported);
  cudaIpcEventHandle_t OfEvent = {};
  EXPECT_EQ(cudaIpcGetEventHandle(&OfEvent, Event), cudaErrorNotSupported);
  EXPECT_EQ(cudaIpcOpenEventHandle(&Event, OfEvent), cudaErrorNotSupported);
  cudaExternalMemory_t ExternalMemory;
  const cudaExternalMemoryHandleDesc MemoryOf = {};
  EXPECT_EQ(cudaImportExternalMemory(&ExternalMemory, &MemoryOf), cudaErrorNotSupported);
  cudaExternalSemaphore_t Semaphore;
  const cudaExternalSemaphoreHandleDesc SemaphoreOf = {};
  EXPECT_EQ(cudaImportExternalSemaphore(&Semaphore, &SemaphoreOf), cudaErrorNotSupported);
  testing::internal::GetCapturedStderr();
}
