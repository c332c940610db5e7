//===- MathHelpers.cpp - Floating-point helpers ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "SoftFloat.h"

#include <bit>
#include <cmath>

namespace gmprof::cpu {

static uint32_t bits(float V) { return std::bit_cast<uint32_t>(V); }
static uint64_t bits(double V) { return std::bit_cast<uint64_t>(V); }
static float toFloat(uint64_t Bits) { return std::bit_cast<float>(uint32_t(Bits)); }
static double toDouble(uint64_t Bits) { return std::bit_cast<double>(Bits); }

static bool finite(double V) { return (bits(V) >> 52 & 0x7ff) != 0x7ff; }

/// Returns the float next to V, away from or towards zero. V is not zero.
static float step(float V, bool Away) { return toFloat(Away ? bits(V) + 1 : bits(V) - 1); }

/// Rounds Value + Rest to single precision. Value + Rest is exact, and |Rest| is at most half an
/// ulp of Value.
static float directed(double Value, double Rest, Rounding Mode) {
  float Nearest = static_cast<float>(Value);
  double Error = Value - static_cast<double>(Nearest); // exact
  if (Error == 0)
    Error = Rest;
  if (Error == 0)
    return Nearest;
  // Nearest is a neighbour of the exact number: above it if Error is negative.
  bool Negative = std::signbit(Nearest);
  bool Above = Error < 0;
  bool WantAbove = Mode == Rounding::RP || (Mode == Rounding::RZ && Negative);
  if (Above == WantAbove)
    return Nearest;
  if (Nearest == 0)
    return toFloat(WantAbove ? 1 : 0x80000001);
  return step(Nearest, Negative != WantAbove);
}

/// Adds X and Y, which are single-precision numbers or their products and thus exact in double
/// precision.
static float directedSum(double X, double Y, Rounding Mode) {
  double Sum = X + Y;
  if (!finite(Sum))
    return std::isnan(Sum) ? toFloat(F32.DefaultNaN) : static_cast<float>(Sum);
  if (Sum == 0 && Mode == Rounding::RM && (X != 0 || std::signbit(X) != std::signbit(Y)))
    return -0.0f;
  double Part = Sum - X;
  double Rest = (X - (Sum - Part)) + (Y - Part);
  return directed(Sum, Rest, Mode);
}

static float addF32(float A, float B, Rounding Mode) { return directedSum(A, B, Mode); }

static float fmaF32(float A, float B, float C, Rounding Mode) {
  return directedSum(static_cast<double>(A) * B, C, Mode);
}

static float mulF32(float A, float B, Rounding Mode) {
  double Product = static_cast<double>(A) * B;
  if (!finite(Product))
    return std::isnan(Product) ? toFloat(F32.DefaultNaN) : static_cast<float>(Product);
  return directed(Product, 0, Mode);
}

static float divF32(float A, float B, Rounding Mode) {
  return toFloat(softDiv(F32, bits(A), bits(B), Mode));
}
static float rcpF32(float A, Rounding Mode) { return divF32(1.0f, A, Mode); }
static float sqrtF32(float A, Rounding Mode) { return toFloat(softSqrt(F32, bits(A), Mode)); }

static double addF64(double A, double B, Rounding Mode) {
  return toDouble(softFma(F64, bits(A), bits(1.0), bits(B), Mode));
}
static double mulF64(double A, double B, Rounding Mode) {
  return toDouble(softMul(F64, bits(A), bits(B), Mode));
}
static double fmaF64(double A, double B, double C, Rounding Mode) {
  return toDouble(softFma(F64, bits(A), bits(B), bits(C), Mode));
}
static double divF64(double A, double B, Rounding Mode) {
  return toDouble(softDiv(F64, bits(A), bits(B), Mode));
}
static double rcpF64(double A, Rounding Mode) { return divF64(1.0, A, Mode); }
static double sqrtF64(double A, Rounding Mode) { return toDouble(softSqrt(F64, bits(A), Mode)); }

static float ex2F32(float A) { return static_cast<float>(std::exp2(static_cast<double>(A))); }
static float lg2F32(float A) { return static_cast<float>(std::log2(static_cast<double>(A))); }
static double lg2F64(double A) { return std::log2(A); }
static float sinF32(float A) { return static_cast<float>(std::sin(static_cast<double>(A))); }
static float cosF32(float A) { return static_cast<float>(std::cos(static_cast<double>(A))); }
static float tanhF32(float A) { return static_cast<float>(std::tanh(static_cast<double>(A))); }

std::span<const Helper> mathHelpers() {
  static const Helper Helpers[] = {
      helper("gm_add_f32", addF32), helper("gm_add_f64", addF64),   helper("gm_mul_f32", mulF32),
      helper("gm_mul_f64", mulF64), helper("gm_fma_f32", fmaF32),   helper("gm_fma_f64", fmaF64),
      helper("gm_div_f32", divF32), helper("gm_div_f64", divF64),   helper("gm_rcp_f32", rcpF32),
      helper("gm_rcp_f64", rcpF64), helper("gm_sqrt_f32", sqrtF32), helper("gm_sqrt_f64", sqrtF64),
      helper("gm_ex2_f32", ex2F32), helper("gm_lg2_f32", lg2F32),   helper("gm_lg2_f64", lg2F64),
      helper("gm_sin_f32", sinF32), helper("gm_cos_f32", cosF32),   helper("gm_tanh_f32", tanhF32),
  };
  return Helpers;
}

} // namespace gmprof::cpu
