//===- Integer.cpp - PTX integer and bit instructions ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// Lowers add and sub with .sat.s32, or on packed halves.
bool integerSum(Emitter &E, bool Subtract) {
  const bool Saturate = E.Mods.take("sat");
  std::optional<Type> Ty = E.takeLastType();
  if (!Ty || !Ty->isInteger() || !E.expectOperands(3))
    return false;
  Value *A = E.read(1, *Ty), *B = E.read(2, *Ty);
  Intrinsic::ID Saturating = Subtract ? Intrinsic::ssub_sat : Intrinsic::sadd_sat;
  E.write(Saturate   ? E.B.CreateBinaryIntrinsic(Saturating, A, B)
          : Subtract ? E.B.CreateSub(A, B)
                     : E.B.CreateAdd(A, B),
          *Ty);
  return true;
}

/// Lowers mad.hi.sat.s32.
bool saturatingMad(Emitter &E) {
  std::optional<Type> Ty = E.takeLastType();
  if (!Ty || !Ty->isSigned() || Ty->Elements != 1 || !E.expectOperands(4) || !E.Mods.take("hi") ||
      !E.Mods.take("sat"))
    return false;
  llvm::Type *Wide = E.B.getIntNTy(2 * Ty->Bits);
  Value *A = E.B.CreateSExt(E.read(1, *Ty), Wide), *B = E.B.CreateSExt(E.read(2, *Ty), Wide);
  Value *High = E.B.CreateTrunc(E.B.CreateLShr(E.B.CreateMul(A, B), Ty->Bits), E.irType(*Ty));
  E.write(E.B.CreateBinaryIntrinsic(Intrinsic::sadd_sat, High, E.read(3, *Ty)), *Ty);
  return true;
}

/// Lowers mul24 and mad24: .lo is the lower 32 of the 48 bits, .hi the upper 32.
static bool product24(Emitter &E, bool Mad) {
  StringRef Part = E.Mods.takeOneOf({"lo", "hi"});
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || Ty->Bits != 32 || Part.empty() || !E.expectOperands(Mad ? 4 : 3))
    return false;
  llvm::Type *I64 = E.B.getInt64Ty();
  auto Low24 = [&](Value *V) {
    V = E.B.CreateTrunc(V, E.B.getIntNTy(24));
    return Ty->isSigned() ? E.B.CreateSExt(V, I64) : E.B.CreateZExt(V, I64);
  };
  Value *V = E.B.CreateMul(Low24(E.read(1, *Ty)), Low24(E.read(2, *Ty)));
  V = E.B.CreateTrunc(Part == "hi" ? E.B.CreateLShr(V, 16) : V, E.B.getInt32Ty());
  if (Mad)
    V = E.B.CreateAdd(V, E.read(3, *Ty));
  E.write(V, *Ty);
  return true;
}

static bool sad(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(4))
    return false;
  Value *A = E.read(1, *Ty), *B = E.read(2, *Ty);
  Value *Less = Ty->isSigned() ? E.B.CreateICmpSLT(A, B) : E.B.CreateICmpULT(A, B);
  Value *Distance = E.B.CreateSelect(Less, E.B.CreateSub(B, A), E.B.CreateSub(A, B));
  E.write(E.B.CreateAdd(Distance, E.read(3, *Ty)), *Ty);
  return true;
}

bool integerMinMax(Emitter &E, bool Max) {
  bool Relu = E.Mods.take("relu");
  std::optional<Type> Ty = E.takeType();
  if (!Ty || !Ty->isInteger() || !E.expectOperands(3) || (Relu && !Ty->isSigned()))
    return false;
  Intrinsic::ID ID = Ty->isSigned() ? (Max ? Intrinsic::smax : Intrinsic::smin)
                                    : (Max ? Intrinsic::umax : Intrinsic::umin);
  Value *V = E.B.CreateBinaryIntrinsic(ID, E.read(1, *Ty), E.read(2, *Ty));
  if (Relu)
    V = E.B.CreateBinaryIntrinsic(Intrinsic::smax, V, Constant::getNullValue(V->getType()));
  E.write(V, *Ty);
  return true;
}

static bool dotProduct(Emitter &E, StringRef Name) {
  StringRef Half = Name == "idp2a" ? E.Mods.takeOneOf({"lo", "hi"}) : StringRef();
  std::optional<Type> A = E.takeInteger(), B = E.takeInteger();
  if (!A || !B || !E.expectOperands(4) || A->Bits != 32 || B->Bits != 32)
    return false;
  SmallVector<Value *, 4> Args = {E.read(1, *A), E.read(2, *B)};
  if (!Half.empty())
    Args.push_back(E.B.getInt1(Half == "hi"));
  Args.push_back(E.read(3, bitsType(32)));
  E.write(E.intrinsic(Name + (A->isSigned() ? ".s" : ".u") + (B->isSigned() ? ".s" : ".u"), Args),
          *A);
  return true;
}

//===----------------------------------------------------------------------===//
// Logic and shifts
//===----------------------------------------------------------------------===//

/// Lowers cnot: 1 for zero, else 0.
static bool logicalNot(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(2))
    return false;
  Value *V = E.read(1, *Ty);
  E.write(E.B.CreateZExt(E.B.CreateICmpEQ(V, ConstantInt::get(V->getType(), 0)), V->getType()),
          *Ty);
  return true;
}

/// Lowers lop3: a function of three bits, given by its truth table. lop3.BoolOp also combines a
/// predicate with whether the result is not zero.
static bool lop3(Emitter &E) {
  StringRef Bool = E.Mods.takeOneOf({"or", "and"});
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(Bool.empty() ? 5 : 6))
    return false;
  std::optional<int64_t> Table = E.constant(E.operand(4));
  if (!Table || *Table < 0 || *Table > 255)
    return E.fail("a truth table between 0 and 255 is expected");
  IRBuilder<> &B = E.B;
  Value *In[3] = {E.read(1, *Ty), E.read(2, *Ty), E.read(3, *Ty)};
  Value *Result = ConstantInt::get(In[0]->getType(), 0);
  for (unsigned Row = 0; Row != 8; ++Row) {
    if (!(*Table >> Row & 1))
      continue;
    Value *Term = ConstantInt::getAllOnesValue(Result->getType());
    for (unsigned I = 0; I != 3; ++I)
      Term = B.CreateAnd(Term, Row >> (2 - I) & 1 ? In[I] : B.CreateNot(In[I]));
    Result = B.CreateOr(Result, Term);
  }
  const Operand &Out = E.operand(0);
  bool Pair = Out.K == Operand::Kind::Pair;
  E.write(Pair ? Out.Parts[0] : Out, Result, *Ty);
  if (Bool.empty())
    return !Pair;
  if (!Pair)
    return E.fail("two results are expected");
  Value *Any = B.CreateICmpNE(Result, ConstantInt::get(Result->getType(), 0));
  Value *Q = E.readPredicate(E.operand(5));
  E.write(Out.Parts[1], Bool == "or" ? B.CreateOr(Any, Q) : B.CreateAnd(Any, Q), predType());
  return true;
}

/// Lowers shf.{l,r}.clamp.b32 d, low, high, count.
static bool funnelShift(Emitter &E) {
  StringRef Direction = E.Mods.takeOneOf({"l", "r"});
  std::optional<Type> Ty = E.Mods.take("clamp") ? E.takeInteger() : std::nullopt;
  if (!Ty || Direction.empty() || !E.expectOperands(4))
    return false;
  E.write(
      E.intrinsic("fsh" + Direction + ".clamp", {E.read(2, *Ty), E.read(1, *Ty), E.read(3, *Ty)}),
      *Ty);
  return true;
}

//===----------------------------------------------------------------------===//
// Bit fields
//===----------------------------------------------------------------------===//

/// Shifts V by an i32 up to 255; yields zero for the width or more.
static Value *shiftOrZero(IRBuilderBase &B, Value *V, Value *Count, bool Left) {
  llvm::Type *T = V->getType();
  Value *Beyond = B.CreateICmpUGE(Count, B.getInt32(T->getIntegerBitWidth()));
  Value *Amount = B.CreateZExtOrTrunc(B.CreateSelect(Beyond, B.getInt32(0), Count), T);
  Value *Shifted = Left ? B.CreateShl(V, Amount) : B.CreateLShr(V, Amount);
  return B.CreateSelect(Beyond, ConstantInt::get(T, 0), Shifted);
}

/// Returns a mask of the lowest Length bits.
static Value *lowerOnes(IRBuilderBase &B, llvm::Type *T, Value *Length) {
  return B.CreateNot(shiftOrZero(B, ConstantInt::getAllOnesValue(T), Length, true));
}

/// Lowers bfe d, a, start, length: beyond the top, the field is extended by zeros or by the value's
/// sign.
static bool extractField(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(4))
    return false;
  IRBuilder<> &B = E.B;
  Value *A = E.read(1, *Ty);
  Value *Start = B.CreateAnd(E.read(2, unsignedType(32)), 255);
  Value *Length = B.CreateAnd(E.read(3, unsignedType(32)), 255);
  llvm::Type *T = A->getType();
  Value *Ones = lowerOnes(B, T, Length);
  if (!Ty->isSigned()) {
    E.write(B.CreateAnd(shiftOrZero(B, A, Start, false), Ones), *Ty);
    return true;
  }
  Value *Last = B.CreateBinaryIntrinsic(Intrinsic::umin, Start, B.getInt32(Ty->Bits - 1));
  Value *Field = B.CreateAShr(A, B.CreateZExt(Last, T));
  // The field's highest bit, at Ones ^ (Ones >> 1).
  Value *Highest = B.CreateAnd(Field, B.CreateXor(Ones, B.CreateLShr(Ones, 1)));
  Value *Negative = B.CreateICmpNE(Highest, ConstantInt::get(T, 0));
  E.write(B.CreateSelect(Negative, B.CreateOr(Field, B.CreateNot(Ones)), B.CreateAnd(Field, Ones)),
          *Ty);
  return true;
}

/// Lowers bfi d, a, b, start, length: replaces bits of b from start on by a's lowest.
static bool insertField(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(5))
    return false;
  IRBuilder<> &B = E.B;
  Value *A = E.read(1, *Ty), *Into = E.read(2, *Ty);
  Value *Start = B.CreateAnd(E.read(3, unsignedType(32)), 255);
  Value *Length = B.CreateAnd(E.read(4, unsignedType(32)), 255);
  Value *Mask = shiftOrZero(B, lowerOnes(B, A->getType(), Length), Start, true);
  Value *Field = B.CreateAnd(shiftOrZero(B, A, Start, true), Mask);
  E.write(B.CreateOr(Field, B.CreateAnd(Into, B.CreateNot(Mask))), *Ty);
  return true;
}

static bool findBit(Emitter &E) {
  bool ShiftAmount = E.Mods.take("shiftamt");
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(2))
    return false;
  Value *V = E.read(1, *Ty);
  E.write(E.intrinsic(Ty->isSigned() ? "flo.s" : "flo.u", {V, E.B.getInt1(ShiftAmount)},
                      E.B.getInt32Ty()),
          unsignedType(32));
  return true;
}

static bool findNthSet(Emitter &E) {
  if (!E.Mods.take("b32") || !E.expectOperands(4))
    return false;
  Type Ty = bitsType(32);
  E.write(E.intrinsic("fns", {E.read(1, Ty), E.read(2, Ty), E.read(3, Ty)}), Ty);
  return true;
}

/// Lowers szext.mode.type.
static bool extend(Emitter &E) {
  StringRef Mode = E.Mods.takeOneOf({"clamp", "wrap"});
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || Ty->Bits != 32 || Mode.empty() || !E.expectOperands(3))
    return false;
  E.write(E.intrinsic((Ty->isSigned() ? "sext." : "zext.") + Mode,
                      {E.read(1, *Ty), E.read(2, bitsType(32))}),
          *Ty);
  return true;
}

/// Lowers the modes of prmt.
static bool permute(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  StringRef Mode = E.Mods.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (!Ty || Mode.empty() || !E.expectOperands(4))
    return false;
  SmallVector<Value *, 3> Args = {E.read(1, *Ty), E.read(2, *Ty), E.read(3, *Ty)};
  if (Mode != "f4e" && Mode != "b4e")
    Args.erase(Args.begin() + 1); // reads one operand only
  E.write(E.intrinsic("prmt." + Mode, Args), *Ty);
  return true;
}

std::span<const RuleEntry> integerInstructions() {
  static const RuleEntry Rules[] = {
      {"mul24", [](Emitter &E) { return product24(E, false); }},
      {"mad24", [](Emitter &E) { return product24(E, true); }},
      {"sad", sad},
      {"dp4a", [](Emitter &E) { return dotProduct(E, "idp4a"); }},
      {"dp2a", [](Emitter &E) { return dotProduct(E, "idp2a"); }},
      {"cnot", logicalNot},
      {"lop3", lop3},
      {"shf", funnelShift},
      {"bfe", extractField},
      {"bfi", insertField},
      {"bfind", findBit},
      {"fns", findNthSet},
      {"szext", extend},
      {"prmt", permute},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
