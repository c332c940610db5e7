//===- ArrayTest.cpp - Arrays, textures and surfaces ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include "cpu/Texture.h"
#include <numeric>

using namespace gmprof::test;

namespace {

class Arrays : public Program {
protected:
  Arrays() : Host(24) { std::iota(Host.begin(), Host.end(), 1); }

  cudaArray_t make(size_t Width, size_t Height, unsigned Flags = 0) {
    cudaArray_t Array = nullptr;
    EXPECT_EQ(cudaMallocArray(&Array, &Shorts, Width, Height, Flags), cudaSuccess);
    return Array;
  }
  static cudaResourceDesc resource(cudaArray_t Array) {
    cudaResourceDesc R = {};
    R.resType = cudaResourceTypeArray;
    R.res.array.array = Array;
    return R;
  }

  const cudaChannelFormatDesc Shorts = {16, 0, 0, 0, cudaChannelFormatKindSigned};
  std::vector<short> Host;
};

} // namespace

TEST_F(Arrays, TellWhatTheyAre) {
  cudaArray_t Array = make(4, 3, cudaArraySurfaceLoadStore);
  cudaChannelFormatDesc Format = {};
  cudaExtent Extent = {};
  unsigned Flags = 0;
  ASSERT_EQ(cudaArrayGetInfo(&Format, &Extent, &Flags, Array), cudaSuccess);
  EXPECT_EQ(Format.x, 16);
  EXPECT_EQ(Format.f, cudaChannelFormatKindSigned);
  EXPECT_EQ(Extent.width, 4u);
  EXPECT_EQ(Extent.height, 3u);
  EXPECT_EQ(Extent.depth, 0u);
  EXPECT_EQ(Flags, unsigned(cudaArraySurfaceLoadStore));
  ASSERT_EQ(cudaFreeArray(Array), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(Array), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(nullptr), cudaSuccess);
  EXPECT_EQ(cudaArrayGetInfo(&Format, &Extent, &Flags, Array), cudaErrorInvalidValue);
}

TEST_F(Arrays, AreOfTexelsThatThereAre) {
  cudaArray_t Array = nullptr;
  const cudaChannelFormatDesc Three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned},
                              Unlike = {8, 16, 0, 0, cudaChannelFormatKindUnsigned},
                              None = {32, 0, 0, 0, cudaChannelFormatKindNone};
  for (const cudaChannelFormatDesc &Format : {Three, Unlike, None})
    EXPECT_EQ(cudaMallocArray(&Array, &Format, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaMallocArray(&Array, &Shorts, 0, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(nullptr, &Shorts, 4, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&Array, &Shorts, {4, 4, 5}, cudaArrayCubemap), cudaErrorInvalidValue);
}

TEST_F(Arrays, AreMemoryOfTheDevice) {
  size_t Before = 0, After = 0, Total = 0;
  ASSERT_EQ(cudaMemGetInfo(&Before, &Total), cudaSuccess);
  cudaArray_t Array = nullptr;
  const cudaChannelFormatDesc Bytes = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
  ASSERT_EQ(cudaMalloc3DArray(&Array, &Bytes, {64, 32, 16}, 0), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&After, &Total), cudaSuccess);
  EXPECT_EQ(Before - After, 4u * 64 * 32 * 16);
  ASSERT_EQ(cudaFreeArray(Array), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&After, &Total), cudaSuccess);
  EXPECT_EQ(Before, After);
}

// Rows of 4: 1 2 3 4, 5 6 7 8, 9 10 11 12.
TEST_F(Arrays, AreCopiedByRows) {
  cudaArray_t Array = make(4, 3), Other = make(4, 3);
  ASSERT_EQ(cudaMemcpy2DToArray(Array, 0, 0, Host.data(), 8, 8, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  std::vector<short> Back(4);
  // From the second texel of the second row on: two columns, two rows.
  ASSERT_EQ(cudaMemcpy2DFromArray(Back.data(), 4, Array, 2, 1, 4, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Back, (std::vector<short>{6, 7, 10, 11}));

  ASSERT_EQ(cudaMemcpy2DArrayToArray(Other, 0, 0, Array, 4, 2, 4, 1, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArray(Back.data(), Other, 0, 0, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Back[0], 11);
  EXPECT_EQ(Back[1], 12);

  // All of it, as one run of bytes.
  ASSERT_EQ(cudaMemcpyToArray(Other, 0, 0, Host.data() + 12, 24, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArray(Back.data(), Other, 4, 2, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Back[0], 23);
  EXPECT_EQ(Back[1], 24);
}

TEST_F(Arrays, CopiesStayInside) {
  cudaArray_t Array = make(4, 3);
  auto ToDevice = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy2DToArray(Array, 2, 0, Host.data(), 8, 8, 1, ToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(Array, 0, 1, Host.data(), 8, 8, 3, ToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(Array, 1, 0, Host.data(), 8, 2, 1, ToDevice),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaFreeArray(Array), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2DToArray(Array, 0, 0, Host.data(), 8, 8, 3, ToDevice),
            cudaErrorInvalidValue);
}

// With an array, extents count texels.
TEST_F(Arrays, AreSidesOfBoxes) {
  cudaArray_t Array = make(4, 3);
  cudaMemcpy3DParms P = {};
  P.srcPtr = {Host.data(), 8, 8, 3};
  P.srcPos = {2, 1, 0}; // bytes: the value 6
  P.dstArray = Array;
  P.dstPos = {1, 2, 0};
  P.extent = {3, 1, 1};
  P.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&P), cudaSuccess);
  std::vector<short> Back(3);
  ASSERT_EQ(cudaMemcpy2DFromArray(Back.data(), 6, Array, 2, 2, 6, 1, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Back, (std::vector<short>{6, 7, 8}));
  P.dstPos = {2, 2, 0};
  EXPECT_EQ(cudaMemcpy3D(&P), cudaErrorInvalidValue);
}

TEST_F(Arrays, AsynchronousCopiesTakePageableSourcesAsTheyAre) {
  cudaArray_t Array = make(4, 1);
  cudaStream_t Stream;
  ASSERT_EQ(cudaStreamCreate(&Stream), cudaSuccess);
  makeBusy(Stream);
  ASSERT_EQ(
      cudaMemcpy2DToArrayAsync(Array, 0, 0, Host.data(), 8, 8, 1, cudaMemcpyHostToDevice, Stream),
      cudaSuccess);
  Host[3] = -1;
  open();
  ASSERT_EQ(cudaStreamSynchronize(Stream), cudaSuccess);
  std::vector<short> Back(4);
  ASSERT_EQ(cudaMemcpy2DFromArray(Back.data(), 8, Array, 0, 0, 8, 1, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Back, (std::vector<short>{1, 2, 3, 4}));
}

TEST_F(Arrays, TexturesSayHowTheyAreRead) {
  cudaArray_t Array = make(4, 3);
  const cudaResourceDesc R = resource(Array);
  cudaTextureDesc D = {};
  D.addressMode[0] = cudaAddressModeMirror;
  D.addressMode[1] = cudaAddressModeBorder;
  D.addressMode[2] = cudaAddressModeClamp;
  D.readMode = cudaReadModeNormalizedFloat;
  D.filterMode = cudaFilterModeLinear;
  D.normalizedCoords = 1;
  D.borderColor[3] = 0.5f;
  cudaTextureObject_t Texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaSuccess);
  const auto &T = *reinterpret_cast<const gmprof::cpu::TextureObject *>(Texture);
  EXPECT_EQ(T.Mark, gmprof::cpu::TextureObject::Magic);
  EXPECT_EQ(T.Texels.Width, 4u);
  EXPECT_EQ(T.Texels.Height, 3u);
  EXPECT_EQ(T.Texels.RowBytes, 8u);
  EXPECT_EQ(T.Address[0], gmprof::cpu::AddressMode::Mirror);
  EXPECT_EQ(T.Address[1], gmprof::cpu::AddressMode::Border);
  EXPECT_TRUE(T.Linear && T.Normalized && T.ReadsNormalized);
  EXPECT_EQ(T.Border[3], 0.5f);
  cudaResourceDesc Back = {};
  ASSERT_EQ(cudaGetTextureObjectResourceDesc(&Back, Texture), cudaSuccess);
  EXPECT_EQ(Back.res.array.array, Array);
  ASSERT_EQ(cudaDestroyTextureObject(Texture), cudaSuccess);
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&Back, Texture), cudaErrorInvalidValue);

  // Integers cannot be filtered.
  D.readMode = cudaReadModeElementType;
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaErrorInvalidFilterSetting);
}

TEST_F(Arrays, TexturesAreOfMemoryThatIsThere) {
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeLinear;
  R.res.linear.desc = Shorts;
  R.res.linear.sizeInBytes = 48;
  R.res.linear.devPtr = Host.data();
  const cudaTextureDesc D = {};
  cudaTextureObject_t Texture = 0;
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMalloc(&R.res.linear.devPtr, 47), cudaSuccess);
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaErrorInvalidValue);
  ASSERT_EQ(cudaMalloc(&R.res.linear.devPtr, 48), cudaSuccess);
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaSuccess);
}

TEST_F(Arrays, SurfacesAreOfArraysMadeForThem) {
  cudaSurfaceObject_t Surface = 0;
  cudaResourceDesc R = resource(make(4, 3));
  EXPECT_EQ(cudaCreateSurfaceObject(&Surface, &R), cudaErrorInvalidValue);
  R = resource(make(4, 3, cudaArraySurfaceLoadStore));
  ASSERT_EQ(cudaCreateSurfaceObject(&Surface, &R), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(Surface), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(Surface), cudaErrorInvalidValue);
}
