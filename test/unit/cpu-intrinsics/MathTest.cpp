//===- MathTest.cpp - Other floating-point intrinsics ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace gmprof::cpu::test;

namespace {

float flush(float V) { return std::fpclassify(V) == FP_SUBNORMAL ? std::copysign(0.0f, V) : V; }

constexpr uint32_t NaN32 = 0x7fffffff;

/// PTX's min and max, in which -0 is less than +0.
template <typename T> T smaller(T A, T B) {
  if (A == B)
    return std::signbit(A) ? A : B;
  return A < B ? A : B;
}
template <typename T> T larger(T A, T B) { return -smaller<T>(-A, -B); }

uint32_t minMax(bool Max, bool PropagateNaN, bool XorSign, float A, float B) {
  bool Negative = std::signbit(A) != std::signbit(B);
  if (XorSign) {
    A = std::fabs(A);
    B = std::fabs(B);
  }
  float V;
  if (std::isnan(A) || std::isnan(B)) {
    if (PropagateNaN || (std::isnan(A) && std::isnan(B)))
      return NaN32;
    V = std::isnan(A) ? B : A;
  } else
    V = Max ? larger(A, B) : smaller(A, B);
  return bits(XorSign ? std::copysign(V, Negative ? -1.0f : 1.0f) : V);
}

TEST(Math, MinMaxF32) {
  for (bool Max : {false, true})
    for (bool Ftz : {false, true})
      for (bool PropagateNaN : {false, true})
        for (bool XorSign : {false, true}) {
          std::string Name = std::string(Max ? "fmax" : "fmin") + (Ftz ? ".ftz" : "") +
                             (PropagateNaN ? ".nan" : "") + (XorSign ? ".xorsign.abs" : "") + ".f";
          Compiled F = intrinsic(Name);
          ASSERT_EQ(F.Error, "");
          for (float A : interestingFloats(20))
            for (float B : interestingFloats(20)) {
              float X = Ftz ? flush(A) : A, Y = Ftz ? flush(B) : B;
              EXPECT_EQ(F({bits(A), bits(B)}), minMax(Max, PropagateNaN, XorSign, X, Y))
                  << Name << " " << A << " " << B;
            }
        }
}

TEST(Math, MinMaxF64) {
  Compiled Min = intrinsic("fmin.d"), Max = intrinsic("fmax.d");
  for (double A : interestingDoubles(20))
    for (double B : interestingDoubles(20)) {
      double Low = std::isnan(A) ? B : std::isnan(B) ? A : smaller(A, B);
      double High = std::isnan(A) ? B : std::isnan(B) ? A : larger(A, B);
      EXPECT_SAME_F64(Min.f64({bits(A), bits(B)}), Low, A << " " << B);
      EXPECT_SAME_F64(Max.f64({bits(A), bits(B)}), High, A << " " << B);
    }
}

TEST(Math, MinMaxHalf) {
  // 1, -2, NaN, -0, +0, the least denormal
  const uint16_t One = 0x3c00, MinusTwo = 0xc000, NaN = 0x7e00, Least = 1;
  EXPECT_EQ(intrinsic("fmin.f16")({One, MinusTwo}), MinusTwo);
  EXPECT_EQ(intrinsic("fmax.f16")({One, NaN}), One);
  EXPECT_EQ(intrinsic("fmax.nan.f16")({One, NaN}), 0x7fffu);
  EXPECT_EQ(intrinsic("fmin.f16")({0x8000, 0}), 0x8000u);
  EXPECT_EQ(intrinsic("fmax.ftz.f16")({Least, 0x8000}), 0u);
  EXPECT_EQ(intrinsic("fmax.xorsign.abs.f16")({One, MinusTwo}), MinusTwo);
  EXPECT_EQ(intrinsic("fmin.f16x2")({0x3c00c000, 0x40003c00}), 0x3c00c000u);
  EXPECT_EQ(intrinsic("fmax.f16x2")({0x3c00c000, 0x40003c00}), 0x40003c00u);
  EXPECT_EQ(intrinsic("fmin.bf16")({0x3f80, 0xc000}), 0xc000u);
  EXPECT_EQ(intrinsic("fmax.nan.bf16")({0x3f80, 0x7fc0}), 0x7fffu);
  EXPECT_EQ(intrinsic("fmax.bf16x2")({0x3f80c000, 0x40003f80}), 0x40003f80u);
}

/// Returns a half's value, by decoding independent of the tested code.
double halfValue(uint16_t H) {
  int E = H >> 10 & 31, F = H & 1023;
  double V = E == 31 ? (F ? NAN : INFINITY) : E ? std::ldexp(1024 + F, E - 25) : std::ldexp(F, -24);
  return H & 0x8000 ? -V : V;
}

/// Returns the half nearest to V. Ties go to even.
uint16_t nearestHalf(long double V) {
  uint16_t Sign = std::signbit(V) ? 0x8000 : 0;
  V = std::fabs(V);
  if (V >= 65520.0L)
    return Sign | 0x7c00;
  uint16_t Below = 0;
  for (int Bit = 14; Bit >= 0; --Bit)
    if ((Below | 1 << Bit) <= 0x7bff && halfValue(Below | 1 << Bit) <= V)
      Below |= 1 << Bit;
  long double Low = halfValue(Below), High = Below == 0x7bff ? 65536.0L : halfValue(Below + 1);
  bool Up = V - Low != High - V ? V - Low > High - V : Below & 1;
  return Sign | (Below + Up);
}

TEST(Math, FmaHalfRoundsOnce) {
  Compiled F = intrinsic("fma.rn.f16"), Pair = intrinsic("fma.rn.f16x2");
  Compiled Sat = intrinsic("fma.rn.sat.f16"), Relu = intrinsic("fma.rn.relu.f16");
  Compiled Ftz = intrinsic("fma.rn.ftz.f16");
  Random R(11);
  for (int I = 0; I != 200000; ++I) {
    uint16_t A = R.next(), B = R.next(), C = R.next();
    double X = halfValue(A), Y = halfValue(B), Z = halfValue(C);
    if (!std::isfinite(X) || !std::isfinite(Y) || !std::isfinite(Z))
      continue;
    // Exact in the 64 bits of a long double, except for sums of very different magnitudes, on which
    // no tie depends.
    long double Exact = static_cast<long double>(X) * Y + Z;
    if (Exact == 0)
      continue;
    uint16_t E = nearestHalf(Exact);
    ASSERT_EQ(F({A, B, C}), E) << X << " * " << Y << " + " << Z;
  }
  EXPECT_EQ(F({0x3c00, 0x7e00, 0}), 0x7fffu);
  EXPECT_EQ(Pair({0x3c004000, 0x40004000, 0x3c003c00}), 0x42004500u); // 1*2+1, 2*2+1
  EXPECT_EQ(Sat({0x4000, 0x4000, 0}), 0x3c00u);
  EXPECT_EQ(Sat({0x4000, 0xc000, 0}), 0u);
  EXPECT_EQ(Relu({0x4000, 0xc000, 0}), 0u);
  EXPECT_EQ(Relu({0x4000, 0x4000, 0}), 0x4400u);
  EXPECT_EQ(Ftz({0x0001, 0x3c00, 0}), 0u);
}

TEST(Math, FmaBFloatRoundsOnce) {
  Compiled F = intrinsic("fma.rn.bf16");
  auto Value = [](uint16_t B) { return asFloat(uint32_t(B) << 16); };
  Random R(12);
  for (int I = 0; I != 200000; ++I) {
    // Exponents close enough for the exact sum to fit 64 bits.
    auto Next = [&] { return uint16_t((R.next() & 0x80ff) | (0x78 + R.next() % 16) << 7); };
    uint16_t A = Next(), B = Next(), C = Next();
    long double Exact = static_cast<long double>(Value(A)) * Value(B) + Value(C);
    if (Exact == 0)
      continue;
    int E = std::ilogb(Exact);
    long double Unit = std::ldexp(1.0L, E - 7);
    float Expected = std::nearbyint(Exact / Unit) * Unit;
    ASSERT_EQ(F({A, B, C}), bits(Expected) >> 16) << Value(A) << " " << Value(B) << " " << Value(C);
  }
  // A product that is tiny compared to the addend still decides a tie: 257/256 is halfway between 1
  // and 1 + 2^-7.
  EXPECT_EQ(F({0x3b80, 0x3f80, 0x3f80}), 0x3f80u); // 2^-8 + 1: tie to even
  EXPECT_EQ(F({0x3b81, 0x3f80, 0x3f80}), 0x3f81u); // slightly above the tie
  EXPECT_EQ(F({0x7f00, 0x7f00, 0}), 0x7f80u);      // overflow
  EXPECT_EQ(F({0x0080, 0x0080, 0x3f80}), 0x3f80u); // far below the tie
  EXPECT_EQ(intrinsic("fma.rn.bf16x2")({0x3f804000, 0x40004000, 0x3f803f80}), 0x404040a0u);
  EXPECT_EQ(intrinsic("fma.rn.relu.bf16")({0x4000, 0xc000, 0}), 0u);
}

TEST(Math, AbsNegRoundSaturate) {
  Compiled Abs = intrinsic("fabs", {"f"}), AbsFtz = intrinsic("fabs.ftz", {"f"});
  Compiled Abs64 = intrinsic("fabs", {"d"});
  Compiled Floor = intrinsic("floor.f"), Ceil = intrinsic("ceil.f"), Trunc = intrinsic("trunc.f");
  Compiled Round = intrinsic("round.f"), Sat = intrinsic("saturate.f");
  Compiled FloorFtz = intrinsic("floor.ftz.f");
  for (float V : interestingFloats(500)) {
    EXPECT_SAME_F32(Abs.f32({bits(V)}), std::fabs(V), V);
    EXPECT_SAME_F32(AbsFtz.f32({bits(V)}), std::fabs(flush(V)), V);
    EXPECT_SAME_F32(Floor.f32({bits(V)}), std::floor(V), V);
    EXPECT_SAME_F32(FloorFtz.f32({bits(V)}), std::floor(flush(V)), V);
    EXPECT_SAME_F32(Ceil.f32({bits(V)}), std::ceil(V), V);
    EXPECT_SAME_F32(Trunc.f32({bits(V)}), std::trunc(V), V);
    EXPECT_SAME_F32(Round.f32({bits(V)}), std::nearbyint(V), V);
    EXPECT_EQ(Sat({bits(V)}), bits(V > 0 ? (V > 1 ? 1.0f : V) : 0.0f)) << V;
  }
  Compiled Floor64 = intrinsic("floor.d"), Ceil64 = intrinsic("ceil.d");
  Compiled Trunc64 = intrinsic("trunc.d"), Round64 = intrinsic("round.d");
  Compiled Sat64 = intrinsic("saturate.d");
  for (double V : interestingDoubles(500)) {
    EXPECT_SAME_F64(Abs64.f64({bits(V)}), std::fabs(V), V);
    EXPECT_SAME_F64(Floor64.f64({bits(V)}), std::floor(V), V);
    EXPECT_SAME_F64(Ceil64.f64({bits(V)}), std::ceil(V), V);
    EXPECT_SAME_F64(Trunc64.f64({bits(V)}), std::trunc(V), V);
    EXPECT_SAME_F64(Round64.f64({bits(V)}), std::nearbyint(V), V);
    EXPECT_EQ(Sat64({bits(V)}), bits(V > 0 ? (V > 1 ? 1.0 : V) : 0.0)) << V;
  }
  EXPECT_EQ(intrinsic("neg.bf16")({0x3f80}), 0xbf80u);
  EXPECT_EQ(intrinsic("neg.bf16x2")({0x3f80bf80}), 0xbf803f80u);
}

/// Expects an error of at most `Ulps` units in the last place; NaNs, infinities and zeros must
/// match.
void expectNear(float Actual, double Expected, double Ulps, const std::string &What) {
  if (std::isnan(Expected)) {
    EXPECT_TRUE(std::isnan(Actual)) << What;
    return;
  }
  float Nearest = static_cast<float>(Expected);
  if (std::isinf(Nearest) || Nearest == 0) {
    EXPECT_EQ(Actual, Nearest) << What;
    return;
  }
  double Unit = std::ldexp(1.0, std::max(std::ilogb(Nearest), -126) - 23);
  EXPECT_LE(std::fabs(Actual - Expected), Ulps * Unit) << What;
}

TEST(Math, Approximations) {
  struct Case {
    const char *Name;
    double (*Oracle)(double);
  };
  const Case Cases[] = {
      {"sin.approx.f", [](double V) { return std::sin(V); }},
      {"cos.approx.f", [](double V) { return std::cos(V); }},
      {"lg2.approx.f", [](double V) { return std::log2(V); }},
      {"rsqrt.approx.f", [](double V) { return 1 / std::sqrt(V); }},
      {"sqrt.approx.f", [](double V) { return std::sqrt(V); }},
      {"sqrt.f", [](double V) { return std::sqrt(V); }},
      {"rcp.approx.ftz.f", [](double V) { return 1 / V; }},
      {"sin.approx.ftz.f", [](double V) { return std::sin(V); }},
      {"cos.approx.ftz.f", [](double V) { return std::cos(V); }},
      {"lg2.approx.ftz.f", [](double V) { return std::log2(V); }},
      {"rsqrt.approx.ftz.f", [](double V) { return 1 / std::sqrt(V); }},
      {"sqrt.approx.ftz.f", [](double V) { return std::sqrt(V); }},
  };
  for (const Case &C : Cases) {
    bool Ftz = std::string(C.Name).find("ftz") != std::string::npos;
    Compiled F = intrinsic(C.Name);
    ASSERT_EQ(F.Error, "");
    for (float V : interestingFloats(500)) {
      double Expected = C.Oracle(Ftz ? flush(V) : V);
      if (Ftz)
        Expected = flush(static_cast<float>(Expected));
      expectNear(F.f32({bits(V)}), Expected, 1, std::string(C.Name) + " " + std::to_string(V));
    }
  }
  Compiled Ex2 = intrinsic("ex2.approx", {"f"}), Ex2Ftz = intrinsic("ex2.approx.ftz", {"f"});
  for (float V : {0.0f, 1.0f, -1.0f, 0.5f, 127.5f, 128.0f, -126.5f, -140.0f, -150.0f, 3.25f}) {
    expectNear(Ex2.f32({bits(V)}), std::exp2(double(V)), 1, "ex2");
    expectNear(Ex2Ftz.f32({bits(V)}), flush(static_cast<float>(std::exp2(double(V)))), 1, "ex2");
  }
  EXPECT_EQ(intrinsic("ex2.approx", {"h"})({0x4000}), 0x4400u);     // 2^2
  EXPECT_EQ(intrinsic("ex2.approx.ftz", {"b"})({0x4000}), 0x4080u); // 2^2
  EXPECT_EQ(intrinsic("ex2.approx", {"2h"})({0x40003c00}), 0x44004000u);
  EXPECT_EQ(intrinsic("lg2.approx.d").f64({bits(8.0)}), 3.0);
  EXPECT_EQ(intrinsic("rsqrt.approx.d").f64({bits(0.25)}), 2.0);
  EXPECT_EQ(intrinsic("div.approx.f").f32({bits(1.0f), bits(4.0f)}), 0.25f);
  EXPECT_EQ(intrinsic("div.approx.ftz.f").f32({1, bits(4.0f)}), 0.0f);
  EXPECT_EQ(intrinsic("div.full").f32({bits(3.0f), bits(4.0f)}), 0.75f);
  EXPECT_EQ(intrinsic("div.full.ftz").f32({bits(3.0f), bits(4.0f)}), 0.75f);
}

TEST(Math, UpperHalfApproximations) {
  Compiled Rcp = intrinsic("rcp.approx.ftz.d"), Rsqrt = intrinsic("rsqrt.approx.ftz.d");
  for (double V : {1.0, 3.0, 0.1, 1e100, 7.25e-200}) {
    for (uint64_t Out : {Rcp({bits(V)}), Rsqrt({bits(V)})})
      EXPECT_EQ(Out & 0xffffffff, 0u);
    EXPECT_NEAR(asDouble(Rcp({bits(V)})) * V, 1.0, 0x1p-19);
    double Root = asDouble(Rsqrt({bits(V)}));
    EXPECT_NEAR(Root * Root * V, 1.0, 0x1p-18);
  }
  EXPECT_EQ(Rcp({1}), bits(static_cast<double>(INFINITY))); // denormals count as zero
  EXPECT_EQ(Rcp({bits(-0.0)}), bits(-static_cast<double>(INFINITY)));
}

} // namespace
