//===- SoftFloat.h - Software floating-point arithmetic ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPU instructions select a rounding mode, and GPUs have formats that the CPU lacks. Results are
// computed exactly, in 128-bit integers, and rounded once. The CPU's own rounding mode is never
// changed, so GPU threads may switch at any point.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_INTRINSICS_SOFTFLOAT_H
#define GMPROF_CPU_INTRINSICS_SOFTFLOAT_H

#include <cstdint>

namespace gmprof::cpu {

/// Rounding modes of PTX: to nearest even, to zero, down, up, to nearest away from zero.
enum class Rounding : uint32_t { RN, RZ, RM, RP, RNA };

/// Binary format: sign, exponent with the usual bias, fraction.
struct FloatFormat {
  unsigned ExponentBits, FractionBits;
  uint64_t MaxFinite;  ///< encoding of the largest number
  uint64_t Infinity;   ///< encoding of infinity; 0: the format has none
  uint64_t DefaultNaN; ///< NaN that PTX yields; MaxFinite if the format has none

  unsigned signBit() const { return ExponentBits + FractionBits; }
  int bias() const { return (1 << (ExponentBits - 1)) - 1; }
};

inline constexpr FloatFormat F64{11, 52, 0x7fefffffffffffff, 0x7ff0000000000000,
                                 0xfff8000000000000};
inline constexpr FloatFormat F32{8, 23, 0x7f7fffff, 0x7f800000, 0x7fffffff};
inline constexpr FloatFormat F16{5, 10, 0x7bff, 0x7c00, 0x7fff};
inline constexpr FloatFormat BF16{8, 7, 0x7f7f, 0x7f80, 0x7fff};
inline constexpr FloatFormat TF32{8, 10, 0x3fbff, 0x3fc00, 0x3ffff}; // in 19 bits
inline constexpr FloatFormat E5M2{5, 2, 0x7b, 0x7c, 0x7f};
inline constexpr FloatFormat E4M3{4, 3, 0x7e, 0, 0x7f};
inline constexpr FloatFormat E3M2{3, 2, 0x1f, 0, 0x1f};
inline constexpr FloatFormat E2M3{2, 3, 0x1f, 0, 0x1f};
inline constexpr FloatFormat E2M1{2, 1, 0x7, 0, 0x7};

/// Unpacked number: Significand * 2^Exponent.
struct Unpacked {
  enum Class : uint8_t { Zero, Finite, Infinite, NaN } Kind;
  bool Negative;
  int Exponent;
  unsigned __int128 Significand;
};

Unpacked unpack(const FloatFormat &Format, uint64_t Bits);

/// Rounds to Format; the lowest bit of the significand may represent any non-zero remainder below
/// it. With SatFinite, overflow yields the largest number.
uint64_t pack(const FloatFormat &Format, const Unpacked &Value, Rounding Mode,
              bool SatFinite = false);

/// Computes A*B + C, rounded once. A + B is softFma(A, 1, B).
uint64_t softFma(const FloatFormat &Format, uint64_t A, uint64_t B, uint64_t C, Rounding Mode);
uint64_t softMul(const FloatFormat &Format, uint64_t A, uint64_t B, Rounding Mode);
uint64_t softDiv(const FloatFormat &Format, uint64_t A, uint64_t B, Rounding Mode);
uint64_t softSqrt(const FloatFormat &Format, uint64_t A, Rounding Mode);
uint64_t softConvert(const FloatFormat &From, const FloatFormat &To, uint64_t Bits, Rounding Mode,
                     bool SatFinite = false);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_INTRINSICS_SOFTFLOAT_H
