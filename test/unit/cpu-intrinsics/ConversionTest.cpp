//===- ConversionTest.cpp - Conversions between numbers -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Narrow formats are checked against the nearest of all their numbers.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <limits>

using namespace gmprof::cpu::test;

namespace {

//===----------------------------------------------------------------------===//
// To integers
//===----------------------------------------------------------------------===//

double rounded(const std::string &Mode, double V) {
  double Floor = std::floor(V);
  if (Mode == "rm")
    return Floor;
  if (Mode == "rp")
    return std::ceil(V);
  if (Mode == "rz")
    return V < 0 ? std::ceil(V) : Floor;
  double Rest = V - Floor;
  if (Rest != 0.5)
    return Rest < 0.5 ? Floor : std::ceil(V);
  return std::fmod(Floor, 2) == 0 ? Floor : Floor + 1;
}

template <typename T> T clamped(double V) {
  // Both limits are exact in double precision, or rounded away from zero.
  if (V <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (V >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(V);
}

/// Returns PTX's result for NaN: zero unless a side has 64 bits.
template <typename T> T fromNaN(bool Double) {
  if (sizeof(T) < 8 && !Double)
    return 0;
  return static_cast<T>(uint64_t(1) << (sizeof(T) * 8 - 1));
}

template <typename T> void checkToInteger(const std::string &Name, bool Double) {
  for (const char *Mode : {"rn", "rz", "rm", "rp"})
    for (bool Ftz : {false, true}) {
      if (Ftz && Double)
        continue;
      Compiled F = intrinsic(Name + "." + Mode + (Ftz ? ".ftz" : ""));
      ASSERT_EQ(F.Error, "");
      auto Check = [&](double V, U128 Bits) {
        double In = Ftz && std::fpclassify(static_cast<float>(V)) == FP_SUBNORMAL ? 0 : V;
        T Expected = std::isnan(V) ? fromNaN<T>(Double) : clamped<T>(rounded(Mode, In));
        EXPECT_EQ(static_cast<T>(F({Bits})), Expected) << Name << " " << Mode << " " << V;
      };
      if (Double) {
        for (double V : interestingDoubles(300))
          Check(V, bits(V));
        for (double V : {0.5, -0.5, 2147483647.5, -2147483648.5, 4294967295.5})
          Check(V, bits(V));
      } else {
        for (float V : interestingFloats(300))
          Check(V, bits(V));
        for (float V : {0.5f, -0.5f, 3.5f, 4.5f, -1.5f})
          Check(V, bits(V));
      }
    }
}

TEST(Conversion, FloatToInteger) {
  checkToInteger<int32_t>("f2i", false);
  checkToInteger<uint32_t>("f2ui", false);
  checkToInteger<int64_t>("f2ll", false);
  checkToInteger<uint64_t>("f2ull", false);
}

TEST(Conversion, DoubleToInteger) {
  checkToInteger<int32_t>("d2i", true);
  checkToInteger<uint32_t>("d2ui", true);
  checkToInteger<int64_t>("d2ll", true);
  checkToInteger<uint64_t>("d2ull", true);
}

TEST(Conversion, HalvesOfDouble) {
  EXPECT_EQ(intrinsic("d2i.lo")({0x123456789abcdef0}), 0x9abcdef0u);
  EXPECT_EQ(intrinsic("d2i.hi")({0x123456789abcdef0}), 0x12345678u);
  EXPECT_EQ(intrinsic("lohi.i2d")({0x9abcdef0, 0x12345678}), 0x123456789abcdef0u);
}

//===----------------------------------------------------------------------===//
// To narrow formats
//===----------------------------------------------------------------------===//

/// Parameters of a format, from which the oracle computes its values.
struct Narrow {
  int Exponent, Fraction;
  bool HasInfinity, HasNaN;
  int totalBits() const { return 1 + Exponent + Fraction; }
  int bias() const { return (1 << (Exponent - 1)) - 1; }

  /// Returns the value of an encoding without sign, infinity and NaN included.
  double value(uint32_t Magnitude) const {
    int E = Magnitude >> Fraction;
    double F = Magnitude & ((1 << Fraction) - 1);
    bool Top = E == (1 << Exponent) - 1;
    if (Top && HasInfinity)
      return F == 0 ? INFINITY : NAN;
    if (Top && HasNaN && F == (1 << Fraction) - 1)
      return NAN;
    double Unit = std::ldexp(1.0, (E ? E : 1) - bias() - Fraction);
    return Unit * (E ? F + (1 << Fraction) : F);
  }

  uint32_t maxFinite() const {
    if (HasInfinity)
      return (((1 << Exponent) - 1) << Fraction) - 1;
    return (1 << (totalBits() - 1)) - 1 - HasNaN;
  }

  /// Rounds V >= 0 in a mode; returns `Overflow` for values beyond the largest number.
  uint32_t encode(double V, const std::string &Mode, uint32_t Overflow) const {
    uint32_t Below = 0, Max = maxFinite();
    for (uint32_t Bit = 1u << (totalBits() - 2); Bit; Bit >>= 1)
      if ((Below | Bit) <= Max && value(Below | Bit) <= V)
        Below |= Bit;
    double Low = value(Below);
    if (V == Low)
      return Below;
    bool Last = Below == Max;
    double High = Last ? 2 * Low - value(Below - 1) : value(Below + 1);
    if (V >= High)
      return Mode == "rz" ? Below : Overflow;
    bool Up = Mode == "rz"          ? false
              : V - Low != High - V ? V - Low > High - V
              : Mode == "rna"       ? true
                                    : Below % 2 != 0;
    return !Up ? Below : Last ? Overflow : Below + 1;
  }
};

constexpr Narrow Half{5, 10, true, true}, BFloat{8, 7, true, true}, E5M2{5, 2, true, true},
    E4M3{4, 3, false, true}, E3M2{3, 2, false, false}, E2M3{2, 3, false, false},
    E2M1{2, 1, false, false};

std::vector<float> narrowInputs() {
  std::vector<float> V = interestingFloats(50);
  Random R(9);
  for (int I = 0; I != 400; ++I) // about the range of the narrow formats
    V.push_back(std::ldexp(1.0f + (R.next() & 0xffff) / 65536.0f, int(R.next() % 40) - 24) *
                (R.next() & 1 ? 1 : -1));
  for (float X : {65504.0f, 65519.9f, 65520.0f, 448.0f, 464.0f, 464.1f, 480.0f, 57344.0f, 61440.0f,
                  6.0f, 5.0f, 7.0f, 28.0f, 7.5f, 0.0009765625f, 1.00048828125f, 1.00146484375f})
    V.push_back(X);
  return V;
}

/// Returns the expected encoding. In a format without NaN, NaN becomes the largest number.
uint32_t expected(const Narrow &N, float V, const std::string &Mode, bool Relu, bool SatFinite) {
  if (std::isnan(V))
    return N.HasNaN ? (1 << (N.totalBits() - 1)) - 1 : N.maxFinite();
  if (Relu && V < 0)
    return 0;
  uint32_t Sign = std::signbit(V) && !(Relu && V == 0) ? 1u << (N.totalBits() - 1) : 0;
  uint32_t Infinity = ((1 << N.Exponent) - 1) << N.Fraction;
  uint32_t Overflow = SatFinite || !N.HasInfinity ? N.maxFinite() : Infinity;
  if (std::isinf(V))
    return Sign | Overflow;
  return Sign | N.encode(std::fabs(V), Mode, Overflow);
}

TEST(Conversion, FloatToHalfAndBFloat) {
  for (bool Bf : {false, true})
    for (const char *Mode : {"rn", "rz"})
      for (bool Relu : {false, true})
        for (bool Sat : {false, true}) {
          const Narrow &N = Bf ? BFloat : Half;
          std::string Suffix =
              std::string(".") + Mode + (Relu ? ".relu" : "") + (Sat ? ".satfinite" : "");
          Compiled One = intrinsic((Bf ? "f2bf16" : "f2f16") + Suffix);
          Compiled Two = intrinsic((Bf ? "ff2bf16x2" : "ff2f16x2") + Suffix);
          ASSERT_EQ(One.Error, "");
          ASSERT_EQ(Two.Error, "");
          for (float V : narrowInputs()) {
            uint32_t E = expected(N, V, Mode, Relu, Sat);
            EXPECT_EQ(One({bits(V)}), E) << Suffix << " " << V;
            uint32_t First = expected(N, 1.0f, Mode, Relu, Sat);
            EXPECT_EQ(Two({bits(1.0f), bits(V)}), First << 16 | E) << Suffix << " " << V;
          }
        }
}

TEST(Conversion, HalfBits) {
  Compiled F = intrinsic("f2h.rn"), Ftz = intrinsic("f2h.rn.ftz"), Bf = intrinsic("bf2h.rn");
  for (float V : narrowInputs())
    EXPECT_EQ(F({bits(V)}), expected(Half, V, "rn", false, false)) << V;
  EXPECT_EQ(Ftz({0x80000001}), 0x8000u);
  EXPECT_EQ(Bf({0x3fc0}), 0x3e00u); // 1.5
  EXPECT_EQ(Bf({0x7f80}), 0x7c00u);
}

TEST(Conversion, FloatToTF32) {
  Compiled RNA = intrinsic("f2tf32.rna"), RN = intrinsic("f2tf32.rn"), RZ = intrinsic("f2tf32.rz");
  Random R(3);
  for (int I = 0; I != 1000; ++I) {
    float V = asFloat((R.next() & 0x3ffffff) | 0x3c000000); // about 2^-7 to 2^9
    uint32_t Kept = bits(V) & ~0x1fffu, Rest = bits(V) & 0x1fff;
    EXPECT_EQ(RZ({bits(V)}), Kept);
    EXPECT_EQ(RNA({bits(V)}), Rest >= 0x1000 ? Kept + 0x2000 : Kept);
    bool Up = Rest > 0x1000 || (Rest == 0x1000 && (Kept & 0x2000));
    EXPECT_EQ(RN({bits(V)}), Up ? Kept + 0x2000 : Kept);
  }
  EXPECT_EQ(RNA({0x3f801000}), 0x3f802000u);
  EXPECT_EQ(RN({0x3f801000}), 0x3f800000u);
  EXPECT_EQ(RN({0x7f7fffff}), 0x7f800000u);
  EXPECT_EQ(intrinsic("f2tf32.rn.satfinite")({0x7f7fffff}), 0x7f7fe000u);
  EXPECT_EQ(RN({bits(NAN)}), 0x7fffffffu);
}

void checkPair(const std::string &Name, const Narrow &N, int Width) {
  Compiled F = intrinsic(Name);
  ASSERT_EQ(F.Error, "") << Name;
  bool Relu = Name.find("relu") != std::string::npos;
  for (float V : narrowInputs()) {
    uint32_t Low = expected(N, V, "rn", Relu, true), High = expected(N, 1.0f, "rn", Relu, true);
    EXPECT_EQ(F({bits(1.0f), bits(V)}), High << Width | Low) << Name << " " << V;
  }
}

TEST(Conversion, FloatsToEightBitsAndLess) {
  checkPair("ff.to.e5m2x2.rn", E5M2, 8);
  checkPair("ff.to.e5m2x2.rn.relu", E5M2, 8);
  checkPair("ff.to.e4m3x2.rn", E4M3, 8);
  checkPair("ff.to.e4m3x2.rn.relu", E4M3, 8);
  checkPair("ff.to.e3m2x2.rn.satfinite", E3M2, 8);
  checkPair("ff.to.e2m3x2.rn.satfinite", E2M3, 8);
  checkPair("ff.to.e2m1x2.rn.satfinite", E2M1, 4);
  EXPECT_EQ(intrinsic("f16x2.to.e4m3x2.rn")({0x3c004000}), 0x3840u); // 1, 2
}

void checkFrom(const std::string &Name, const Narrow &N, int Width) {
  Compiled F = intrinsic(Name);
  ASSERT_EQ(F.Error, "") << Name;
  for (uint32_t Bits = 0; Bits != 1u << N.totalBits(); ++Bits) {
    double V = N.value(Bits & ((1 << (N.totalBits() - 1)) - 1));
    uint32_t Sign = Bits >> (N.totalBits() - 1) ? 0x8000 : 0;
    uint32_t E = std::isnan(V)   ? 0x7fff
                 : std::isinf(V) ? Sign | 0x7c00
                                 : Sign | Half.encode(V, "rn", 0x7c00);
    uint32_t One = uint32_t(N.bias()) << N.Fraction;
    EXPECT_EQ(F({One << Width | Bits}), 0x3c00u << 16 | E) << Name << " " << Bits;
  }
}

TEST(Conversion, FromEightBitsAndLess) {
  checkFrom("e5m2x2.to.f16x2.rn", E5M2, 8);
  checkFrom("e4m3x2.to.f16x2.rn", E4M3, 8);
  checkFrom("e3m2x2.to.f16x2.rn", E3M2, 8);
  checkFrom("e2m3x2.to.f16x2.rn", E2M3, 8);
  checkFrom("e2m1x2.to.f16x2.rn", E2M1, 4);
  // -1 becomes 0.
  EXPECT_EQ(intrinsic("e4m3x2.to.f16x2.rn.relu")({0x38b8}), 0x3c000000u);
}

TEST(Conversion, PowersOfTwo) {
  Compiled RZ = intrinsic("ff.to.ue8m0x2.rz"), RP = intrinsic("ff.to.ue8m0x2.rp");
  EXPECT_EQ(RZ({bits(1.0f), bits(3.0f)}), 127u << 8 | 128);
  EXPECT_EQ(RP({bits(1.0f), bits(3.0f)}), 127u << 8 | 129);
  EXPECT_EQ(RP({bits(2.0f), bits(NAN)}), 128u << 8 | 255);
  EXPECT_EQ(RZ({0, bits(INFINITY)}), 255u);
  EXPECT_EQ(intrinsic("ff.to.ue8m0x2.rz.satfinite")({0, bits(INFINITY)}), 254u);
  // 2^1 and 2^-1 as bfloats.
  EXPECT_EQ(intrinsic("ue8m0x2.to.bf16x2")({128u << 8 | 126}), 0x40003f00u);
  EXPECT_EQ(intrinsic("bf16x2.to.ue8m0x2.rp")({0x40003f80}), 128u << 8 | 127);
}

} // namespace
