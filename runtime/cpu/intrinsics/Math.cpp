//===- Math.cpp - Floating-point intrinsics -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding to nearest is plain IR; helpers compute the other modes exactly (SoftFloat.h). The
// .approx instructions are computed in double precision and rounded once: more accurate than a GPU,
// whose results differ by up to 2 ulp (ex2, rcp, div, sqrt, rsqrt), 2^-22 (lg2) and 2^-20.5 (sin,
// cos). NaNs of plain IR have x86's sign and payload, not the GPU's.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "SoftFloat.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu {

//===----------------------------------------------------------------------===//
// Functions used by other files
//===----------------------------------------------------------------------===//

static Constant *constantBits(Type *T, uint64_t Bits) {
  auto *I = ConstantInt::get(T->getContext(), APInt(T->getScalarSizeInBits(), Bits));
  return ConstantExpr::getBitCast(I, T);
}

static const FloatFormat &formatOf(Type *T) {
  return T->isDoubleTy() ? F64 : T->isFloatTy() ? F32 : T->isHalfTy() ? F16 : BF16;
}

Value *flushDenormals(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  const FloatFormat &Format = formatOf(T);
  Value *Smallest = constantBits(T, uint64_t(1) << Format.FractionBits);
  Value *Denormal = B.CreateFCmpOLT(B.CreateUnaryIntrinsic(Intrinsic::fabs, V), Smallest);
  Value *Zero = B.CreateCopySign(ConstantFP::getZero(T), V);
  return B.CreateSelect(Denormal, Zero, V);
}

Value *saturate(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  Value *Zero = ConstantFP::getZero(T), *One = ConstantFP::get(T, 1.0);
  Value *AtLeastZero = B.CreateSelect(B.CreateFCmpOGT(V, Zero), V, Zero); // NaN: zero
  return B.CreateSelect(B.CreateFCmpOGT(AtLeastZero, One), One, AtLeastZero);
}

Value *canonicalNaN(IRBuilderBase &B, Value *V) {
  Type *T = V->getType();
  return B.CreateSelect(B.CreateFCmpUNO(V, V), constantBits(T, formatOf(T).DefaultNaN), V);
}

Value *relu(IRBuilderBase &B, Value *V) {
  Value *Zero = ConstantFP::getZero(V->getType());
  return canonicalNaN(B, B.CreateSelect(B.CreateFCmpOLT(V, Zero), Zero,
                                        B.CreateSelect(B.CreateFCmpOEQ(V, Zero), Zero, V)));
}

Value *floatToBFloat(IRBuilderBase &B, Value *V) {
  Type *I32 = B.getInt32Ty();
  Value *Bits = B.CreateBitCast(V, I32);
  Value *Odd = B.CreateAnd(B.CreateLShr(Bits, 16), 1);
  Value *Rounded = B.CreateLShr(B.CreateAdd(Bits, B.CreateAdd(Odd, B.getInt32(0x7fff))), 16);
  Value *Chosen = B.CreateSelect(B.CreateFCmpUNO(V, V), B.getInt32(BF16.DefaultNaN), Rounded);
  return B.CreateBitCast(B.CreateTrunc(Chosen, B.getInt16Ty()), B.getBFloatTy());
}

Value *perElement(IRBuilderBase &B, ArrayRef<Value *> Operands,
                  function_ref<Value *(ArrayRef<Value *>)> Fn) {
  auto *Vector = dyn_cast<FixedVectorType>(Operands[0]->getType());
  if (!Vector)
    return Fn(Operands);
  Value *Result = nullptr;
  for (unsigned I = 0; I != Vector->getNumElements(); ++I) {
    SmallVector<Value *, 4> Elements;
    for (Value *V : Operands)
      Elements.push_back(B.CreateExtractElement(V, I));
    Value *Element = Fn(Elements);
    if (!Result)
      Result = PoisonValue::get(FixedVectorType::get(Element->getType(), Vector->getNumElements()));
    Result = B.CreateInsertElement(Result, Element, I);
  }
  return Result;
}

std::optional<uint32_t> takeRounding(Modifiers &Mods) {
  StringRef Name = Mods.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  if (Name.empty())
    return std::nullopt;
  return uint32_t(Name == "rn"   ? Rounding::RN
                  : Name == "rz" ? Rounding::RZ
                  : Name == "rm" ? Rounding::RM
                  : Name == "rp" ? Rounding::RP
                                 : Rounding::RNA);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

namespace {

/// Modifiers of an arithmetic instruction other than its rounding.
struct Options {
  bool Ftz, Sat, Relu;

  explicit Options(Modifiers &Mods)
      : Ftz(Mods.take("ftz")), Sat(Mods.take("sat")), Relu(Mods.take("relu")) {
    Mods.takeOneOf({"f", "d", "f16", "f16x2", "bf16", "bf16x2"}); // the operands' type
  }

  /// Applies Fn to the operands, element by element.
  Value *apply(IntrinsicCall &S, function_ref<Value *(ArrayRef<Value *>)> Fn) const {
    SmallVector<Value *, 3> Operands(S.Call.args());
    return perElement(S.B, Operands, [&](ArrayRef<Value *> Elements) {
      SmallVector<Value *, 3> In(Elements);
      if (Ftz)
        for (Value *&V : In)
          V = flushDenormals(S.B, V);
      Value *Out = Fn(In);
      if (Ftz)
        Out = flushDenormals(S.B, Out);
      if (Relu)
        Out = relu(S.B, Out);
      return Sat ? saturate(S.B, Out) : Out;
    });
  }
};

} // namespace

/// Changes the sum S of P and C from round-to-nearest to round-to-odd: rounding it to a narrower
/// format then equals rounding the exact sum.
static Value *sumToOdd(IRBuilderBase &B, Value *P, Value *C) {
  Value *S = B.CreateFAdd(P, C);
  // Knuth's TwoSum: Error is exactly P + C - S.
  Value *BB = B.CreateFSub(S, P);
  Value *Error = B.CreateFAdd(B.CreateFSub(P, B.CreateFSub(S, BB)), B.CreateFSub(C, BB));
  Type *Int = B.getIntNTy(S->getType()->getScalarSizeInBits());
  Value *Zero = ConstantFP::getZero(S->getType());
  Value *Inexact = B.CreateFCmpONE(Error, Zero);
  Value *Beyond = B.CreateXor(B.CreateFCmpOLT(Error, Zero), B.CreateFCmpOLT(S, Zero));
  Value *Bits = B.CreateBitCast(S, Int);
  Value *Odd = B.CreateOr(B.CreateSub(Bits, B.CreateZExt(Beyond, Int)), ConstantInt::get(Int, 1));
  return B.CreateBitCast(B.CreateSelect(Inexact, Odd, Bits), S->getType());
}

static Value *doubleToFloatOdd(IRBuilderBase &B, Value *V) {
  Value *F = B.CreateFPTrunc(V, B.getFloatTy());
  Value *Error = B.CreateFSub(V, B.CreateFPExt(F, B.getDoubleTy()));
  Value *Zero = ConstantFP::getZero(V->getType());
  Value *Inexact = B.CreateFCmpONE(Error, Zero);
  Value *Beyond = B.CreateXor(B.CreateFCmpOLT(Error, Zero), B.CreateFCmpOLT(V, Zero));
  Value *Bits = B.CreateBitCast(F, B.getInt32Ty());
  Value *Odd = B.CreateOr(B.CreateSub(Bits, B.CreateZExt(Beyond, B.getInt32Ty())), 1);
  return B.CreateBitCast(B.CreateSelect(Inexact, Odd, Bits), B.getFloatTy());
}

/// Computes fma rounded to nearest. Products of halves are exact in single precision, those of
/// bfloats in double precision.
static Value *fmaNearest(IRBuilderBase &B, ArrayRef<Value *> V) {
  Type *T = V[0]->getType();
  if (T->isFloatTy() || T->isDoubleTy())
    return B.CreateIntrinsic(T, Intrinsic::fma, V);
  Type *Wide = T->isHalfTy() ? B.getFloatTy() : B.getDoubleTy();
  Value *Product = B.CreateFMul(B.CreateFPExt(V[0], Wide), B.CreateFPExt(V[1], Wide));
  Value *Sum = sumToOdd(B, Product, B.CreateFPExt(V[2], Wide));
  Value *Result =
      T->isHalfTy() ? B.CreateFPTrunc(Sum, T) : floatToBFloat(B, doubleToFloatOdd(B, Sum));
  return canonicalNaN(B, Result);
}

/// Computes an operation with a directed rounding mode in single or double precision: gm_add_f32(a,
/// b, mode).
static Value *directed(IntrinsicCall &S, StringRef Operation, ArrayRef<Value *> V, uint32_t Mode) {
  Type *T = V[0]->getType();
  SmallVector<Value *, 4> Args(V);
  Args.push_back(S.B.getInt32(Mode));
  return S.helper(("gm_" + Operation + (T->isDoubleTy() ? "_f64" : "_f32")).str(), T, Args);
}

template <typename Nearest>
static bool arithmetic(IntrinsicCall &S, StringRef Operation, Nearest InNearest) {
  std::optional<uint32_t> Mode = takeRounding(S.Mods);
  if (!Mode)
    return false;
  Options O(S.Mods);
  S.Result = O.apply(S, [&](ArrayRef<Value *> V) -> Value * {
    return *Mode == uint32_t(Rounding::RN) ? InNearest(V) : directed(S, Operation, V, *Mode);
  });
  return true;
}

static bool lowerAdd(IntrinsicCall &S) {
  return arithmetic(S, "add", [&](ArrayRef<Value *> V) { return S.B.CreateFAdd(V[0], V[1]); });
}

static bool lowerMul(IntrinsicCall &S) {
  return arithmetic(S, "mul", [&](ArrayRef<Value *> V) { return S.B.CreateFMul(V[0], V[1]); });
}

static bool lowerFma(IntrinsicCall &S) {
  return arithmetic(S, "fma", [&](ArrayRef<Value *> V) { return fmaNearest(S.B, V); });
}

static bool lowerDiv(IntrinsicCall &S) {
  auto Quotient = [&](ArrayRef<Value *> V) { return S.B.CreateFDiv(V[0], V[1]); };
  if (S.Mods.take("approx") || S.Mods.take("full")) {
    S.Result = Options(S.Mods).apply(S, Quotient);
    return true;
  }
  return arithmetic(S, "div", Quotient);
}

/// Lowers rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64, which read and write upper halves only.
template <typename Function> static bool approximateUpperHalf(IntrinsicCall &S, Function Fn) {
  auto Upper = [&](Value *V) {
    Value *Bits = S.B.CreateBitCast(V, S.B.getInt64Ty());
    return S.B.CreateBitCast(S.B.CreateAnd(Bits, ~uint64_t(0xffffffff)), S.B.getDoubleTy());
  };
  Value *In = Upper(flushDenormals(S.B, S.arg(0)));
  S.Result = canonicalNaN(S.B, Upper(flushDenormals(S.B, Fn(In))));
  return true;
}

static bool lowerRcp(IntrinsicCall &S) {
  auto Reciprocal = [&](Value *V) { return S.B.CreateFDiv(ConstantFP::get(V->getType(), 1.0), V); };
  if (!S.Mods.take("approx"))
    return arithmetic(S, "rcp", [&](ArrayRef<Value *> V) { return Reciprocal(V[0]); });
  Options O(S.Mods);
  if (S.type()->isDoubleTy())
    return approximateUpperHalf(S, Reciprocal);
  S.Result = O.apply(S, [&](ArrayRef<Value *> V) { return Reciprocal(V[0]); });
  return true;
}

static bool lowerSqrt(IntrinsicCall &S) {
  auto Root = [&](ArrayRef<Value *> V) { return S.B.CreateUnaryIntrinsic(Intrinsic::sqrt, V[0]); };
  // llvm.nvvm.sqrt.f leaves the choice to the compiler.
  if (S.Mods.take("approx") || S.Mods.rest() == ArrayRef<StringRef>("f")) {
    S.Result = Options(S.Mods).apply(S, Root);
    return true;
  }
  return arithmetic(S, "sqrt", Root);
}

static bool lowerRsqrt(IntrinsicCall &S) {
  if (!S.Mods.take("approx"))
    return false;
  Options O(S.Mods);
  auto Reciprocal = [&](Value *V) -> Value * {
    Value *Root = S.B.CreateUnaryIntrinsic(Intrinsic::sqrt, V);
    return S.B.CreateFDiv(ConstantFP::get(V->getType(), 1.0), Root);
  };
  if (S.type()->isDoubleTy() && O.Ftz)
    return approximateUpperHalf(S, Reciprocal);
  S.Result = O.apply(S, [&](ArrayRef<Value *> V) -> Value * {
    if (V[0]->getType()->isDoubleTy())
      return Reciprocal(V[0]);
    Value *Wide = S.B.CreateFPExt(V[0], S.B.getDoubleTy());
    return S.B.CreateFPTrunc(Reciprocal(Wide), V[0]->getType());
  });
  return true;
}

/// Lowers an .approx function that a helper computes for float; narrower types are converted to
/// float.
static bool approximate(IntrinsicCall &S, StringRef Helper) {
  if (!S.Mods.take("approx"))
    return false;
  S.Result = Options(S.Mods).apply(S, [&](ArrayRef<Value *> V) -> Value * {
    Type *T = V[0]->getType();
    if (T->isDoubleTy())
      return S.helper((Helper + "_f64").str(), T, V);
    bool Narrow = !T->isFloatTy();
    Value *In = Narrow ? S.B.CreateFPExt(V[0], S.B.getFloatTy()) : V[0];
    Value *Out = S.helper((Helper + "_f32").str(), S.B.getFloatTy(), In);
    if (!Narrow)
      return Out;
    return T->isHalfTy() ? S.B.CreateFPTrunc(Out, T) : floatToBFloat(S.B, Out);
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Minimum, absolute value, rounding to integers
//===----------------------------------------------------------------------===//

static Value *minMax(IRBuilderBase &B, bool Max, bool PropagateNaN, Value *X, Value *Y) {
  Type *T = X->getType();
  if (T->isHalfTy() || T->isBFloatTy()) { // both conversions are exact
    Value *Wide = minMax(B, Max, PropagateNaN, B.CreateFPExt(X, B.getFloatTy()),
                         B.CreateFPExt(Y, B.getFloatTy()));
    Value *Narrow = T->isHalfTy() ? B.CreateFPTrunc(Wide, T) : floatToBFloat(B, Wide);
    return canonicalNaN(B, Narrow);
  }
  Intrinsic::ID ID = PropagateNaN ? (Max ? Intrinsic::maximum : Intrinsic::minimum)
                                  : (Max ? Intrinsic::maximumnum : Intrinsic::minimumnum);
  Value *Result = B.CreateBinaryIntrinsic(ID, X, Y);
  return T->isDoubleTy() ? Result : canonicalNaN(B, Result);
}

static bool lowerMinMax(IntrinsicCall &S, bool Max) {
  bool PropagateNaN = S.Mods.take("nan");
  bool XorSign = S.Mods.take("xorsign");
  if (XorSign && !S.Mods.take("abs"))
    return false;
  S.Result = Options(S.Mods).apply(S, [&](ArrayRef<Value *> V) -> Value * {
    if (!XorSign)
      return minMax(S.B, Max, PropagateNaN, V[0], V[1]);
    Value *X = S.B.CreateUnaryIntrinsic(Intrinsic::fabs, V[0]);
    Value *Y = S.B.CreateUnaryIntrinsic(Intrinsic::fabs, V[1]);
    Value *Magnitude = minMax(S.B, Max, PropagateNaN, X, Y);
    Type *T = X->getType(), *Int = S.B.getIntNTy(T->getScalarSizeInBits());
    Value *Signs = S.B.CreateXor(S.B.CreateBitCast(V[0], Int), S.B.CreateBitCast(V[1], Int));
    Value *Signed = S.B.CreateCopySign(Magnitude, S.B.CreateBitCast(Signs, T));
    return canonicalNaN(S.B, Signed);
  });
  return true;
}

static bool unary(IntrinsicCall &S, Intrinsic::ID ID) {
  S.Result = Options(S.Mods).apply(
      S, [&](ArrayRef<Value *> V) { return S.B.CreateUnaryIntrinsic(ID, V[0]); });
  return true;
}

static bool lowerSaturate(IntrinsicCall &S) {
  S.Result = Options(S.Mods).apply(S, [&](ArrayRef<Value *> V) { return saturate(S.B, V[0]); });
  return true;
}

static bool lowerNeg(IntrinsicCall &S) {
  S.Result = Options(S.Mods).apply(S, [&](ArrayRef<Value *> V) { return S.B.CreateFNeg(V[0]); });
  return true;
}

std::span<const RuleEntry> mathRules() {
  static const RuleEntry Rules[] = {
      {"add", lowerAdd},
      {"mul", lowerMul},
      {"fma", lowerFma},
      {"div", lowerDiv},
      {"rcp", lowerRcp},
      {"sqrt", lowerSqrt},
      {"rsqrt", lowerRsqrt},
      {"ex2", [](IntrinsicCall &S) { return approximate(S, "gm_ex2"); }},
      {"lg2", [](IntrinsicCall &S) { return approximate(S, "gm_lg2"); }},
      {"sin", [](IntrinsicCall &S) { return approximate(S, "gm_sin"); }},
      {"cos", [](IntrinsicCall &S) { return approximate(S, "gm_cos"); }},
      {"tanh", [](IntrinsicCall &S) { return approximate(S, "gm_tanh"); }},
      {"fmin", [](IntrinsicCall &S) { return lowerMinMax(S, false); }},
      {"fmax", [](IntrinsicCall &S) { return lowerMinMax(S, true); }},
      {"fabs", [](IntrinsicCall &S) { return unary(S, Intrinsic::fabs); }},
      {"floor", [](IntrinsicCall &S) { return unary(S, Intrinsic::floor); }},
      {"ceil", [](IntrinsicCall &S) { return unary(S, Intrinsic::ceil); }},
      {"trunc", [](IntrinsicCall &S) { return unary(S, Intrinsic::trunc); }},
      {"round", [](IntrinsicCall &S) { return unary(S, Intrinsic::roundeven); }},
      {"saturate", lowerSaturate},
      {"neg", lowerNeg},
  };
  return Rules;
}

} // namespace gmprof::cpu
