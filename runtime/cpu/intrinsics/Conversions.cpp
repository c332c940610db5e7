//===- Conversions.cpp - Conversions between number types -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX clamps conversions to integers; NaN becomes 0 if neither type has 64 bits, else the integer
// with only the highest bit set. Rounding to nearest between common floating-point formats is plain
// IR; gm_convert does the rest.
//
//===----------------------------------------------------------------------===//

#include "ConversionFormats.h"
#include "Lowering.h"
#include "SoftFloat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value *floatToInteger(IRBuilderBase &B, Value *V, IntegerType *T, bool Signed, uint32_t Mode) {
  static constexpr Intrinsic::ID Round[] = {Intrinsic::roundeven, Intrinsic::trunc,
                                            Intrinsic::floor, Intrinsic::ceil};
  if (Rounding(Mode) != Rounding::RZ)
    V = B.CreateUnaryIntrinsic(Round[Mode], V);
  Intrinsic::ID Saturating = Signed ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  Value *Result = B.CreateIntrinsic(Saturating, {T, V->getType()}, {V}); // NaN: zero
  unsigned Bits = T->getBitWidth();
  if (Bits != 64 && !V->getType()->isDoubleTy())
    return Result;
  Value *HighestBit = ConstantInt::get(T, APInt::getSignMask(Bits));
  return B.CreateSelect(B.CreateFCmpUNO(V, V), HighestBit, Result);
}

static FormatId formatIdOf(Type *T) {
  return T->isDoubleTy()  ? FormatId::F64
         : T->isFloatTy() ? FormatId::F32
         : T->isHalfTy()  ? FormatId::F16
                          : FormatId::BF16;
}

Value *integerToFloat(LoweringContext &Context, IRBuilderBase &B, Value *V, bool Signed, Type *T,
                      uint32_t Mode) {
  unsigned Bits = V->getType()->getIntegerBitWidth();
  bool Native = T->isFloatTy() || T->isDoubleTy();
  if (Native && (Rounding(Mode) == Rounding::RN || (T->isDoubleTy() && Bits <= 32)))
    return Signed ? B.CreateSIToFP(V, T) : B.CreateUIToFP(V, T);
  Type *I64 = B.getInt64Ty();
  Value *Wide = Signed ? B.CreateSExt(V, I64) : B.CreateZExt(V, I64);
  Value *Encoding = Context.callHelper(
      B, "gm_convert_int", I64,
      {Wide, B.getInt32(Signed), B.getInt32(uint32_t(formatIdOf(T))), B.getInt32(Mode)});
  return B.CreateBitCast(B.CreateTrunc(Encoding, B.getIntNTy(T->getScalarSizeInBits())), T);
}

static bool lowerFloatToInteger(IntrinsicCall &S, bool Signed) {
  std::optional<uint32_t> Mode = takeRounding(S.Mods);
  if (!Mode)
    return false;
  Value *V = S.arg(0);
  if (S.Mods.take("ftz"))
    V = flushDenormals(S.B, V);
  S.Result = floatToInteger(S.B, V, cast<IntegerType>(S.type()), Signed, *Mode);
  return true;
}

static bool lowerIntegerToFloat(IntrinsicCall &S, bool Signed) {
  std::optional<uint32_t> Mode = takeRounding(S.Mods);
  if (!Mode)
    return false;
  S.Result = integerToFloat(S.Context, S.B, S.arg(0), Signed, S.type(), *Mode);
  return true;
}

/// Lowers d2i.rn …, and d2i.lo and d2i.hi, the halves of a double.
static bool lowerD2I(IntrinsicCall &S) {
  bool High = S.Mods.take("hi");
  if (!High && !S.Mods.take("lo"))
    return lowerFloatToInteger(S, true);
  Value *Bits = S.B.CreateBitCast(S.arg(0), S.B.getInt64Ty());
  S.Result = S.B.CreateTrunc(High ? S.B.CreateLShr(Bits, 32) : Bits, S.B.getInt32Ty());
  return true;
}

static bool lowerLoHi(IntrinsicCall &S) {
  if (!S.Mods.take("i2d"))
    return false;
  Type *I64 = S.B.getInt64Ty();
  Value *High = S.B.CreateShl(S.B.CreateZExt(S.arg(1), I64), 32);
  S.Result =
      S.B.CreateBitCast(S.B.CreateOr(High, S.B.CreateZExt(S.arg(0), I64)), S.B.getDoubleTy());
  return true;
}

//===----------------------------------------------------------------------===//
// Floating-point formats
//===----------------------------------------------------------------------===//

std::optional<Manner> Manner::take(Modifiers &Mods) {
  std::optional<uint32_t> Mode = takeRounding(Mods);
  if (!Mode)
    return std::nullopt;
  return Manner{*Mode, Mods.take("relu"), Mods.take("satfinite")};
}

/// Converts V (a number, or an encoding in the lower bits of an integer) to the encoding in another
/// format, as i64.
static Value *convertBits(LoweringContext &Context, IRBuilderBase &B, Value *V, FormatId From,
                          FormatId To, const Manner &M) {
  Value *Bits = V->getType()->isIntegerTy()
                    ? V
                    : B.CreateBitCast(V, B.getIntNTy(V->getType()->getScalarSizeInBits()));
  return Context.callHelper(B, "gm_convert", B.getInt64Ty(),
                            {B.CreateZExt(Bits, B.getInt64Ty()), B.getInt32(uint32_t(From)),
                             B.getInt32(uint32_t(To)), B.getInt32(M.Mode), B.getInt32(M.Relu),
                             B.getInt32(M.SatFinite)});
}

static Value *convertBits(IntrinsicCall &S, Value *V, FormatId From, FormatId To, const Manner &M) {
  return convertBits(S.Context, S.B, V, From, To, M);
}

Value *floatToFloat(LoweringContext &Context, IRBuilderBase &B, Value *V, Type *T,
                    const Manner &M) {
  Type *From = V->getType();
  bool Plain = Rounding(M.Mode) == Rounding::RN && !M.SatFinite && !M.Relu;
  if (Plain && From->getScalarSizeInBits() < T->getScalarSizeInBits())
    return B.CreateFPExt(V, T);
  if (Plain && From->isDoubleTy() && T->isFloatTy())
    return B.CreateFPTrunc(V, T);
  if (Plain && From->isFloatTy())
    return T->isBFloatTy() ? floatToBFloat(B, V) : canonicalNaN(B, B.CreateFPTrunc(V, T));
  Value *Bits = convertBits(Context, B, V, formatIdOf(From), formatIdOf(T), M);
  return B.CreateBitCast(B.CreateTrunc(Bits, B.getIntNTy(T->getScalarSizeInBits())), T);
}

static Value *convertTo(IntrinsicCall &S, Value *V, Type *T, const Manner &M) {
  return floatToFloat(S.Context, S.B, V, T, M);
}

static bool lowerD2F(IntrinsicCall &S) {
  std::optional<Manner> M = Manner::take(S.Mods);
  if (!M)
    return false;
  bool Ftz = S.Mods.take("ftz");
  Value *Out = convertTo(S, S.arg(0), S.type(), *M);
  S.Result = Ftz ? flushDenormals(S.B, Out) : Out;
  return true;
}

/// Lowers f2h.rn and bf2h.rn, which yield the encoding of a half as i16.
static bool lowerToHalfBits(IntrinsicCall &S) {
  std::optional<Manner> M = Manner::take(S.Mods);
  if (!M)
    return false;
  Value *V = S.arg(0);
  if (S.Mods.take("ftz"))
    V = flushDenormals(S.B, V);
  S.Result = S.B.CreateBitCast(convertTo(S, V, S.B.getHalfTy(), *M), S.B.getInt16Ty());
  return true;
}

static bool lowerFloatToNarrow(IntrinsicCall &S) {
  std::optional<Manner> M = Manner::take(S.Mods);
  if (!M)
    return false;
  S.Result = convertTo(S, S.arg(0), S.type(), *M);
  return true;
}

/// Converts two floats to a vector; the first operand is the upper half.
static bool lowerFloatsToPair(IntrinsicCall &S) {
  std::optional<Manner> M = Manner::take(S.Mods);
  if (!M)
    return false;
  Type *Element = S.type()->getScalarType();
  Value *Pair = PoisonValue::get(S.type());
  for (unsigned I = 0; I != 2; ++I)
    Pair = S.B.CreateInsertElement(Pair, convertTo(S, S.arg(1 - I), Element, *M), I);
  S.Result = Pair;
  return true;
}

static bool lowerFloatToTF32(IntrinsicCall &S) {
  std::optional<Manner> M = Manner::take(S.Mods);
  if (!M)
    return false;
  Value *Bits = convertBits(S, S.arg(0), FormatId::F32, FormatId::TF32, *M);
  S.Result = S.B.CreateTrunc(Bits, S.B.getInt32Ty());
  return true;
}

static std::optional<FormatId> narrowFormat(StringRef Name) {
  return StringSwitch<std::optional<FormatId>>(Name)
      .Case("e5m2x2", FormatId::E5M2)
      .Case("e4m3x2", FormatId::E4M3)
      .Case("e3m2x2", FormatId::E3M2)
      .Case("e2m3x2", FormatId::E2M3)
      .Case("e2m1x2", FormatId::E2M1)
      .Case("ue8m0x2", FormatId::UE8M0)
      .Default(std::nullopt);
}

/// Converts two numbers to two encodings in an i16, the upper one first: ff.to.e4m3x2.rn,
/// f16x2.to.e5m2x2.rn, bf16x2.to.ue8m0x2.rz.
static bool lowerToNarrowPair(IntrinsicCall &S) {
  if (!S.Mods.take("to"))
    return false;
  std::optional<FormatId> To = narrowFormat(S.Mods.next());
  std::optional<Manner> M = Manner::take(S.Mods);
  if (!To || !M)
    return false;
  if (*To != FormatId::UE8M0)
    M->SatFinite = true; // implied
  IRBuilder<> &B = S.B;
  Value *Upper, *Lower;
  if (S.Call.arg_size() == 2) {
    Upper = S.arg(0);
    Lower = S.arg(1);
  } else {
    Lower = B.CreateExtractElement(S.arg(0), uint64_t(0));
    Upper = B.CreateExtractElement(S.arg(0), 1);
  }
  FormatId From = formatIdOf(Upper->getType());
  unsigned Shift = *To == FormatId::E2M1 ? 4 : 8;
  Value *Both = B.CreateOr(B.CreateShl(convertBits(S, Upper, From, *To, *M), Shift),
                           convertBits(S, Lower, From, *To, *M));
  S.Result = B.CreateTrunc(Both, B.getInt16Ty());
  return true;
}

/// Converts two encodings in an i16 to a vector: e4m3x2.to.f16x2.rn, ue8m0x2.to.bf16x2.
static bool lowerFromNarrowPair(IntrinsicCall &S, FormatId From) {
  if (!S.Mods.take("to") || S.Mods.takeOneOf({"f16x2", "bf16x2"}).empty())
    return false;
  Manner M{uint32_t(Rounding::RN), false, false};
  if (S.Mods.take("rn"))
    M.Relu = S.Mods.take("relu");
  IRBuilder<> &B = S.B;
  Type *Element = S.type()->getScalarType();
  unsigned Width = From == FormatId::E2M1 ? 4 : 8;
  Value *Pair = PoisonValue::get(S.type());
  for (unsigned I = 0; I != 2; ++I) {
    Value *Encoding = B.CreateAnd(B.CreateLShr(S.arg(0), I * Width), (1 << Width) - 1);
    Value *Bits = convertBits(S, Encoding, From, formatIdOf(Element), M);
    Value *V = B.CreateBitCast(B.CreateTrunc(Bits, B.getInt16Ty()), Element);
    Pair = B.CreateInsertElement(Pair, V, I);
  }
  S.Result = Pair;
  return true;
}

std::span<const RuleEntry> conversionRules() {
  static const RuleEntry Rules[] = {
      {"d2i", lowerD2I},
      {"d2ui", [](IntrinsicCall &S) { return lowerFloatToInteger(S, false); }},
      {"d2ll", [](IntrinsicCall &S) { return lowerFloatToInteger(S, true); }},
      {"d2ull", [](IntrinsicCall &S) { return lowerFloatToInteger(S, false); }},
      {"f2i", [](IntrinsicCall &S) { return lowerFloatToInteger(S, true); }},
      {"f2ui", [](IntrinsicCall &S) { return lowerFloatToInteger(S, false); }},
      {"f2ll", [](IntrinsicCall &S) { return lowerFloatToInteger(S, true); }},
      {"f2ull", [](IntrinsicCall &S) { return lowerFloatToInteger(S, false); }},
      {"i2d", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, true); }},
      {"ui2d", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, false); }},
      {"ll2d", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, true); }},
      {"ull2d", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, false); }},
      {"i2f", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, true); }},
      {"ui2f", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, false); }},
      {"ll2f", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, true); }},
      {"ull2f", [](IntrinsicCall &S) { return lowerIntegerToFloat(S, false); }},
      {"lohi", lowerLoHi},
      {"d2f", lowerD2F},
      {"f2h", lowerToHalfBits},
      {"bf2h", lowerToHalfBits},
      {"f2f16", lowerFloatToNarrow},
      {"f2bf16", lowerFloatToNarrow},
      {"ff2f16x2", lowerFloatsToPair},
      {"ff2bf16x2", lowerFloatsToPair},
      {"f2tf32", lowerFloatToTF32},
      {"ff", lowerToNarrowPair},
      {"f16x2", lowerToNarrowPair},
      {"bf16x2", lowerToNarrowPair},
      {"e5m2x2", [](IntrinsicCall &S) { return lowerFromNarrowPair(S, FormatId::E5M2); }},
      {"e4m3x2", [](IntrinsicCall &S) { return lowerFromNarrowPair(S, FormatId::E4M3); }},
      {"e3m2x2", [](IntrinsicCall &S) { return lowerFromNarrowPair(S, FormatId::E3M2); }},
      {"e2m3x2", [](IntrinsicCall &S) { return lowerFromNarrowPair(S, FormatId::E2M3); }},
      {"e2m1x2", [](IntrinsicCall &S) { return lowerFromNarrowPair(S, FormatId::E2M1); }},
      {"ue8m0x2", [](IntrinsicCall &S) { return lowerFromNarrowPair(S, FormatId::UE8M0); }},
  };
  return Rules;
}

} // namespace gmprof::cpu
