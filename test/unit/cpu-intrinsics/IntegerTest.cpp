//===- IntegerTest.cpp - Integer and bit intrinsics -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace gmprof::cpu::test;

namespace {

const std::vector<uint64_t> &samples() {
  static const std::vector<uint64_t> Values = [] {
    std::vector<uint64_t> V = {0,
                               1,
                               2,
                               31,
                               32,
                               33,
                               63,
                               64,
                               255,
                               0x7fff,
                               0x8000,
                               0xffff,
                               0x7fffff,
                               0x800000,
                               0xffffff,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x7fffffffffffffff,
                               0x8000000000000000,
                               ~uint64_t(0),
                               0x0123456789abcdef,
                               0xfedcba9876543210};
    Random R(21);
    for (int I = 0; I != 20; ++I)
      V.push_back(R.next());
    return V;
  }();
  return Values;
}

template <typename T, typename Wide> void checkMulHi(const std::string &Name) {
  Compiled F = intrinsic(Name);
  ASSERT_EQ(F.Error, "");
  for (uint64_t A : samples())
    for (uint64_t B : samples()) {
      Wide Product = static_cast<Wide>(static_cast<T>(A)) * static_cast<T>(B);
      EXPECT_EQ(static_cast<T>(F({A, B})), static_cast<T>(Product >> (sizeof(T) * 8)))
          << Name << " " << A << " " << B;
    }
}

TEST(Integer, MulHi) {
  checkMulHi<int16_t, int32_t>("mulhi.s");
  checkMulHi<uint16_t, uint32_t>("mulhi.us");
  checkMulHi<int32_t, int64_t>("mulhi.i");
  checkMulHi<uint32_t, uint64_t>("mulhi.ui");
  checkMulHi<int64_t, __int128>("mulhi.ll");
  checkMulHi<uint64_t, U128>("mulhi.ull");
}

TEST(Integer, Mul24) {
  Compiled Signed = intrinsic("mul24.i"), Unsigned = intrinsic("mul24.ui");
  for (uint64_t A : samples())
    for (uint64_t B : samples()) {
      int64_t X = int32_t(A << 8) >> 8, Y = int32_t(B << 8) >> 8;
      EXPECT_EQ(Signed({A, B}), uint32_t(X * Y));
      EXPECT_EQ(Unsigned({A, B}), uint32_t((A & 0xffffff) * (B & 0xffffff)));
    }
}

template <typename T> void checkSad(const std::string &Name) {
  Compiled F = intrinsic(Name);
  ASSERT_EQ(F.Error, "");
  for (uint64_t A : samples())
    for (uint64_t B : samples()) {
      T X = A, Y = B;
      uint64_t Distance = X < Y ? uint64_t(Y) - uint64_t(X) : uint64_t(X) - uint64_t(Y);
      EXPECT_EQ(static_cast<T>(F({A, B, 7})), static_cast<T>(Distance + 7)) << Name;
    }
}

TEST(Integer, Sad) {
  checkSad<int16_t>("sad.s");
  checkSad<uint16_t>("sad.us");
  checkSad<int32_t>("sad.i");
  checkSad<uint32_t>("sad.ui");
  checkSad<int64_t>("sad.ll");
  checkSad<uint64_t>("sad.ull");
}

uint32_t permute(uint32_t A, uint32_t B, uint32_t Selector) {
  uint8_t Bytes[8];
  for (int I = 0; I != 4; ++I) {
    Bytes[I] = A >> (8 * I);
    Bytes[4 + I] = B >> (8 * I);
  }
  uint32_t Result = 0;
  for (int I = 0; I != 4; ++I) {
    uint32_t Nibble = Selector >> (4 * I) & 15;
    uint8_t Byte = Bytes[Nibble & 7];
    if (Nibble & 8)
      Byte = Byte & 0x80 ? 0xff : 0;
    Result |= uint32_t(Byte) << (8 * I);
  }
  return Result;
}

TEST(Integer, Prmt) {
  Compiled F = intrinsic("prmt");
  Random R(4);
  for (int I = 0; I != 1000; ++I) {
    uint32_t A = R.next(), B = R.next(), Selector = R.next();
    EXPECT_EQ(F({A, B, Selector}), permute(A, B, Selector));
  }
  // Byte N of the pair 0x33221100, 0x77665544 is 0xNN.
  struct Mode {
    const char *Name;
    uint32_t Results[4];
  };
  const Mode Modes[] = {{"f4e", {0x33221100, 0x44332211, 0x55443322, 0x66554433}},
                        {"b4e", {0x55667700, 0x66770011, 0x77001122, 0x00112233}},
                        {"rc8", {0x00000000, 0x11111111, 0x22222222, 0x33333333}},
                        {"ecl", {0x33221100, 0x33221111, 0x33222222, 0x33333333}},
                        {"ecr", {0x00000000, 0x11111100, 0x22221100, 0x33221100}},
                        {"rc16", {0x11001100, 0x33223322, 0x11001100, 0x33223322}}};
  for (const Mode &M : Modes) {
    Compiled G = intrinsic(std::string("prmt.") + M.Name);
    ASSERT_EQ(G.Error, "");
    bool Two = std::string(M.Name).ends_with("4e");
    for (uint32_t C = 0; C != 8; ++C)
      EXPECT_EQ(Two ? G({0x33221100, 0x77665544, C}) : G({0x33221100, C}), M.Results[C & 3])
          << M.Name << C;
  }
}

TEST(Integer, DotProducts) {
  for (bool SignedA : {false, true})
    for (bool SignedB : {false, true}) {
      std::string Suffix = std::string(SignedA ? ".s" : ".u") + (SignedB ? ".s" : ".u");
      Compiled Four = intrinsic("idp4a" + Suffix);
      Compiled Low = intrinsic("idp2a" + Suffix, {}, {-1, -1, 0, -1});
      Compiled High = intrinsic("idp2a" + Suffix, {}, {-1, -1, 1, -1});
      Random R(6);
      for (int I = 0; I != 200; ++I) {
        uint32_t A = R.next(), B = R.next(), C = R.next();
        auto Byte = [](uint32_t V, int I, bool Signed) -> int64_t {
          uint8_t Raw = V >> (8 * I);
          return Signed ? int8_t(Raw) : Raw;
        };
        auto Word = [](uint32_t V, int I, bool Signed) -> int64_t {
          uint16_t Raw = V >> (16 * I);
          return Signed ? int16_t(Raw) : Raw;
        };
        uint32_t Sum4 = C, SumLow = C, SumHigh = C;
        for (int J = 0; J != 4; ++J)
          Sum4 += Byte(A, J, SignedA) * Byte(B, J, SignedB);
        for (int J = 0; J != 2; ++J) {
          SumLow += Word(A, J, SignedA) * Byte(B, J, SignedB);
          SumHigh += Word(A, J, SignedA) * Byte(B, J + 2, SignedB);
        }
        EXPECT_EQ(Four({A, B, C}), Sum4);
        EXPECT_EQ(Low({A, B, C}), SumLow);
        EXPECT_EQ(High({A, B, C}), SumHigh);
      }
    }
}

TEST(Integer, FunnelShiftClamp) {
  Compiled Left = intrinsic("fshl.clamp", {"r"}), Right = intrinsic("fshr.clamp", {"r"});
  for (uint32_t N : {0u, 1u, 8u, 31u, 32u, 33u, 64u, ~0u}) {
    uint64_t Both = 0x123456789abcdef0, Amount = std::min(N, 32u);
    EXPECT_EQ(Left({Both >> 32, uint32_t(Both), N}), uint32_t((Both << Amount) >> 32)) << N;
    EXPECT_EQ(Right({Both >> 32, uint32_t(Both), N}), uint32_t(Both >> Amount)) << N;
  }
}

TEST(Integer, FindLeadingOne) {
  auto Oracle = [](uint64_t V, int Width, bool Signed, bool Shift) -> uint32_t {
    if (Signed && V >> (Width - 1) & 1)
      V = ~V;
    for (int I = Width - 1; I >= 0; --I)
      if (V >> I & 1)
        return Shift ? Width - 1 - I : I;
    return ~0u;
  };
  for (bool Signed : {false, true})
    for (int Shift : {0, 1}) {
      std::string Name = Signed ? "flo.s" : "flo.u";
      Compiled F32 = intrinsic(Name, {"r"}, {-1, Shift}), F64 = intrinsic(Name, {"l"}, {-1, Shift});
      for (uint64_t V : samples()) {
        EXPECT_EQ(F32({V}), Oracle(V, 32, Signed, Shift)) << V;
        EXPECT_EQ(F64({V}), Oracle(V, 64, Signed, Shift)) << V;
      }
    }
}

/// Computes szext as the PTX manual writes it in C.
uint32_t extended(uint32_t A, uint32_t B, bool Signed, bool Clamp) {
  uint32_t Width = B & 31;
  bool TooLarge = Clamp && B >= 32;
  uint32_t Mask = TooLarge ? 0 : ~uint32_t(0) << Width;
  bool SignBit = Width && !TooLarge && Signed && (A >> ((Width - 1) & 31) & 1);
  return SignBit ? A | Mask : A & ~Mask;
}

uint32_t mask(uint32_t A, uint32_t B, bool Clamp) {
  uint32_t Begin = A & 31, Width = B & 31, Mask0 = ~uint32_t(0) << Begin;
  uint32_t Mask1 = Begin + Width >= 32 ? 0 : ~uint32_t(0) << (Begin + Width);
  if (Clamp && A >= 32)
    Mask0 = 0;
  if (Clamp && B >= 32)
    Mask1 = 0;
  return Mask0 & ~Mask1;
}

TEST(Integer, ExtendAndMask) {
  for (bool Clamp : {false, true}) {
    std::string Mode = Clamp ? ".clamp" : ".wrap";
    Compiled Sext = intrinsic("sext" + Mode), Zext = intrinsic("zext" + Mode);
    Compiled Bmsk = intrinsic("bmsk" + Mode);
    for (uint32_t B : {0u, 1u, 7u, 8u, 31u, 32u, 33u, 40u, ~0u}) {
      for (uint64_t A : samples()) {
        EXPECT_EQ(Sext({A, B}), extended(A, B, true, Clamp)) << A << " " << B;
        EXPECT_EQ(Zext({A, B}), extended(A, B, false, Clamp)) << A << " " << B;
      }
      for (uint32_t A : {0u, 1u, 16u, 31u, 32u, 50u, ~0u})
        EXPECT_EQ(Bmsk({A, B}), mask(A, B, Clamp)) << A << " " << B;
    }
  }
}

TEST(Integer, FindNthSet) {
  Compiled F = intrinsic("fns");
  const uint32_t Mask = 0x80001012; // bits 1, 4, 12, 31
  EXPECT_EQ(F({Mask, 0, 1}), 1u);
  EXPECT_EQ(F({Mask, 0, 3}), 12u);
  EXPECT_EQ(F({Mask, 4, 1}), 4u);
  EXPECT_EQ(F({Mask, 5, 2}), 31u);
  EXPECT_EQ(F({Mask, 5, 3}), ~0u);
  EXPECT_EQ(F({Mask, 31, uint32_t(-2)}), 12u);
  EXPECT_EQ(F({Mask, 0, uint32_t(-1)}), ~0u);
  EXPECT_EQ(F({Mask, 4, 0}), 4u);
  EXPECT_EQ(F({Mask, 5, 0}), ~0u);
  EXPECT_EQ(F({Mask, 32, 1}), ~0u);
  EXPECT_EQ(F({Mask, 0, 0x80000000}), ~0u);
}

TEST(Integer, Move) {
  EXPECT_EQ(intrinsic("move.i16")({0x1234}), 0x1234u);
  EXPECT_EQ(intrinsic("move.i32")({0x12345678}), 0x12345678u);
  EXPECT_EQ(intrinsic("move.i64")({0x123456789}), 0x123456789u);
  EXPECT_EQ(intrinsic("move.float")({0x3f800000}), 0x3f800000u);
  EXPECT_EQ(intrinsic("move.double")({bits(2.0)}), bits(2.0));
}

} // namespace
