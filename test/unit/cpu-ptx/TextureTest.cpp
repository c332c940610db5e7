//===- TextureTest.cpp - PTX's texture and surface instructions -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values follow the CUDA C++ Programming Guide, "Texture Fetching", with the details that
// TextureHelpers.cpp adds. Textures in CUDA C++ are tested by test/host/Inputs/textures.cu.
//
//===----------------------------------------------------------------------===//

#include "cpu/Texture.h"
#include "Harness.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>

using namespace gmprof::cpu;
using namespace gmprof::cpu::test;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

/// A texture of two rows: 10 20 30 and 40 50 60.
struct Picture {
  float Texels[6] = {10, 20, 30, 40, 50, 60};
  TextureObject Object;

  Picture() {
    TexelMemory &T = Object.Texels;
    T.Data = reinterpret_cast<char *>(Texels);
    T.Width = 3;
    T.Height = 2;
    T.RowBytes = 12;
    T.SliceBytes = 24;
    T.Format = TexelFormat::Float;
    T.ChannelBytes = 4;
    for (AddressMode &Mode : Object.Address)
      Mode = AddressMode::Clamp;
  }
  /// Replaces the texels by one row of this format, with linear filtering.
  template <typename T> Picture(TexelFormat Format, std::initializer_list<T> Row) : Picture() {
    std::copy(Row.begin(), Row.end(), reinterpret_cast<T *>(Texels));
    Object.Texels.Format = Format;
    Object.Texels.ChannelBytes = sizeof(T);
    Object.Texels.Width = uint32_t(Row.size());
    Object.Texels.Height = 1;
    Object.ReadsNormalized = Format != TexelFormat::Float;
    Object.Linear = true;
  }
  void border(float Value) { std::memcpy(Object.Border, &Value, sizeof(Value)); }
  U128 handle() const { return reinterpret_cast<uint64_t>(&Object); }

  float at(float X, float Y) const {
    static const Compiled Fetch =
        ptx("tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,f,f");
    EXPECT_EQ(Fetch.Error, "");
    return Fetch.f32({handle(), bits(X), bits(Y)});
  }
};

TEST(Texture, CoordinatesMayBeAnything) {
  Picture P;
  for (const bool Linear : {false, true}) {
    P.Object.Linear = Linear;
    EXPECT_EQ(P.at(Infinity, 0), 30);
    EXPECT_EQ(P.at(-Infinity, 0), 10);
    EXPECT_EQ(P.at(1e30f, 1e30f), 60);
    EXPECT_EQ(P.at(NaN, NaN), 10);
  }
  P.Object.Normalized = true;
  P.Object.Linear = false;
  for (const AddressMode Mode : {AddressMode::Wrap, AddressMode::Mirror}) {
    P.Object.Address[0] = Mode;
    // 2^20 periods away: 3 * 2^20 is a multiple of 6.
    EXPECT_EQ(P.at(1048576, 0), 10);
    EXPECT_EQ(P.at(-1048576, 0), 10);
  }
}

TEST(Texture, BordersMeetEachDimensionOnItsOwn) {
  Picture P;
  P.Object.Address[1] = AddressMode::Border;
  P.border(7);
  EXPECT_EQ(P.at(-5, 0), 10);
  EXPECT_EQ(P.at(0, -1), 7);
  EXPECT_EQ(P.at(0, 2), 7);
  P.Object.Linear = true;
  // Half of the weight is on the row above the first one, which is border.
  EXPECT_EQ(P.at(1.5f, 0), (7 + 20) / 2.0f);
}

TEST(Texture, NormalizedCoordinatesAreCutTo21Bits) {
  Picture P;
  P.Object.Normalized = true;
  // The nearest float is above a third; cut to 21 fraction bits it is below.
  EXPECT_EQ(P.at(1 / 3.0f, 0), 10);
  EXPECT_EQ(P.at(1 / 3.0f + 0x1p-21f, 0), 20);
  // A negative coordinate is rounded down too: below -1/3, which wraps to below 2/3.
  P.Object.Address[0] = AddressMode::Wrap;
  EXPECT_EQ(P.at(-1 / 3.0f, 0), 20);
}

TEST(Texture, WeightsAreWholeNumbersOf256) {
  Picture P;
  P.Object.Linear = true;
  // 1/256 to the right and half a row down: weights 128, 0, 127, 1.
  EXPECT_EQ(P.at(0.5f + 1 / 256.0f, 1), (128 * 10 + 127 * 40 + 50) / 256.0f);
  // Weights are rounded to nearest: 0.4/256 and 0.6/256.
  EXPECT_EQ(P.at(0.5f + 0.4f / 256, 0), 10);
  EXPECT_EQ(P.at(0.5f + 0.6f / 256, 0), (255 * 10 + 20) / 256.0f);
}

TEST(Texture, VolumesPartTheWeightOfASlice) {
  Picture P;
  for (int I = 0; I != 6; ++I)
    P.Texels[I] = float(1 << (3 * I)); // so that the sum shows all weights
  TexelMemory &T = P.Object.Texels;
  T.Width = 1;
  T.Height = 3;
  T.Depth = 2;
  T.RowBytes = 4;
  T.SliceBytes = 12;
  P.Object.Linear = true;
  const Compiled Fetch =
      ptx("tex.3d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $7}];", "=f,=f,=f,=f,l,f,f,f");
  // Halfway down: the upper slice's weight 155 is divided into 78 and 77, with the larger part for
  // the first row, and the lower slice's weight 101 into 51 and 50.
  EXPECT_EQ(Fetch.f32({P.handle(), bits(0.5f), bits(1.0f), bits(0.5f + 101 / 256.0f)}),
            (78 * 1 + 77 * 8 + 51 * 512 + 50 * 4096) / 256.0f);
  // Coordinates are clamped before texels are chosen, so the lower slice has no weight.
  EXPECT_EQ(Fetch.f32({P.handle(), bits(0.5f), bits(1.0f), bits(0.1f)}),
            (128 * 1 + 128 * 8) / 256.0f);
}

TEST(Texture, SumsAreRoundedOnceAwayFromZero) {
  const float Next = 1 + 0x1p-23f;
  const Picture P(TexelFormat::Float, {1.0f, Next, -Next, -1.0f});
  EXPECT_EQ(P.at(1, 0), Next);
  EXPECT_EQ(P.at(3, 0), -Next);
  const Picture H(TexelFormat::Float, {_Float16(1), _Float16(1 + 0x1p-10f)});
  EXPECT_EQ(H.at(1, 0), 1 + 0x1p-10f);
}

TEST(Texture, SmallTexelsAreCutNextToLargeOnes) {
  Picture P;
  P.Object.Linear = true;
  P.Texels[0] = 1;
  P.Texels[3] = -1;
  P.Texels[1] = 0x1.8p-27f;
  P.Texels[4] = 0;
  // Each of the four has a weight of 1/4. Sums keep 27 fraction bits relative to 1.
  EXPECT_EQ(P.at(1, 1), 0x1p-29f);
  // Texels without weight do not limit the precision.
  EXPECT_EQ(P.at(1.5f, 0), 0x1.8p-27f);
}

TEST(Texture, NumbersBelowTheSmallestNormalOneAreNoneInAFilter) {
  const Picture P(TexelFormat::Float, {1e-40f, 2e-40f, 1.0f});
  EXPECT_EQ(P.at(1, 0), 0);
  EXPECT_EQ(P.at(2, 0), 0.5f);
  // Subnormal halves count: (1 + 2) / 2 * 2^-24 is rounded up.
  const Picture H(TexelFormat::Float, {_Float16(0x1p-24f), _Float16(0x1p-23f)});
  EXPECT_EQ(H.at(1, 0), 0x1p-23f);
}

TEST(Texture, InfinitiesCountWhateverTheirWeight) {
  Picture P;
  P.Object.Linear = true;
  P.Texels[4] = Infinity;
  // 1/256 to the right and 1/256 down give it a weight of 0/256.
  EXPECT_EQ(P.at(0.5f + 1 / 256.0f, 0.5f + 1 / 256.0f), Infinity);
  EXPECT_EQ(P.at(0.5f + 1 / 256.0f, 0.5f), (255 * 10 + 20) / 256.0f);
  P.Texels[0] = -Infinity;
  EXPECT_TRUE(std::isnan(P.at(1, 1)));
}

TEST(Texture, FilteredIntegersHave16Bits) {
  // The mean of 257/65535 and 514/65535 is 385.5/65535.
  const Picture Bytes(TexelFormat::Unsigned, {uint8_t(1), uint8_t(2)});
  EXPECT_EQ(Bytes.at(1, 0), 386 / 65535.0f);
  const Picture Words(TexelFormat::Unsigned, {uint16_t(1), uint16_t(2), uint16_t(65535)});
  EXPECT_EQ(Words.at(1, 0), 2 / 65535.0f);
  EXPECT_EQ(Words.at(2.5f, 0), 1);
  const Picture Signed(TexelFormat::Signed, {int16_t(-1), int16_t(-2), int16_t(-32768)});
  EXPECT_EQ(Signed.at(1, 0), -1 / 32767.0f);
  EXPECT_EQ(Signed.at(2.5f, 0), -1);
}

TEST(Texture, FilteredSignedBytesAreWidened) {
  const Picture P(TexelFormat::Signed, {int8_t(123), int8_t(17), int8_t(-128), int8_t(127)});
  // A byte v becomes 256 * (v + v/128 + v/32768), rounded.
  EXPECT_EQ(P.at(0.5f, 0), 31735 / 32767.0f);
  EXPECT_EQ(P.at(1.5f, 0), 4386 / 32767.0f);
  EXPECT_EQ(P.at(2.5f, 0), -1);
  EXPECT_EQ(P.at(3.5f, 0), 1);
  // The mean 70 * 256 = 17920 gives 17920 + 140 + 0.5, of which the last is cut to eighths.
  EXPECT_EQ(P.at(1, 0), 18061 / 32767.0f);
}

TEST(Texture, ARowIsBelowTheBorder) {
  Picture P(TexelFormat::Float, {10.0f, 20.0f});
  const Compiled Fetch = ptx("tex.1d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5}];", "=f,=f,=f,=f,l,f");
  P.border(2);
  EXPECT_EQ(Fetch.f32({P.handle(), bits(1.0f)}), 15);
  P.Object.Address[1] = AddressMode::Border;
  EXPECT_EQ(Fetch.f32({P.handle(), bits(1.0f)}), (2 + 15) / 2.0f);
}

TEST(Texture, LayersBelowZeroAreTheLast) {
  Picture P;
  TexelMemory &T = P.Object.Texels;
  T.Height = 1;
  T.Depth = 2;
  T.SliceBytes = 12;
  const Compiled Fetch =
      ptx("tex.a1d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,r,f");
  EXPECT_EQ(Fetch.f32({P.handle(), 0, bits(0.0f)}), 10);
  EXPECT_EQ(Fetch.f32({P.handle(), uint32_t(-1), bits(0.0f)}), 40);
  EXPECT_EQ(Fetch.f32({P.handle(), 2, bits(0.0f)}), 40);
}

TEST(Texture, TheLastOfEquallyLongDirectionsIsTheFaceOfACube) {
  Picture P; // each face is one texel
  TexelMemory &T = P.Object.Texels;
  T.Width = T.Height = 1;
  T.Depth = 6;
  T.RowBytes = T.SliceBytes = 4;
  const Compiled Fetch =
      ptx("tex.cube.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6, $7, $7}];", "=f,=f,=f,=f,l,f,f,f");
  const auto At = [&](float X, float Y, float Z) {
    return Fetch.f32({P.handle(), bits(X), bits(Y), bits(Z)});
  };
  EXPECT_EQ(At(1, 0.5f, -0.5f), 10);
  EXPECT_EQ(At(-1, -1, 0), 40);
  EXPECT_EQ(At(1, 1, 1), 50);
  EXPECT_EQ(At(-1, 0, -1), 60);
  EXPECT_EQ(At(0, 0, 0), 50);
  // If only two faces exist, the last one replaces the missing ones.
  T.Depth = 2;
  EXPECT_EQ(At(1, 0, 0), 10);
  EXPECT_EQ(At(0, 0, -1), 20);
}

TEST(Texture, LinearMemoryIsReadByNumber) {
  Picture P(TexelFormat::Float, {10.0f, 20.0f});
  const Compiled ByNumber =
                     ptx("tex.1d.v4.f32.s32 {$0, $1, $2, $3}, [$4, {$5}];", "=f,=f,=f,=f,l,r"),
                 ByCoordinate =
                     ptx("tex.1d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5}];", "=f,=f,=f,=f,l,f");
  EXPECT_EQ(ByNumber.f32({P.handle(), 1}), 0);
  P.Object.OneByOne = true;
  EXPECT_EQ(ByNumber.f32({P.handle(), 1}), 20);
  EXPECT_EQ(ByNumber.f32({P.handle(), 2}), 0);
  EXPECT_EQ(ByCoordinate.f32({P.handle(), bits(1.5f)}), 0);
}

TEST(Texture, EmptyTextureIsZero) {
  Picture P;
  P.Object.Texels.Width = 0;
  for (const AddressMode Mode : {AddressMode::Wrap, AddressMode::Clamp, AddressMode::Border}) {
    P.Object.Address[0] = Mode;
    EXPECT_EQ(P.at(0, 0), 0);
  }
}

TEST(Texture, LevelsAndGradientsChangeNothing) {
  Picture P;
  EXPECT_EQ(
      ptx("tex.level.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}], $7;", "=f,=f,=f,=f,l,f,f,f")
          .f32({P.handle(), bits(2.5f), bits(1.5f), bits(3.0f)}),
      60);
  EXPECT_EQ(ptx("tex.grad.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}], {$7, $7}, {$7, $7};",
                "=f,=f,=f,=f,l,f,f,f")
                .f32({P.handle(), bits(2.5f), bits(0.5f), bits(1.0f)}),
            30);
}

TEST(Texture, SparseTexturesAreComplete) {
  Picture P;
  const std::vector<U128> Results =
      ptx("{.reg .pred p; tex.2d.v4.f32.f32 {$0, $1, $2, $3}|p, [$5, {$6, $7}]; "
          "selp.u16 $4, 1, 0, p; }",
          "=f,=f,=f,=f,=h,l,f,f")
          .all({P.handle(), bits(1.0f), bits(1.0f)});
  ASSERT_EQ(Results.size(), 5u);
  EXPECT_EQ(asFloat(uint64_t(Results[0])), 50);
  EXPECT_EQ(uint16_t(Results[4]), 1);
}

TEST(Texture, GathersAreTheFootprintOfAFilter) {
  Picture P;
  const std::vector<U128> Four =
      ptx("tld4.r.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,f,f")
          .all({P.handle(), bits(2.0f), bits(1.0f)});
  const float Expected[] = {50, 60, 30, 20};
  for (unsigned I = 0; I != 4; ++I)
    EXPECT_EQ(asFloat(uint64_t(Four[I])), Expected[I]);
}

TEST(Surface, CountsBytesAlongRows) {
  Picture P;
  EXPECT_EQ(ptx("suld.b.2d.b32.trap {$0}, [$1, {$2, $3}];", "=r,l,r,r").f32({P.handle(), 4, 1}),
            50);
  EXPECT_EQ(ptx("suld.b.2d.b32.zero {$0}, [$1, {$2, $3}];", "=r,l,r,r").f32({P.handle(), 12, 1}),
            0);
  EXPECT_EQ(ptx("suld.b.2d.b32.clamp {$0}, [$1, {$2, $3}];", "=r,l,r,r")
                .f32({P.handle(), uint32_t(-4), 9}),
            40);
  ptx("sust.b.2d.v2.b32.zero [$0, {$1, $2}], {$3, $4};", "l,r,r,r,r")
      .all({P.handle(), 0, 1, bits(1.0f), bits(2.0f)});
  EXPECT_EQ(P.Texels[3], 1);
  EXPECT_EQ(P.Texels[4], 2);
  // A store that reaches beyond the row's end writes nothing.
  ptx("sust.b.2d.v2.b32.zero [$0, {$1, $2}], {$3, $4};", "l,r,r,r,r")
      .all({P.handle(), 8, 1, bits(1.0f), bits(2.0f)});
  EXPECT_EQ(P.Texels[5], 60);
}

TEST(Texture, OthersAreNamed) {
  const std::string Error =
      ptx("tex.a3d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $5, $5, $5}];", "=f,=f,=f,=f,l,f").Error;
  EXPECT_NE(Error.find("inline PTX 'tex.a3d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %5, %5, %5}]'"),
            std::string::npos)
      << Error;
}

} // namespace
