//===- Integer.cpp - Integer and bit intrinsics ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

#include <array>

using namespace llvm;

namespace gmprof::cpu {

/// Takes the operands' type (s, i, ll; with u: unsigned) and returns whether it is signed; nothing
/// if it is missing.
static std::optional<bool> takeSigned(Modifiers &Mods) {
  if (!Mods.takeOneOf({"s", "i", "ll"}).empty())
    return true;
  if (!Mods.takeOneOf({"us", "ui", "ull"}).empty())
    return false;
  return std::nullopt;
}

static Value *extend(IRBuilderBase &B, Value *V, bool Signed, Type *T) {
  return Signed ? B.CreateSExt(V, T) : B.CreateZExt(V, T);
}

static bool lowerMulHi(IntrinsicCall &S) {
  std::optional<bool> Signed = takeSigned(S.Mods);
  if (!Signed)
    return false;
  unsigned Bits = S.type()->getIntegerBitWidth();
  Type *Wide = S.B.getIntNTy(2 * Bits);
  Value *Product =
      S.B.CreateMul(extend(S.B, S.arg(0), *Signed, Wide), extend(S.B, S.arg(1), *Signed, Wide));
  S.Result = S.B.CreateTrunc(S.B.CreateLShr(Product, Bits), S.type());
  return true;
}

/// Lowers mul24: the lower 32 bits of the product of 24-bit numbers.
static bool lowerMul24(IntrinsicCall &S) {
  std::optional<bool> Signed = takeSigned(S.Mods);
  if (!Signed)
    return false;
  auto Low24 = [&](Value *V) {
    return extend(S.B, S.B.CreateTrunc(V, S.B.getIntNTy(24)), *Signed, S.type());
  };
  S.Result = S.B.CreateMul(Low24(S.arg(0)), Low24(S.arg(1)));
  return true;
}

static bool lowerSad(IntrinsicCall &S) {
  std::optional<bool> Signed = takeSigned(S.Mods);
  if (!Signed)
    return false;
  Value *A = S.arg(0), *Bv = S.arg(1);
  Value *Less = *Signed ? S.B.CreateICmpSLT(A, Bv) : S.B.CreateICmpULT(A, Bv);
  Value *Distance = S.B.CreateSelect(Less, S.B.CreateSub(Bv, A), S.B.CreateSub(A, Bv));
  S.Result = S.B.CreateAdd(Distance, S.arg(2));
  return true;
}

//===----------------------------------------------------------------------===//
// Byte permutation
//===----------------------------------------------------------------------===//

/// Returns the selectors of a prmt mode by the lower two bits of the control word.
static std::optional<std::array<uint32_t, 4>> permuteMode(StringRef Mode) {
  using Selectors = std::array<uint32_t, 4>;
  return StringSwitch<std::optional<Selectors>>(Mode)
      .Case("f4e", Selectors{0x3210, 0x4321, 0x5432, 0x6543})
      .Case("b4e", Selectors{0x5670, 0x6701, 0x7012, 0x0123})
      .Case("rc8", Selectors{0x0000, 0x1111, 0x2222, 0x3333})
      .Case("ecl", Selectors{0x3210, 0x3211, 0x3222, 0x3333})
      .Case("ecr", Selectors{0x0000, 0x1110, 0x2210, 0x3210})
      .Case("rc16", Selectors{0x1010, 0x3232, 0x1010, 0x3232})
      .Default(std::nullopt);
}

static bool lowerPrmt(IntrinsicCall &S) {
  IRBuilder<> &B = S.B;
  Type *I64 = B.getInt64Ty();
  StringRef Mode = S.Mods.next();
  Value *Control = S.arg(S.Call.arg_size() - 1);
  Value *High = S.Call.arg_size() == 3 ? S.arg(1) : B.getInt32(0);
  if (!Mode.empty()) {
    auto Selectors = permuteMode(Mode);
    if (!Selectors)
      return false;
    Value *Which = B.CreateAnd(Control, 3);
    Control = B.getInt32((*Selectors)[0]);
    for (unsigned I = 1; I != 4; ++I)
      Control = B.CreateSelect(B.CreateICmpEQ(Which, B.getInt32(I)), B.getInt32((*Selectors)[I]),
                               Control);
  }
  Value *Bytes = B.CreateOr(B.CreateZExt(S.arg(0), I64), B.CreateShl(B.CreateZExt(High, I64), 32));
  Value *Result = B.getInt32(0);
  for (unsigned I = 0; I != 4; ++I) {
    Value *Index = B.CreateAnd(B.CreateLShr(Control, 4 * I), 7);
    Value *Shifted = B.CreateLShr(Bytes, B.CreateShl(B.CreateZExt(Index, I64), 3));
    Value *Byte = B.CreateTrunc(Shifted, B.getInt8Ty());
    // The selector's highest bit replicates the byte's sign.
    Value *Replicate = B.CreateTrunc(B.CreateLShr(Control, 4 * I + 3), B.getInt1Ty());
    Byte = B.CreateSelect(Replicate, B.CreateAShr(Byte, 7), Byte);
    Result = B.CreateOr(Result, B.CreateShl(B.CreateZExt(Byte, B.getInt32Ty()), 8 * I));
  }
  S.Result = Result;
  return true;
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

static Value *part(IRBuilderBase &B, Value *V, unsigned Bits, unsigned Index, bool Signed) {
  Value *Piece = B.CreateTrunc(B.CreateLShr(V, Bits * Index), B.getIntNTy(Bits));
  return extend(B, Piece, Signed, B.getInt32Ty());
}

static std::optional<bool> takeSignLetter(Modifiers &Mods) {
  StringRef Name = Mods.next();
  if (Name != "s" && Name != "u")
    return std::nullopt;
  return Name == "s";
}

static bool lowerDotProduct(IntrinsicCall &S, unsigned Count) {
  std::optional<bool> SignedA = takeSignLetter(S.Mods), SignedB = takeSignLetter(S.Mods);
  if (!SignedA || !SignedB)
    return false;
  // idp2a(a, b, high, c) multiplies the halves of a with two bytes of b.
  unsigned First = 0;
  if (Count == 2 && cast<ConstantInt>(S.arg(2))->isOne())
    First = 2;
  Value *Sum = S.arg(Count == 2 ? 3 : 2);
  for (unsigned I = 0; I != Count; ++I) {
    Value *A = part(S.B, S.arg(0), 32 / Count, I, *SignedA);
    Value *Bv = part(S.B, S.arg(1), 8, First + I, *SignedB);
    Sum = S.B.CreateAdd(Sum, S.B.CreateMul(A, Bv));
  }
  S.Result = Sum;
  return true;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Lowers a funnel shift whose amount is clamped to the width instead of wrapped.
static bool lowerFunnelShift(IntrinsicCall &S, bool Left) {
  if (!S.Mods.take("clamp"))
    return false;
  Type *T = S.type();
  Value *Width = ConstantInt::get(T, T->getIntegerBitWidth());
  Value *Shifted = S.B.CreateIntrinsic(T, Left ? Intrinsic::fshl : Intrinsic::fshr,
                                       {S.arg(0), S.arg(1), S.arg(2)});
  Value *Beyond = S.B.CreateICmpUGE(S.arg(2), Width);
  S.Result = S.B.CreateSelect(Beyond, S.arg(Left ? 1 : 0), Shifted);
  return true;
}

/// Lowers bfind: the position of the highest bit that is not a sign bit, or its distance from the
/// top; all ones if there is none.
static bool lowerFlo(IntrinsicCall &S) {
  std::optional<bool> Signed = takeSignLetter(S.Mods);
  if (!Signed)
    return false;
  Value *V = S.arg(0);
  Type *T = V->getType();
  if (*Signed)
    V = S.B.CreateXor(V, S.B.CreateAShr(V, T->getIntegerBitWidth() - 1));
  Value *Leading = S.B.CreateIntrinsic(T, Intrinsic::ctlz, {V, S.B.getFalse()});
  Leading = S.B.CreateZExtOrTrunc(Leading, S.type());
  Value *Place = Leading;
  if (cast<ConstantInt>(S.arg(1))->isZero())
    Place = S.B.CreateSub(S.B.getInt32(T->getIntegerBitWidth() - 1), Leading);
  Value *None = S.B.CreateICmpEQ(V, ConstantInt::get(T, 0));
  S.Result = S.B.CreateSelect(None, S.B.getInt32(~0u), Place);
  return true;
}

static std::optional<bool> takeClamp(Modifiers &Mods) {
  StringRef Mode = Mods.next();
  if (Mode != "clamp" && Mode != "wrap")
    return std::nullopt;
  return Mode == "clamp";
}

/// Returns all ones shifted left by Place, computed in 64 bits to define a shift by 32.
static Value *onesFrom(IRBuilderBase &B, Value *Place) {
  Value *Ones = B.CreateShl(B.getInt64(~uint64_t(0)), B.CreateZExt(Place, B.getInt64Ty()));
  return B.CreateTrunc(Ones, B.getInt32Ty());
}

/// Lowers szext: the lower arg(1) bits of arg(0), extended.
static bool lowerExtend(IntrinsicCall &S, bool Signed) {
  std::optional<bool> Clamp = takeClamp(S.Mods);
  if (!Clamp)
    return false;
  IRBuilder<> &B = S.B;
  Value *Width = B.CreateAnd(S.arg(1), 31);
  Value *Mask = onesFrom(B, Width);
  Value *Result = B.CreateAnd(S.arg(0), B.CreateNot(Mask));
  if (Signed) {
    Value *SignPlace = B.CreateAnd(B.CreateSub(Width, B.getInt32(1)), 31);
    Value *Sign = B.CreateTrunc(B.CreateLShr(S.arg(0), SignPlace), B.getInt1Ty());
    Value *Negative = B.CreateAnd(Sign, B.CreateICmpNE(Width, B.getInt32(0)));
    Result = B.CreateSelect(Negative, B.CreateOr(S.arg(0), Mask), Result);
  }
  if (*Clamp)
    Result = B.CreateSelect(B.CreateICmpUGE(S.arg(1), B.getInt32(32)), S.arg(0), Result);
  S.Result = Result;
  return true;
}

/// Lowers bmsk: a mask of arg(1) ones from bit arg(0) on.
static bool lowerBmsk(IntrinsicCall &S) {
  std::optional<bool> Clamp = takeClamp(S.Mods);
  if (!Clamp)
    return false;
  IRBuilder<> &B = S.B;
  auto Limit = [&](Value *V) -> Value * {
    return *Clamp ? B.CreateBinaryIntrinsic(Intrinsic::umin, V, B.getInt32(32))
                  : B.CreateAnd(V, 31);
  };
  Value *Begin = Limit(S.arg(0));
  Value *End =
      B.CreateBinaryIntrinsic(Intrinsic::umin, B.CreateAdd(Begin, Limit(S.arg(1))), B.getInt32(32));
  S.Result = B.CreateAnd(onesFrom(B, Begin), B.CreateNot(onesFrom(B, End)));
  return true;
}

static bool lowerMove(IntrinsicCall &S) {
  if (S.Mods.takeOneOf({"i16", "i32", "i64", "float", "double", "ptr"}).empty())
    return false;
  S.Result = S.arg(0);
  return true;
}

std::span<const RuleEntry> integerRules() {
  static const RuleEntry Rules[] = {
      {"mulhi", lowerMulHi},
      {"mul24", lowerMul24},
      {"sad", lowerSad},
      {"prmt", lowerPrmt},
      {"idp4a", [](IntrinsicCall &S) { return lowerDotProduct(S, 4); }},
      {"idp2a", [](IntrinsicCall &S) { return lowerDotProduct(S, 2); }},
      {"fshl", [](IntrinsicCall &S) { return lowerFunnelShift(S, true); }},
      {"fshr", [](IntrinsicCall &S) { return lowerFunnelShift(S, false); }},
      {"flo", lowerFlo},
      {"sext", [](IntrinsicCall &S) { return lowerExtend(S, true); }},
      {"zext", [](IntrinsicCall &S) { return lowerExtend(S, false); }},
      {"bmsk", lowerBmsk},
      {"fns",
       [](IntrinsicCall &S) {
         S.Result = S.helper("gm_fns", S.B.getInt32Ty(), {S.arg(0), S.arg(1), S.arg(2)});
         return true;
       }},
      {"move", lowerMove},
  };
  return Rules;
}

} // namespace gmprof::cpu
