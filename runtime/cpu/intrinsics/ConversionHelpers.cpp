//===- ConversionHelpers.cpp - Conversions called by lowered code ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConversionFormats.h"
#include "Helpers.h"
#include "SoftFloat.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace gmprof::cpu {

static const FloatFormat &formatOf(FormatId Id) {
  switch (Id) {
  case FormatId::F64:
    return F64;
  case FormatId::F32:
    return F32;
  case FormatId::F16:
    return F16;
  case FormatId::BF16:
    return BF16;
  case FormatId::TF32:
    return TF32;
  case FormatId::E5M2:
    return E5M2;
  case FormatId::E4M3:
    return E4M3;
  case FormatId::E3M2:
    return E3M2;
  case FormatId::E2M3:
    return E2M3;
  case FormatId::E2M1:
    return E2M1;
  case FormatId::UE8M0:
    break;
  }
  std::abort();
}

/// Returns a number's exponent, rounded up if RP, in 8 bits with bias 127; 0xff is NaN. Ignores the
/// sign.
static uint64_t toExponentOnly(const Unpacked &V, Rounding Mode, bool SatFinite) {
  switch (V.Kind) {
  case Unpacked::NaN:
    return 0xff;
  case Unpacked::Infinite:
    return SatFinite ? 0xfe : 0xff;
  case Unpacked::Zero:
    return 0;
  case Unpacked::Finite:
    break;
  }
  int Leading = 63 - std::countl_zero(uint64_t(V.Significand));
  bool PowerOfTwo = std::has_single_bit(uint64_t(V.Significand));
  int Exponent = V.Exponent + Leading + (Mode == Rounding::RP && !PowerOfTwo);
  if (Exponent > 127)
    return SatFinite ? 0xfe : 0xff;
  return std::max(Exponent + 127, 0);
}

static Unpacked fromExponentOnly(uint64_t Bits) {
  if (Bits == 0xff)
    return {Unpacked::NaN, false, 0, 0};
  return {Unpacked::Finite, false, int(Bits) - 127, 1};
}

static uint64_t convert(uint64_t Bits, FormatId From, FormatId To, Rounding Mode, uint32_t Relu,
                        uint32_t SatFinite) {
  Unpacked V = From == FormatId::UE8M0  ? fromExponentOnly(Bits)
               : From == FormatId::TF32 ? unpack(TF32, Bits >> 13)
                                        : unpack(formatOf(From), Bits);
  if (Relu && V.Negative && V.Kind != Unpacked::NaN)
    V = {Unpacked::Zero, false, 0, 0};
  if (To == FormatId::UE8M0)
    return toExponentOnly(V, Mode, SatFinite);
  if (To != FormatId::TF32)
    return pack(formatOf(To), V, Mode, SatFinite);
  return V.Kind == Unpacked::NaN ? F32.DefaultNaN : pack(TF32, V, Mode, SatFinite) << 13;
}

static Unpacked integer(uint64_t V, bool Signed) {
  if (V == 0)
    return {Unpacked::Zero, false, 0, 0};
  bool Negative = Signed && int64_t(V) < 0;
  return {Unpacked::Finite, Negative, 0, Negative ? -V : V};
}

static uint64_t convertInt(uint64_t V, uint32_t Signed, FormatId To, Rounding Mode) {
  return pack(formatOf(To), integer(V, Signed), Mode);
}

/// Finds the n-th set bit: the Offset-th one (counted from 1) of Mask at or beyond Base, downwards
/// if Offset is negative.
static uint32_t fns(uint32_t Mask, uint32_t Base, int32_t Offset) {
  if (Base > 31)
    return ~0u;
  if (Offset == 0)
    return Mask >> Base & 1 ? Base : ~0u;
  int Step = Offset > 0 ? 1 : -1;
  int64_t Left = std::abs(int64_t(Offset));
  for (int Place = Base; Place >= 0 && Place < 32; Place += Step)
    if ((Mask >> Place & 1) && --Left == 0)
      return Place;
  return ~0u;
}

//===----------------------------------------------------------------------===//
// Library functions of the x86 code generator for half and bfloat. They pass and return these in
// the lower bits of an SSE register, as a float.
//===----------------------------------------------------------------------===//

static float inLowBits(uint64_t Bits) { return std::bit_cast<float>(uint32_t(Bits)); }

static float truncSFHF(float V) {
  return inLowBits(softConvert(F32, F16, std::bit_cast<uint32_t>(V), Rounding::RN));
}
static float truncDFHF(double V) {
  return inLowBits(softConvert(F64, F16, std::bit_cast<uint64_t>(V), Rounding::RN));
}
static float truncSFBF(float V) {
  return inLowBits(softConvert(F32, BF16, std::bit_cast<uint32_t>(V), Rounding::RN));
}
static float truncDFBF(double V) {
  return inLowBits(softConvert(F64, BF16, std::bit_cast<uint64_t>(V), Rounding::RN));
}
static float extendHFSF(float V) {
  return inLowBits(softConvert(F16, F32, std::bit_cast<uint32_t>(V) & 0xffff, Rounding::RN));
}

std::span<const Helper> conversionHelpers() {
  static const Helper Helpers[] = {
      helper("gm_convert", convert),
      helper("gm_convert_int", convertInt),
      helper("gm_fns", fns),
      helper("__truncsfhf2", truncSFHF),
      helper("__truncdfhf2", truncDFHF),
      helper("__truncsfbf2", truncSFBF),
      helper("__truncdfbf2", truncDFBF),
      helper("__extendhfsf2", extendHFSF),
  };
  return Helpers;
}

} // namespace gmprof::cpu
