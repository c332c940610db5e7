//===- DeviceTest.cpp - Devices -------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include "cpu/api/Options.h"
#include <cstdlib>

TEST(Devices, DefaultIsSm90) {
  int Count = 0, Value = 0;
  EXPECT_EQ(cudaGetDeviceCount(&Count), cudaSuccess);
  EXPECT_EQ(Count, 1);
  cudaDeviceProp P;
  ASSERT_EQ(cudaGetDeviceProperties(&P, 0), cudaSuccess);
  EXPECT_STREQ(P.name, "GMProf CPU device (sm_90)");
  EXPECT_EQ(P.major, 9);
  EXPECT_EQ(P.minor, 0);
  EXPECT_EQ(P.warpSize, 32);
  EXPECT_EQ(P.sharedMemPerBlock, 49152u);
  EXPECT_EQ(P.sharedMemPerBlockOptin, 232448u);
  EXPECT_EQ(P.sharedMemPerMultiprocessor, 233472u);
  EXPECT_EQ(P.totalGlobalMem, size_t(8) << 30);
  EXPECT_EQ(cudaDeviceGetAttribute(&Value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  EXPECT_EQ(Value, 9);
  EXPECT_EQ(cudaDeviceGetAttribute(&Value, cudaDevAttrMaxBlockDimZ, 0), cudaSuccess);
  EXPECT_EQ(Value, 64);
  EXPECT_EQ(cudaDeviceGetAttribute(&Value, static_cast<cudaDeviceAttr>(9999), 0),
            cudaErrorInvalidValue);
}

TEST(Devices, AnswersEveryAttribute) {
  for (int A = cudaDevAttrMaxThreadsPerBlock; A <= cudaDevAttrMaxTexture3DHeightAlt; ++A) {
    int Value = -1;
    if (A == 44) // not an attribute
      continue;
    EXPECT_EQ(cudaDeviceGetAttribute(&Value, static_cast<cudaDeviceAttr>(A), 0), cudaSuccess) << A;
  }
}

TEST(Devices, ArchitectureAndNumberAreSelectable) {
  setenv("GMPROF_CPU_ARCH", "sm_80", 1);
  setenv("GMPROF_CPU_DEVICES", "3", 1);
  setenv("GMPROF_CPU_MEMORY", "64M", 1);
  int Count = 0, Can = 0;
  EXPECT_EQ(cudaGetDeviceCount(&Count), cudaSuccess);
  EXPECT_EQ(Count, 3);
  cudaDeviceProp P;
  EXPECT_EQ(cudaGetDeviceProperties(&P, 2), cudaSuccess);
  EXPECT_EQ(P.major, 8);
  EXPECT_EQ(P.multiProcessorCount, 108);
  EXPECT_EQ(P.totalGlobalMem, size_t(64) << 20);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&Can, 0, 1), cudaSuccess);
  EXPECT_EQ(Can, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
  int Current = -1;
  EXPECT_EQ(cudaGetDevice(&Current), cudaSuccess);
  EXPECT_EQ(Current, 2);
}

TEST(Devices, SettingsThatCannotBeReadAreReported) {
  testing::internal::CaptureStderr();
  setenv("GMPROF_CPU_DEVICES", "many", 1);
  EXPECT_EQ(gmprof::cpu::api::Options::fromEnvironment().Devices, 1u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: GMPROF_CPU_DEVICES=many is not a number from 1 to 16; using 1\n");
}

TEST(Devices, OnePeerIsNone) {
  int Can = 7;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&Can, 0, 0), cudaSuccess);
  EXPECT_EQ(Can, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
}

TEST(Devices, KeepLimits) {
  size_t Value = 0;
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 12345678), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&Value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(Value, 12345678u);
  EXPECT_EQ(cudaDeviceGetLimit(&Value, static_cast<cudaLimit>(77)), cudaErrorUnsupportedLimit);
  int Driver = 0, Runtime = 0;
  EXPECT_EQ(cudaDriverGetVersion(&Driver), cudaSuccess);
  EXPECT_EQ(cudaRuntimeGetVersion(&Runtime), cudaSuccess);
  EXPECT_EQ(Driver, 13000);
  EXPECT_EQ(Runtime, 13000);
}
