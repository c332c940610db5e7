//===- TextureTest.cpp - PTX's texture and surface instructions -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are worked out from the CUDA C++ Programming Guide, "Texture Fetching".
// What CUDA C++ makes of it is in test/host/Inputs/textures.cu.
//
//===----------------------------------------------------------------------===//

#include "cpu/Texture.h"
#include "Harness.h"

#include "gtest/gtest.h"

#include <limits>

using namespace gmprof::cpu;
using namespace gmprof::cpu::test;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

/// 10 20 30 / 40 50 60.
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
    // 2^20 pictures further on: 3 * 2^20 is a multiple of 6.
    EXPECT_EQ(P.at(1048576, 0), 10);
    EXPECT_EQ(P.at(-1048576, 0), 10);
  }
}

TEST(Texture, BordersMeetEachDimensionOnItsOwn) {
  Picture P;
  P.Object.Address[1] = AddressMode::Border;
  P.Object.Border[0] = 7;
  EXPECT_EQ(P.at(-5, 0), 10);
  EXPECT_EQ(P.at(0, -1), 7);
  EXPECT_EQ(P.at(0, 2), 7);
  P.Object.Linear = true;
  // Half of the row above the first one is the border.
  EXPECT_EQ(P.at(1.5f, 0), (7 + 20) / 2.0f);
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

TEST(Texture, SparseOnesAreAllThere) {
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
      .all({P.handle(), 4, 0, bits(1.0f), bits(2.0f)});
  EXPECT_EQ(P.Texels[1], 1);
  EXPECT_EQ(P.Texels[2], 2);
  // Not even a part of what reaches over the end.
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
