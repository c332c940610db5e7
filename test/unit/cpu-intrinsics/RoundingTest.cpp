//===- RoundingTest.cpp - Arithmetic in all rounding modes ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle is the CPU's own arithmetic with its rounding mode changed.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cfenv>
#include <functional>

using namespace gmprof::cpu::test;

#pragma STDC FENV_ACCESS ON

namespace {

struct Mode {
  const char *Name;
  int Fenv;
};
constexpr Mode Modes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/// Runs `Fn` in a rounding mode. `Fn` passes operands through `opaque`, so that the compiler folds
/// nothing.
template <typename Function> auto inMode(int Fenv, Function Fn) {
  std::fesetround(Fenv);
  auto Result = Fn();
  std::fesetround(FE_TONEAREST);
  return Result;
}

template <typename T> T opaque(T V) {
  volatile T Copy = V;
  return Copy;
}

float flush(float V) { return std::fpclassify(V) == FP_SUBNORMAL ? std::copysign(0.0f, V) : V; }

float clamp01(float V) { return V > 0 ? (V > 1 ? 1.0f : V) : 0.0f; }

template <typename T> T sum(T A, T B) { return opaque(A) + opaque(B); }
template <typename T> T product(T A, T B) { return opaque(A) * opaque(B); }
template <typename T> T quotient(T A, T B) { return opaque(A) / opaque(B); }
template <typename T> T fused(T A, T B, T C) { return std::fma(opaque(A), opaque(B), opaque(C)); }

void checkBinaryF32(const std::string &Operation, float (*Oracle)(float, float), bool Sat) {
  auto Values = interestingFloats(60);
  for (const Mode &M : Modes)
    for (bool Ftz : {false, true})
      for (bool Saturate : {false, true}) {
        if (Saturate && !Sat)
          continue;
        std::string Name =
            Operation + "." + M.Name + (Ftz ? ".ftz" : "") + (Saturate ? ".sat" : "") + ".f";
        Compiled F = intrinsic(Name);
        ASSERT_EQ(F.Error, "");
        for (float A : Values)
          for (float B : Values) {
            float X = Ftz ? flush(A) : A, Y = Ftz ? flush(B) : B;
            float Expected = inMode(M.Fenv, [&] { return Oracle(X, Y); });
            Expected = Ftz ? flush(Expected) : Expected;
            if (Saturate)
              Expected = clamp01(Expected);
            EXPECT_SAME_F32(F.f32({bits(A), bits(B)}), Expected, Name << " " << A << " " << B);
          }
      }
}

void checkBinaryF64(const std::string &Operation, double (*Oracle)(double, double)) {
  auto Values = interestingDoubles(60);
  for (const Mode &M : Modes) {
    std::string Name = Operation + "." + M.Name + ".d";
    Compiled F = intrinsic(Name);
    ASSERT_EQ(F.Error, "");
    for (double A : Values)
      for (double B : Values)
        EXPECT_SAME_F64(F.f64({bits(A), bits(B)}), inMode(M.Fenv, [&] { return Oracle(A, B); }),
                        Name << " " << A << " " << B);
  }
}

TEST(Rounding, AddF32) { checkBinaryF32("add", sum<float>, true); }
TEST(Rounding, MulF32) { checkBinaryF32("mul", product<float>, false); }
TEST(Rounding, DivF32) { checkBinaryF32("div", quotient<float>, false); }
TEST(Rounding, AddF64) { checkBinaryF64("add", sum<double>); }
TEST(Rounding, MulF64) { checkBinaryF64("mul", product<double>); }
TEST(Rounding, DivF64) { checkBinaryF64("div", quotient<double>); }

TEST(Rounding, FmaF32) {
  auto Values = interestingFloats(12);
  for (const Mode &M : Modes)
    for (bool Ftz : {false, true}) {
      std::string Name = std::string("fma.") + M.Name + (Ftz ? ".ftz" : "") + ".f";
      Compiled F = intrinsic(Name);
      ASSERT_EQ(F.Error, "");
      for (float A : Values)
        for (float B : Values)
          for (float C : Values) {
            float X = Ftz ? flush(A) : A, Y = Ftz ? flush(B) : B, Z = Ftz ? flush(C) : C;
            float Expected = inMode(M.Fenv, [&] { return fused(X, Y, Z); });
            EXPECT_SAME_F32(F.f32({bits(A), bits(B), bits(C)}), Ftz ? flush(Expected) : Expected,
                            Name << " " << A << " " << B << " " << C);
          }
    }
}

TEST(Rounding, FmaF64) {
  auto Values = interestingDoubles(12);
  // Products that cancel except for their last bits.
  for (double V : {1.0 + 0x1p-30, 1.0 - 0x1p-29, -1.0, 0x1.fffffffp-1, -0x1.0000001p0})
    Values.push_back(V);
  for (const Mode &M : Modes) {
    std::string Name = std::string("fma.") + M.Name + ".d";
    Compiled F = intrinsic(Name);
    ASSERT_EQ(F.Error, "");
    for (double A : Values)
      for (double B : Values)
        for (double C : Values)
          EXPECT_SAME_F64(F.f64({bits(A), bits(B), bits(C)}),
                          inMode(M.Fenv, [&] { return fused(A, B, C); }),
                          Name << " " << A << " " << B << " " << C);
  }
}

TEST(Rounding, SaturatingFmaF32) {
  for (const Mode &M : Modes) {
    Compiled F = intrinsic(std::string("fma.") + M.Name + ".sat.f");
    ASSERT_EQ(F.Error, "");
    EXPECT_EQ(F.f32({bits(2.0f), bits(3.0f), bits(1.0f)}), 1.0f);
    EXPECT_EQ(F.f32({bits(-2.0f), bits(3.0f), bits(1.0f)}), 0.0f);
    EXPECT_EQ(F.f32({bits(0.5f), bits(0.5f), bits(0.25f)}), 0.5f);
    EXPECT_EQ(F({bits(NAN), bits(3.0f), bits(1.0f)}), 0u);
  }
}

TEST(Rounding, UnaryF32) {
  auto Values = interestingFloats(2000);
  for (const Mode &M : Modes)
    for (bool Ftz : {false, true}) {
      std::string Suffix = std::string(".") + M.Name + (Ftz ? ".ftz" : "") + ".f";
      Compiled Rcp = intrinsic("rcp" + Suffix), Sqrt = intrinsic("sqrt" + Suffix);
      for (float A : Values) {
        float X = Ftz ? flush(A) : A;
        float Reciprocal = inMode(M.Fenv, [&] { return quotient(1.0f, X); });
        float Root = inMode(M.Fenv, [&] { return std::sqrt(opaque(X)); });
        EXPECT_SAME_F32(Rcp.f32({bits(A)}), Ftz ? flush(Reciprocal) : Reciprocal, Suffix << A);
        EXPECT_SAME_F32(Sqrt.f32({bits(A)}), Ftz ? flush(Root) : Root, Suffix << A);
      }
    }
}

TEST(Rounding, UnaryF64) {
  auto Values = interestingDoubles(2000);
  for (const Mode &M : Modes) {
    std::string Suffix = std::string(".") + M.Name + ".d";
    Compiled Rcp = intrinsic("rcp" + Suffix), Sqrt = intrinsic("sqrt" + Suffix);
    for (double A : Values) {
      EXPECT_SAME_F64(Rcp.f64({bits(A)}), inMode(M.Fenv, [&] { return quotient(1.0, A); }),
                      Suffix << A);
      EXPECT_SAME_F64(Sqrt.f64({bits(A)}), inMode(M.Fenv, [&] { return std::sqrt(opaque(A)); }),
                      Suffix << A);
    }
  }
}

TEST(Rounding, NarrowingAndIntegers) {
  auto Values = interestingDoubles(2000);
  Random R(5);
  for (const Mode &M : Modes) {
    Compiled D2F = intrinsic(std::string("d2f.") + M.Name);
    Compiled D2FFtz = intrinsic(std::string("d2f.") + M.Name + ".ftz");
    for (double A : Values) {
      float Expected = inMode(M.Fenv, [&] { return static_cast<float>(opaque(A)); });
      EXPECT_SAME_F32(D2F.f32({bits(A)}), Expected, M.Name << A);
      EXPECT_SAME_F32(D2FFtz.f32({bits(A)}), flush(Expected), M.Name << A);
    }
    std::string Suffix = std::string(".") + M.Name;
    Compiled I2F = intrinsic("i2f" + Suffix), UI2F = intrinsic("ui2f" + Suffix);
    Compiled I2D = intrinsic("i2d" + Suffix), UI2D = intrinsic("ui2d" + Suffix);
    Compiled LL2F = intrinsic("ll2f" + Suffix), ULL2F = intrinsic("ull2f" + Suffix);
    Compiled LL2D = intrinsic("ll2d" + Suffix), ULL2D = intrinsic("ull2d" + Suffix);
    std::vector<uint64_t> Integers = {
        0,          1,          ~uint64_t(0),       uint64_t(1) << 63, 0x7fffffff,
        0x80000000, 0xffffffff, 0x7fffffffffffffff, 16777217,          9007199254740993};
    for (unsigned I = 0; I != 500; ++I)
      Integers.push_back(R.next() >> (R.next() & 63));
    auto Check = [&](auto Value, Compiled &ToF, Compiled &ToD) {
      using T = decltype(Value);
      float F = inMode(M.Fenv, [&] { return static_cast<float>(opaque<T>(Value)); });
      double D = inMode(M.Fenv, [&] { return static_cast<double>(opaque<T>(Value)); });
      EXPECT_SAME_F32(ToF.f32({static_cast<U128>(Value)}), F, M.Name << " " << Value);
      EXPECT_SAME_F64(ToD.f64({static_cast<U128>(Value)}), D, M.Name << " " << Value);
    };
    for (uint64_t V : Integers) {
      Check(static_cast<int32_t>(V), I2F, I2D);
      Check(static_cast<uint32_t>(V), UI2F, UI2D);
      Check(static_cast<int64_t>(V), LL2F, LL2D);
      // x86 converts unsigned 64-bit numbers in several steps, which are correct only in round to
      // nearest; the x87's 64-bit significand holds them exactly.
      float F = inMode(M.Fenv, [&] { return static_cast<float>(opaque<long double>(V)); });
      double D = inMode(M.Fenv, [&] { return static_cast<double>(opaque<long double>(V)); });
      EXPECT_SAME_F32(ULL2F.f32({V}), F, M.Name << " " << V);
      EXPECT_SAME_F64(ULL2D.f64({V}), D, M.Name << " " << V);
    }
  }
}

} // namespace
