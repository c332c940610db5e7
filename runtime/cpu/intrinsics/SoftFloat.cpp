//===- SoftFloat.cpp - Software floating-point arithmetic -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftFloat.h"

#include <bit>
#include <initializer_list>
#include <utility>

namespace gmprof::cpu {

using U128 = unsigned __int128;

static int bitLength(U128 V) {
  uint64_t High = V >> 64;
  return High ? 128 - std::countl_zero(High) : 64 - std::countl_zero(uint64_t(V));
}

/// Returns V / 2^Shift; sets the lowest bit if any bit was lost.
static U128 shiftRightJam(U128 V, int Shift) {
  if (Shift == 0)
    return V;
  if (Shift >= 128)
    return V != 0;
  return (V >> Shift) | ((V << (128 - Shift)) != 0);
}

Unpacked unpack(const FloatFormat &Format, uint64_t Bits) {
  bool Negative = Bits >> Format.signBit() & 1;
  uint64_t Magnitude = Bits & ((uint64_t(1) << Format.signBit()) - 1);
  if (Magnitude > Format.MaxFinite)
    return {Magnitude == Format.Infinity ? Unpacked::Infinite : Unpacked::NaN, Negative, 0, 0};
  int Exponent = Magnitude >> Format.FractionBits;
  uint64_t Significand = Magnitude & ((uint64_t(1) << Format.FractionBits) - 1);
  if (Exponent)
    Significand |= uint64_t(1) << Format.FractionBits;
  else
    Exponent = 1;
  if (Significand == 0)
    return {Unpacked::Zero, Negative, 0, 0};
  return {Unpacked::Finite, Negative, Exponent - Format.bias() - int(Format.FractionBits),
          Significand};
}

static uint64_t overflow(const FloatFormat &Format, bool Negative, Rounding Mode, bool SatFinite) {
  bool AwayFromZero = Mode == Rounding::RN || Mode == Rounding::RNA ||
                      Mode == (Negative ? Rounding::RM : Rounding::RP);
  if (SatFinite || !AwayFromZero)
    return Format.MaxFinite;
  return Format.Infinity ? Format.Infinity : Format.DefaultNaN;
}

uint64_t pack(const FloatFormat &Format, const Unpacked &Value, Rounding Mode, bool SatFinite) {
  uint64_t Sign = uint64_t(Value.Negative) << Format.signBit();
  switch (Value.Kind) {
  case Unpacked::Zero:
    return Sign;
  case Unpacked::NaN:
    return Format.DefaultNaN;
  case Unpacked::Infinite:
    return Sign |
           (SatFinite ? Format.MaxFinite : overflow(Format, Value.Negative, Rounding::RN, false));
  case Unpacked::Finite:
    break;
  }

  const int Fraction = Format.FractionBits;
  const int MinExponent = 1 - Format.bias();
  int Leading = Value.Exponent + bitLength(Value.Significand) - 1;
  int Unit = (Leading < MinExponent ? MinExponent : Leading) - Fraction; // exponent of the last bit
  int Shift = Unit - Value.Exponent;
  U128 Kept;
  if (Shift <= 0)
    Kept = Value.Significand << -Shift;
  else {
    // Three extra bits determine the rounding: half, below half, any.
    U128 Extended =
        Shift >= 3 ? shiftRightJam(Value.Significand, Shift - 3) : Value.Significand << (3 - Shift);
    unsigned Rest = Extended & 7;
    Kept = Extended >> 3;
    bool Up = false;
    switch (Mode) {
    case Rounding::RN:
      Up = Rest > 4 || (Rest == 4 && (Kept & 1));
      break;
    case Rounding::RNA:
      Up = Rest >= 4;
      break;
    case Rounding::RZ:
      break;
    case Rounding::RM:
      Up = Rest && Value.Negative;
      break;
    case Rounding::RP:
      Up = Rest && !Value.Negative;
      break;
    }
    Kept += Up;
  }
  // A carry out of the fraction, or out of the denormals, is a carry into the exponent field, which
  // matches adding the hidden bit.
  uint64_t Magnitude = uint64_t(Kept);
  if (Unit > MinExponent - Fraction)
    Magnitude += uint64_t(Unit - (MinExponent - Fraction)) << Fraction;
  if (Unit + Fraction > Format.bias() + 1 || Magnitude > Format.MaxFinite)
    Magnitude = overflow(Format, Value.Negative, Mode, SatFinite);
  return Sign | Magnitude;
}

/// Returns the NaN of an operation with NaN operands: double precision keeps the payload, other
/// formats do not.
static uint64_t propagateNaN(const FloatFormat &Format, std::initializer_list<uint64_t> Operands) {
  if (Format.FractionBits == F64.FractionBits)
    for (uint64_t Bits : Operands)
      if (unpack(Format, Bits).Kind == Unpacked::NaN)
        return Bits | uint64_t(1) << (Format.FractionBits - 1);
  return Format.DefaultNaN;
}

/// Returns X + Y, exact except for the sticky lowest bit.
static Unpacked add(Unpacked X, Unpacked Y, Rounding Mode) {
  if (X.Kind == Unpacked::Zero && Y.Kind == Unpacked::Zero) {
    X.Negative = X.Negative == Y.Negative ? X.Negative : Mode == Rounding::RM;
    return X;
  }
  if (X.Kind == Unpacked::Zero)
    return Y;
  if (Y.Kind == Unpacked::Zero)
    return X;

  // Aligns leading bits at bit 126: a product of doubles (106 bits) can be shifted by one without
  // loss, and only then can subtraction cancel leading bits.
  for (Unpacked *V : {&X, &Y}) {
    int Shift = 127 - bitLength(V->Significand);
    V->Significand <<= Shift;
    V->Exponent -= Shift;
  }
  if (X.Exponent < Y.Exponent)
    std::swap(X, Y);
  Y.Significand = shiftRightJam(Y.Significand, X.Exponent - Y.Exponent);
  if (X.Negative == Y.Negative) {
    X.Significand += Y.Significand;
    return X;
  }
  if (X.Significand == Y.Significand)
    return {Unpacked::Zero, Mode == Rounding::RM, 0, 0};
  if (X.Significand < Y.Significand) {
    X.Significand = Y.Significand - X.Significand;
    X.Negative = Y.Negative;
  } else
    X.Significand -= Y.Significand;
  return X;
}

/// Returns the exact product of numbers that are not NaN, or a NaN for 0 * infinity.
static Unpacked multiply(const Unpacked &X, const Unpacked &Y) {
  bool Negative = X.Negative != Y.Negative;
  if (X.Kind == Unpacked::Infinite || Y.Kind == Unpacked::Infinite)
    return {X.Kind == Unpacked::Zero || Y.Kind == Unpacked::Zero ? Unpacked::NaN
                                                                 : Unpacked::Infinite,
            Negative, 0, 0};
  if (X.Kind == Unpacked::Zero || Y.Kind == Unpacked::Zero)
    return {Unpacked::Zero, Negative, 0, 0};
  return {Unpacked::Finite, Negative, X.Exponent + Y.Exponent, X.Significand * Y.Significand};
}

uint64_t softMul(const FloatFormat &Format, uint64_t A, uint64_t B, Rounding Mode) {
  Unpacked X = unpack(Format, A), Y = unpack(Format, B);
  if (X.Kind == Unpacked::NaN || Y.Kind == Unpacked::NaN)
    return propagateNaN(Format, {A, B});
  return pack(Format, multiply(X, Y), Mode);
}

uint64_t softFma(const FloatFormat &Format, uint64_t A, uint64_t B, uint64_t C, Rounding Mode) {
  Unpacked X = unpack(Format, A), Y = unpack(Format, B), Z = unpack(Format, C);
  if (X.Kind == Unpacked::NaN || Y.Kind == Unpacked::NaN || Z.Kind == Unpacked::NaN)
    return propagateNaN(Format, {A, B, C});
  Unpacked Product = multiply(X, Y);
  if (Product.Kind == Unpacked::NaN)
    return Format.DefaultNaN;
  if (Product.Kind == Unpacked::Infinite) {
    if (Z.Kind == Unpacked::Infinite && Z.Negative != Product.Negative)
      return Format.DefaultNaN;
    return pack(Format, Product, Mode);
  }
  if (Z.Kind == Unpacked::Infinite)
    return pack(Format, Z, Mode);
  return pack(Format, add(Product, Z, Mode), Mode);
}

uint64_t softDiv(const FloatFormat &Format, uint64_t A, uint64_t B, Rounding Mode) {
  Unpacked X = unpack(Format, A), Y = unpack(Format, B);
  if (X.Kind == Unpacked::NaN || Y.Kind == Unpacked::NaN)
    return propagateNaN(Format, {A, B});
  bool Negative = X.Negative != Y.Negative;
  if (X.Kind == Y.Kind && X.Kind != Unpacked::Finite)
    return Format.DefaultNaN; // 0/0, inf/inf
  if (X.Kind == Unpacked::Infinite || Y.Kind == Unpacked::Zero)
    return pack(Format, {Unpacked::Infinite, Negative, 0, 0}, Mode);
  if (X.Kind == Unpacked::Zero || Y.Kind == Unpacked::Infinite)
    return pack(Format, {Unpacked::Zero, Negative, 0, 0}, Mode);
  int Shift = 126 - bitLength(X.Significand);
  U128 Numerator = X.Significand << Shift;
  U128 Quotient = Numerator / Y.Significand;
  if (Quotient * Y.Significand != Numerator)
    Quotient |= 1;
  return pack(Format, {Unpacked::Finite, Negative, X.Exponent - Shift - Y.Exponent, Quotient},
              Mode);
}

uint64_t softSqrt(const FloatFormat &Format, uint64_t A, Rounding Mode) {
  Unpacked X = unpack(Format, A);
  if (X.Kind == Unpacked::NaN)
    return propagateNaN(Format, {A});
  if (X.Kind == Unpacked::Zero)
    return A;
  if (X.Negative)
    return Format.DefaultNaN;
  if (X.Kind == Unpacked::Infinite)
    return A;
  int Shift = 126 - bitLength(X.Significand);
  Shift -= (X.Exponent - Shift) & 1; // an even exponent halves exactly
  U128 Rest = X.Significand << Shift;
  U128 Root = 0;
  for (U128 Bit = U128(1) << 126; Bit; Bit >>= 2) {
    if (Rest >= Root + Bit) {
      Rest -= Root + Bit;
      Root = (Root >> 1) + Bit;
    } else
      Root >>= 1;
  }
  if (Rest)
    Root |= 1;
  return pack(Format, {Unpacked::Finite, false, (X.Exponent - Shift) / 2, Root}, Mode);
}

uint64_t softConvert(const FloatFormat &From, const FloatFormat &To, uint64_t Bits, Rounding Mode,
                     bool SatFinite) {
  return pack(To, unpack(From, Bits), Mode, SatFinite);
}

} // namespace gmprof::cpu
