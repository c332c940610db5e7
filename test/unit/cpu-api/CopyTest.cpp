//===- CopyTest.cpp - Copies and memsets ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include <numeric>

using namespace gmprof::test;

namespace {

class Copies : public Program {
protected:
  Copies() : Host(65536) {
    std::iota(Host.begin(), Host.end(), 0);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), 4096), cudaSuccess);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void **>(&Other), 4096), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(reinterpret_cast<void **>(&Pinned), 4096), cudaSuccess);
  }
  std::vector<unsigned char> Host;
  unsigned char *Device, *Other, *Pinned;
};

} // namespace

TEST_F(Copies, MoveBytes) {
  std::vector<unsigned char> Back(100);
  ASSERT_EQ(cudaMemcpy(Device, Host.data(), 100, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(Other, Device, 100, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(Back.data(), Other, 100, cudaMemcpyDefault), cudaSuccess);
  EXPECT_TRUE(std::equal(Back.begin(), Back.end(), Host.begin()));
}

// Expected results were measured on an H200.
TEST_F(Copies, AreCheckedAsOnAGpu) {
  unsigned char *H = Host.data();
  auto H2D = cudaMemcpyHostToDevice, D2H = cudaMemcpyDeviceToHost, D2D = cudaMemcpyDeviceToDevice,
       H2H = cudaMemcpyHostToHost;
  EXPECT_EQ(cudaMemcpy(nullptr, H, 16, H2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Device, nullptr, 16, H2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, H, 0, H2D), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(Device, H, 16, static_cast<cudaMemcpyKind>(17)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(Device, H, 4097, H2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Device + 1, H, 4096, H2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(H, Device, 4097, D2H), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(H, H + 64, 16, H2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Pinned, H, 16, H2D), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(Device, Other, 16, H2D), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(H, H + 64, 16, D2H), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Device, Other, 16, D2H), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(H, Device, 16, D2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Device, H, 16, D2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Device, H, 16, H2H), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(Device, 16, H, 64, 32, 2, H2D), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(Device, 64, H, 16, 32, 2, H2D), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaSuccess);
  EXPECT_EQ(cudaMemset(H, 0, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(Device, 0, 4097), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(Device, 16, 0, 32, 2), cudaErrorInvalidValue);
  ASSERT_EQ(cudaFree(Device), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(Device, H, 16, H2D), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(Device, 0, 16), cudaErrorInvalidValue);
}

TEST_F(Copies, RowCopiesKeepGaps) {
  ASSERT_EQ(cudaMemset(Device, 0xee, 64), cudaSuccess);
  // Two rows of 3 bytes, from pitch 10 to pitch 8.
  ASSERT_EQ(cudaMemcpy2D(Device, 8, Host.data(), 10, 3, 2, cudaMemcpyHostToDevice), cudaSuccess);
  unsigned char Back[16];
  ASSERT_EQ(cudaMemcpy(Back, Device, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  const unsigned char Expected[16] = {0,  1,  2,  0xee, 0xee, 0xee, 0xee, 0xee,
                                      10, 11, 12, 0xee, 0xee, 0xee, 0xee, 0xee};
  EXPECT_TRUE(std::equal(Back, Back + 16, Expected));
}

TEST_F(Copies, BoxCopiesHonourPositions) {
  cudaMemcpy3DParms P = {};
  P.srcPtr = {Host.data(), 10, 10, 4}; // slices of 40 bytes
  P.srcPos = {1, 2, 1};
  P.dstPtr = {Device, 6, 6, 2}; // slices of 12 bytes
  P.extent = {2, 2, 2};
  P.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemset(Device, 0xee, 24), cudaSuccess);
  ASSERT_EQ(cudaMemcpy3D(&P), cudaSuccess);
  unsigned char Back[24];
  ASSERT_EQ(cudaMemcpy(Back, Device, 24, cudaMemcpyDeviceToHost), cudaSuccess);
  // Source byte of (x, y, z): 40 (z + 1) + 10 (y + 2) + x + 1.
  EXPECT_EQ(Back[0], 61);
  EXPECT_EQ(Back[1], 62);
  EXPECT_EQ(Back[2], 0xee);
  EXPECT_EQ(Back[6], 71);
  EXPECT_EQ(Back[12], 101);
  EXPECT_EQ(Back[19], 112);
  P.extent.height = 3; // more rows than a slice has, though another slice follows
  EXPECT_EQ(cudaMemcpy3D(&P), cudaErrorInvalidValue);
}

TEST_F(Copies, MemsetsFillRowsAndBoxes) {
  ASSERT_EQ(cudaMemset(Device, 0x1ff, 64), cudaSuccess); // the low byte counts
  ASSERT_EQ(cudaMemset2D(Device, 8, 1, 2, 2), cudaSuccess);
  ASSERT_EQ(cudaMemset3D({Device + 16, 8, 8, 2}, 2, {1, 1, 2}), cudaSuccess);
  unsigned char Back[64];
  ASSERT_EQ(cudaMemcpy(Back, Device, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Back[0], 1);
  EXPECT_EQ(Back[1], 1);
  EXPECT_EQ(Back[2], 0xff);
  EXPECT_EQ(Back[9], 1);
  EXPECT_EQ(Back[16], 2);
  EXPECT_EQ(Back[17], 0xff);
  EXPECT_EQ(Back[24], 0xff);
  EXPECT_EQ(Back[32], 2);
}

TEST_F(Copies, ReachVariables) {
  int Values[4] = {0, 0, 0, 0};
  ASSERT_EQ(cudaMemcpyFromSymbol(Values, &Counter, 16, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Values[0], 1);
  EXPECT_EQ(Values[3], 4);
  int New = 30;
  ASSERT_EQ(cudaMemcpyToSymbol(&Counter, &New, 4, 8, cudaMemcpyHostToDevice), cudaSuccess);
  void *Address = nullptr;
  size_t Bytes = 0;
  ASSERT_EQ(cudaGetSymbolAddress(&Address, &Counter), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&Bytes, &Counter), cudaSuccess);
  EXPECT_EQ(Bytes, 16u);
  ASSERT_EQ(cudaMemcpy(Values, Address, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Values[2], 30);
  EXPECT_EQ(Values[3], 4);
  EXPECT_EQ(cudaMemcpyToSymbol(&Counter, Values, 16, 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&Counter, Values, 16, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbol(Values, Values, 16, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
}

TEST_F(Copies, TakePageableSourcesAsTheyAreAtTheCall) {
  cudaStream_t S;
  ASSERT_EQ(cudaStreamCreate(&S), cudaSuccess);
  makeBusy(S);
  ASSERT_EQ(cudaMemcpyAsync(Device, Host.data() + 7, 1, cudaMemcpyHostToDevice, S), cudaSuccess);
  Host[7] = 99;
  Pinned[0] = 5;
  ASSERT_EQ(cudaMemcpyAsync(Other, Pinned, 1, cudaMemcpyHostToDevice, S), cudaSuccess);
  Pinned[0] = 6; // the copy reads the new value
  open();
  ASSERT_EQ(cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(Device[0], 7);
  EXPECT_EQ(Other[0], 6);
}

TEST_F(Copies, CopiesOfFreedMemoryFail) {
  testing::internal::CaptureStderr();
  cudaStream_t S, T;
  ASSERT_EQ(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&T, cudaStreamNonBlocking), cudaSuccess);
  makeBusy(S);
  ASSERT_EQ(cudaMemcpyAsync(Device, Other, 16, cudaMemcpyDeviceToDevice, S), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(Other, T), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(T), cudaSuccess);
  open();
  EXPECT_EQ(cudaStreamSynchronize(S), cudaErrorIllegalAddress);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: an asynchronous copy found its memory freed when it ran\n");
}
