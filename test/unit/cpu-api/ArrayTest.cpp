//===- ArrayTest.cpp - Arrays, textures and surfaces ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include "cpu/Texture.h"
#include <bit>
#include <cmath>
#include <cstring>
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

TEST_F(Arrays, ReturnTheirDescription) {
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

// Rows of four: 1 2 3 4, 5 6 7 8, 9 10 11 12.
TEST_F(Arrays, AreCopiedByRows) {
  cudaArray_t Array = make(4, 3), Other = make(4, 3);
  ASSERT_EQ(cudaMemcpy2DToArray(Array, 0, 0, Host.data(), 8, 8, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  std::vector<short> Back(4);
  // Two columns and two rows from the second texel of the second row on.
  ASSERT_EQ(cudaMemcpy2DFromArray(Back.data(), 4, Array, 2, 1, 4, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(Back, (std::vector<short>{6, 7, 10, 11}));

  ASSERT_EQ(cudaMemcpy2DArrayToArray(Other, 0, 0, Array, 4, 2, 4, 1, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArray(Back.data(), Other, 0, 0, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Back[0], 11);
  EXPECT_EQ(Back[1], 12);

  // All texels as one run of bytes.
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

// If an array takes part, extents count texels.
TEST_F(Arrays, AreSidesOfBoxes) {
  cudaArray_t Array = make(4, 3);
  cudaMemcpy3DParms P = {};
  P.srcPtr = {Host.data(), 8, 8, 3};
  P.srcPos = {2, 1, 0}; // in bytes: the value 6
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
  cudaResourceDesc Back = {};
  ASSERT_EQ(cudaGetTextureObjectResourceDesc(&Back, Texture), cudaSuccess);
  EXPECT_EQ(Back.res.array.array, Array);
  ASSERT_EQ(cudaDestroyTextureObject(Texture), cudaSuccess);
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&Back, Texture), cudaErrorInvalidValue);

  // Integers cannot be filtered.
  D.readMode = cudaReadModeElementType;
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaErrorInvalidFilterSetting);
}

TEST_F(Arrays, IntegersOf32BitsAreNoFractions) {
  cudaArray_t Array = nullptr;
  const cudaChannelFormatDesc Ints = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  ASSERT_EQ(cudaMallocArray(&Array, &Ints, 4, 3), cudaSuccess);
  const cudaResourceDesc R = resource(Array);
  cudaTextureDesc D = {};
  D.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t Texture = 0;
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaErrorInvalidNormSetting);
  D.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaErrorInvalidFilterSetting);
}

namespace {

/// Returns the first channel of a texture's border color as stored.
template <typename T>
T borderOf(const cudaChannelFormatDesc &Format, cudaTextureReadMode Read, float Color) {
  cudaArray_t Array = nullptr;
  EXPECT_EQ(cudaMallocArray(&Array, &Format, 4, 3), cudaSuccess);
  cudaResourceDesc R = {};
  R.resType = cudaResourceTypeArray;
  R.res.array.array = Array;
  cudaTextureDesc D = {};
  D.readMode = Read;
  D.borderColor[0] = Color;
  cudaTextureObject_t Texture = 0;
  EXPECT_EQ(cudaCreateTextureObject(&Texture, &R, &D, nullptr), cudaSuccess);
  T Channel = {};
  std::memcpy(&Channel, reinterpret_cast<const gmprof::cpu::TextureObject *>(Texture)->Border,
              sizeof(T));
  return Channel;
}

} // namespace

TEST_F(Arrays, BordersAreTexels) {
  const cudaChannelFormatDesc Bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned},
                              SignedBytes = {8, 0, 0, 0, cudaChannelFormatKindSigned},
                              Words = {16, 0, 0, 0, cudaChannelFormatKindUnsigned},
                              Halves = {16, 0, 0, 0, cudaChannelFormatKindFloat},
                              Floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  const auto Fraction = cudaReadModeNormalizedFloat;
  const auto Element = cudaReadModeElementType;
  // 19660.5 and 65.535 of 65535 are truncated; their upper bytes are 76 and 0.
  EXPECT_EQ(borderOf<uint16_t>(Words, Fraction, 0.3f), 19660);
  EXPECT_EQ(borderOf<uint16_t>(Words, Fraction, 0.001f), 65);
  EXPECT_EQ(borderOf<uint8_t>(Bytes, Fraction, 0.3f), 76);
  EXPECT_EQ(borderOf<uint8_t>(Bytes, Fraction, 0.001f), 0);
  EXPECT_EQ(borderOf<uint8_t>(Bytes, Fraction, 2), 255);
  EXPECT_EQ(borderOf<uint8_t>(Bytes, Fraction, -2), 0);
  EXPECT_EQ(borderOf<uint8_t>(Bytes, Fraction, NAN), 0);
  // 32.767 and 9830.1 of 32767 are rounded.
  EXPECT_EQ(borderOf<int16_t>(Shorts, Fraction, 0.001f), 33);
  EXPECT_EQ(borderOf<int16_t>(Shorts, Fraction, -0.3f), -9830);
  EXPECT_EQ(borderOf<int8_t>(SignedBytes, Fraction, -0.3f), -38);
  EXPECT_EQ(borderOf<int8_t>(SignedBytes, Fraction, -7), -127);
  // For element reads the color is an integer, whose lower bits are kept.
  EXPECT_EQ(borderOf<uint8_t>(Bytes, Element, std::bit_cast<float>(300)), 44);
  EXPECT_EQ(borderOf<int16_t>(Shorts, Element, std::bit_cast<float>(40000)), -25536);
  EXPECT_EQ(borderOf<float>(Floats, Element, 0.3f), 0.3f);
  // Truncated: 0x1.333334p-2, a value beyond the largest half, and 1.7 times the smallest one.
  EXPECT_EQ(borderOf<uint16_t>(Halves, Element, 0.3f), 0x34cc);
  EXPECT_EQ(borderOf<uint16_t>(Halves, Element, -70000), 0xfbff);
  EXPECT_EQ(borderOf<uint16_t>(Halves, Element, 1e-7f), 0x0001);
  EXPECT_EQ(borderOf<uint16_t>(Halves, Element, INFINITY), 0x7c00);
}

// The largest extents are those that the device's properties report.
TEST_F(Arrays, AreNotTooLarge) {
  const cudaChannelFormatDesc Bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  const auto Make = [&](cudaExtent Extent, unsigned Flags = 0) {
    cudaArray_t Array = nullptr;
    const cudaError_t Error = cudaMalloc3DArray(&Array, &Bytes, Extent, Flags);
    EXPECT_EQ(cudaFreeArray(Array), cudaSuccess);
    return Error;
  };
  const auto TooLarge = cudaErrorInvalidValue;
  EXPECT_EQ(Make({131072, 0, 0}), cudaSuccess);
  EXPECT_EQ(Make({131073, 0, 0}), TooLarge);
  EXPECT_EQ(Make({32769, 0, 0}, cudaArraySurfaceLoadStore), TooLarge);
  EXPECT_EQ(Make({131072, 1, 0}), cudaSuccess);
  EXPECT_EQ(Make({131073, 1, 0}), TooLarge);
  EXPECT_EQ(Make({1, 65537, 0}), TooLarge);
  EXPECT_EQ(Make({32769, 1, 0}, cudaArrayTextureGather), TooLarge);
  EXPECT_EQ(Make({4, 0, 0}, cudaArrayTextureGather), cudaErrorInvalidValue);
  EXPECT_EQ(Make({16384, 1, 1}), cudaSuccess);
  EXPECT_EQ(Make({1, 16385, 1}), TooLarge);
  EXPECT_EQ(Make({1, 1, 32768}), cudaSuccess); // the other extents are at most 8192
  EXPECT_EQ(Make({1, 1, 16385}, cudaArraySurfaceLoadStore), TooLarge);
  EXPECT_EQ(Make({4, 0, 4}), cudaErrorInvalidValue);
  EXPECT_EQ(Make({4, 0, 2048}, cudaArrayLayered), cudaSuccess);
  EXPECT_EQ(Make({4, 0, 2049}, cudaArrayLayered), TooLarge);
  EXPECT_EQ(Make({4, 4, 0}, cudaArrayLayered), cudaErrorInvalidValue);
  EXPECT_EQ(Make({32769, 1, 4}, cudaArrayLayered), TooLarge);
  EXPECT_EQ(Make({4, 4, 2046}, cudaArrayCubemap | cudaArrayLayered), cudaSuccess);
  EXPECT_EQ(Make({4, 4, 2052}, cudaArrayCubemap | cudaArrayLayered), TooLarge);
  EXPECT_EQ(Make({4, 4, 12}, cudaArrayCubemap), cudaErrorInvalidValue);
}

namespace {

/// Fixture for textures in linear and pitched memory.
class TexelsInMemory : public Arrays {
protected:
  cudaError_t linear(const void *At, size_t Bytes) {
    cudaResourceDesc R = {};
    R.resType = cudaResourceTypeLinear;
    R.res.linear = {const_cast<void *>(At), Shorts, Bytes};
    return create(R);
  }
  cudaError_t pitched(const void *At, size_t Width, size_t Height, size_t Pitch) {
    cudaResourceDesc R = {};
    R.resType = cudaResourceTypePitch2D;
    R.res.pitch2D = {const_cast<void *>(At), Shorts, Width, Height, Pitch};
    return create(R);
  }
  const gmprof::cpu::TextureObject &object() const {
    return *reinterpret_cast<const gmprof::cpu::TextureObject *>(Texture);
  }

private:
  cudaError_t create(const cudaResourceDesc &R) {
    const cudaTextureDesc D = {};
    return cudaCreateTextureObject(&Texture, &R, &D, nullptr);
  }
  cudaTextureObject_t Texture = 0;
};

} // namespace

TEST_F(TexelsInMemory, BeginsWhereTexturesMay) {
  void *Start = nullptr;
  ASSERT_EQ(cudaMalloc(&Start, 2048), cudaSuccess);
  const char *Data = static_cast<char *>(Start);
  EXPECT_EQ(linear(Data, 48), cudaSuccess);
  EXPECT_EQ(linear(Data + 4, 48), cudaErrorInvalidValue);
  EXPECT_EQ(linear(Data + 256, 48), cudaErrorInvalidValue);
  EXPECT_EQ(linear(Data + 512, 48), cudaSuccess);
  EXPECT_EQ(linear(nullptr, 48), cudaErrorInvalidValue);
  EXPECT_EQ(pitched(Data, 4, 4, 32), cudaSuccess);
  EXPECT_EQ(pitched(Data + 32, 4, 4, 32), cudaErrorInvalidValue);
  EXPECT_EQ(pitched(Data, 4, 4, 48), cudaErrorInvalidValue);
  EXPECT_EQ(pitched(Data, 4, 65000, 32), cudaSuccess);
  EXPECT_EQ(pitched(Data, 4, 65001, 32), cudaErrorInvalidValue);
}

TEST_F(TexelsInMemory, RegisteredHostMemoryIsReadInPlace) {
  alignas(512) static short OfHost[512] = {};
  ASSERT_EQ(cudaHostRegister(OfHost + 8, 1000, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(linear(OfHost + 8, 48), cudaErrorInvalidValue);
  EXPECT_EQ(linear(OfHost + 256, 48), cudaSuccess);
  EXPECT_FALSE(object().OfHost);
  EXPECT_EQ(cudaHostUnregister(OfHost + 8), cudaSuccess);
}

TEST_F(TexelsInMemory, MayBeThereOrNot) {
  alignas(512) static const short OfHost[24] = {};
  void *Data = nullptr;
  ASSERT_EQ(cudaMalloc(&Data, 64), cudaSuccess);
  EXPECT_EQ(linear(OfHost, 48), cudaSuccess);
  EXPECT_TRUE(object().OfHost);
  EXPECT_EQ(linear(Data, 0), cudaSuccess);
  EXPECT_EQ(linear(Data, 1 << 20), cudaSuccess);
  EXPECT_FALSE(object().OfHost);
  EXPECT_EQ(object().Texels.Width, 1u << 19);
}

TEST_F(Arrays, SurfacesAreOfArrays) {
  cudaSurfaceObject_t Surface = 0;
  cudaResourceDesc R = resource(nullptr);
  EXPECT_EQ(cudaCreateSurfaceObject(&Surface, &R), cudaErrorInvalidValue);
  // Arrays that were not created for surfaces are accepted too.
  R = resource(make(4, 3));
  ASSERT_EQ(cudaCreateSurfaceObject(&Surface, &R), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(Surface), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(Surface), cudaErrorInvalidValue);
}
