//===- Float.cpp - PTX floating-point instructions ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "cpu/intrinsics/Lowering.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

/// Returns whether the instruction's type, its last modifier, is an integer type.
static bool isIntegerForm(Emitter &E) {
  for (StringRef Name : reverse(E.Mods.rest()))
    if (std::optional<Type> Ty = typeNamed(Name))
      return Ty->isInteger();
  return false;
}

namespace {

/// Modifiers of an arithmetic instruction.
struct Form {
  Type Ty;
  StringRef Rounding; ///< rn by default
  bool Ftz, Sat, Relu;

  static std::optional<Form> take(Emitter &E) {
    StringRef Rounding = E.Mods.takeOneOf({"rn", "rz", "rm", "rp"});
    bool Ftz = E.Mods.take("ftz"), Sat = E.Mods.take("sat"), Relu = E.Mods.take("relu");
    std::optional<Type> Ty = E.takeLastType();
    if (!Ty || !Ty->isFloat())
      return std::nullopt;
    return Form{*Ty, Rounding.empty() ? "rn" : Rounding, Ftz, Sat, Relu};
  }

  StringRef suffix() const { return Ty.Bits == 64 ? ".d" : ".f"; }
};

/// Operation on scalars of a Form's type.
using Scalar = function_ref<Value *(ArrayRef<Value *>)>;

} // namespace

static bool emitForm(Emitter &E, const Form &F, ArrayRef<Value *> In, Scalar Operation) {
  Value *V = perElement(E.B, In, [&](ArrayRef<Value *> Elements) {
    SmallVector<Value *, 3> Operands(Elements);
    if (F.Ftz)
      for (Value *&O : Operands)
        O = flushDenormals(E.B, O);
    Value *Out = Operation(Operands);
    if (!Out)
      Out = PoisonValue::get(Operands[0]->getType());
    if (F.Ftz)
      Out = flushDenormals(E.B, Out);
    if (F.Relu)
      Out = relu(E.B, Out);
    return F.Sat ? saturate(E.B, Out) : Out;
  });
  E.write(V, F.Ty);
  return true;
}

/// Performs an operation on narrower operands in single precision and rounds the result. Sums,
/// differences and products of halves and bfloats remain correct under double rounding.
static Value *inSingle(Emitter &E, ArrayRef<Value *> V,
                       function_ref<Value *(ArrayRef<Value *>)> Operation) {
  llvm::Type *T = V[0]->getType();
  SmallVector<Value *, 3> Wide;
  for (Value *O : V)
    Wide.push_back(E.B.CreateFPExt(O, E.B.getFloatTy()));
  Value *Out = Operation(Wide);
  return canonicalNaN(E.B, T->isHalfTy() ? E.B.CreateFPTrunc(Out, T) : floatToBFloat(E.B, Out));
}

/// Lowers add, sub and mul.
static bool arithmetic(Emitter &E, StringRef Name) {
  if (isIntegerForm(E))
    return Name != "mul" && integerSum(E, Name == "sub");
  std::optional<Form> F = Form::take(E);
  if (!F || !E.expectOperands(3))
    return false;
  if (F->Ty.Bits == 16 && F->Rounding != "rn")
    return false;
  return emitForm(E, *F, {E.read(1, F->Ty), E.read(2, F->Ty)}, [&](ArrayRef<Value *> V) {
    if (F->Ty.Bits == 16)
      return inSingle(E, V, [&](ArrayRef<Value *> W) {
        return Name == "add"   ? E.B.CreateFAdd(W[0], W[1])
               : Name == "sub" ? E.B.CreateFSub(W[0], W[1])
                               : E.B.CreateFMul(W[0], W[1]);
      });
    Value *Second = Name == "sub" ? E.B.CreateFNeg(V[1]) : V[1];
    return E.intrinsic((Name == "sub" ? "add" : Name) + "." + F->Rounding + F->suffix(),
                       {V[0], Second});
  });
}

/// Lowers fma, and mad, which is the same on every GPU that CUDA 13 supports.
static bool fusedMultiplyAdd(Emitter &E) {
  std::optional<Form> F = Form::take(E);
  if (!F || !E.expectOperands(4))
    return false;
  if (F->Ty.Bits == 16 && F->Rounding != "rn")
    return false;
  StringRef Suffix = F->Ty.Bits != 16                 ? F->suffix()
                     : F->Ty.Kind == TypeKind::BFloat ? ".bf16"
                                                      : ".f16";
  return emitForm(
      E, *F, {E.read(1, F->Ty), E.read(2, F->Ty), E.read(3, F->Ty)},
      [&](ArrayRef<Value *> V) { return E.intrinsic("fma." + F->Rounding + Suffix, V); });
}

/// Lowers div.approx and div.full.
static bool divide(Emitter &E) {
  const bool Fast = !E.Mods.takeOneOf({"approx", "full"}).empty();
  std::optional<Form> F = Form::take(E);
  if (!Fast || !F || F->Ty.Bits != 32 || !E.expectOperands(3))
    return false;
  return emitForm(E, *F, {E.read(1, F->Ty), E.read(2, F->Ty)},
                  [&](ArrayRef<Value *> V) { return E.B.CreateFDiv(V[0], V[1]); });
}

/// Lowers the approximations rcp, sqrt and rsqrt. In double precision, .ftz is an instruction of
/// its own.
static bool root(Emitter &E, StringRef Name) {
  const bool Approx = E.Mods.take("approx");
  std::optional<Form> F = Form::take(E);
  if (!Approx || !F || F->Ty.Bits == 16 || F->Ty.Elements != 1 || !E.expectOperands(2))
    return false;
  Value *In = E.read(1, F->Ty);
  if (F->Ty.Bits == 64 && F->Ftz) {
    Value *V = E.intrinsic(Name + ".approx.ftz.d", {In});
    E.write(V ? V : In, F->Ty);
    return true;
  }
  // The form of rcp without .ftz has no intrinsic.
  std::string Intrinsic = (Name + (Name == "rcp" ? ".rn" : ".approx") + F->suffix()).str();
  return emitForm(E, *F, {In}, [&](ArrayRef<Value *> V) { return E.intrinsic(Intrinsic, V); });
}

/// Lowers ex2, lg2, sin, cos and tanh, all .approx.
static bool transcendental(Emitter &E, StringRef Name) {
  if (!E.Mods.take("approx"))
    return false;
  std::optional<Form> F = Form::take(E);
  if (!F || F->Ty.Bits == 64 || !E.expectOperands(2))
    return false;
  return emitForm(E, *F, {E.read(1, F->Ty)}, [&](ArrayRef<Value *> V) -> Value * {
    auto InSingle = [&](ArrayRef<Value *> W) -> Value * {
      llvm::Type *Float = E.B.getFloatTy();
      if (Name == "tanh")
        return E.Context.callHelper(E.B, "gm_tanh_f32", Float, W[0]);
      return E.intrinsic(Name + ".approx" + (Name == "ex2" ? "" : ".f"), W, Float);
    };
    return F->Ty.Bits == 16 ? inSingle(E, V, InSingle) : InSingle(V);
  });
}

/// Lowers neg and abs.
static bool sign(Emitter &E, bool Negate) {
  std::optional<Form> F = Form::take(E);
  if (!F || !E.expectOperands(2))
    return false;
  return emitForm(E, *F, {E.read(1, F->Ty)}, [&](ArrayRef<Value *> V) {
    return Negate ? E.B.CreateFNeg(V[0]) : E.B.CreateUnaryIntrinsic(Intrinsic::fabs, V[0]);
  });
}

/// Lowers min and max. The three-operand form is min(min(a, b), c).
static bool minMax(Emitter &E, StringRef Name) {
  if (isIntegerForm(E))
    return integerMinMax(E, Name == "max");
  bool NaN = E.Mods.take("NaN"), XorSign = E.Mods.take("xorsign"), Abs = E.Mods.take("abs");
  std::optional<Form> F = Form::take(E);
  if (!F || XorSign != Abs || !E.expectOperands(3, XorSign ? 3 : 4))
    return false;
  if (F->Ty.Bits == 64 && (NaN || XorSign))
    return false;
  StringRef Suffix = F->Ty.Bits != 16                 ? F->suffix()
                     : F->Ty.Kind == TypeKind::BFloat ? ".bf16"
                                                      : ".f16";
  std::string Intrinsic =
      ("f" + Name + (NaN ? ".nan" : "") + (XorSign ? ".xorsign.abs" : "") + Suffix).str();
  SmallVector<Value *, 3> In;
  for (unsigned I = 1; I != E.operandCount(); ++I)
    In.push_back(E.read(I, F->Ty));
  return emitForm(E, *F, In, [&](ArrayRef<Value *> V) {
    Value *Result = E.intrinsic(Intrinsic, {V[0], V[1]});
    return V.size() == 3 && Result ? E.intrinsic(Intrinsic, {Result, V[2]}) : Result;
  });
}

static bool testProperty(Emitter &E) {
  StringRef Property =
      E.Mods.takeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  std::optional<Type> Ty = E.takeType();
  if (!Ty || !Ty->isFloat() || Property.empty() || !E.expectOperands(2))
    return false;
  unsigned Classes = Property == "finite"       ? fcFinite
                     : Property == "infinite"   ? fcInf
                     : Property == "number"     ? fcFinite | fcInf
                     : Property == "notanumber" ? fcNan
                     : Property == "normal"     ? fcNormal
                                                : fcSubnormal;
  E.write(E.B.createIsFPClass(E.read(1, *Ty), Classes), predType());
  return true;
}

std::span<const RuleEntry> floatInstructions() {
  static const RuleEntry Rules[] = {
      {"add", [](Emitter &E) { return arithmetic(E, "add"); }},
      {"sub", [](Emitter &E) { return arithmetic(E, "sub"); }},
      {"mul", [](Emitter &E) { return arithmetic(E, "mul"); }},
      {"mad", [](Emitter &E) { return isIntegerForm(E) ? saturatingMad(E) : fusedMultiplyAdd(E); }},
      {"fma", fusedMultiplyAdd},
      {"div", divide},
      {"rcp", [](Emitter &E) { return root(E, "rcp"); }},
      {"sqrt", [](Emitter &E) { return root(E, "sqrt"); }},
      {"rsqrt", [](Emitter &E) { return root(E, "rsqrt"); }},
      {"ex2", [](Emitter &E) { return transcendental(E, "ex2"); }},
      {"lg2", [](Emitter &E) { return transcendental(E, "lg2"); }},
      {"sin", [](Emitter &E) { return transcendental(E, "sin"); }},
      {"cos", [](Emitter &E) { return transcendental(E, "cos"); }},
      {"tanh", [](Emitter &E) { return transcendental(E, "tanh"); }},
      {"neg", [](Emitter &E) { return sign(E, true); }},
      {"abs", [](Emitter &E) { return sign(E, false); }},
      {"min", [](Emitter &E) { return minMax(E, "min"); }},
      {"max", [](Emitter &E) { return minMax(E, "max"); }},
      {"testp", testProperty},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
