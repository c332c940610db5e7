//===- Integer.cpp - PTX integer and bit instructions ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Shared.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

/// Returns A + B + C, C being the carry (i1), and the carry out.
static std::pair<Value *, Value *> addWithCarry(Emitter &E, Value *A, Value *B, Value *C) {
  Value *First = E.B.CreateAdd(A, B);
  Value *Sum = E.B.CreateAdd(First, E.B.CreateZExt(C, A->getType()));
  Value *Carry = E.B.CreateOr(E.B.CreateICmpULT(First, A), E.B.CreateICmpULT(Sum, First));
  return {Sum, Carry};
}

/// Writes A + B or A - B. Uses the carry for addc and subc, and sets it for .cc. The carry of a
/// subtraction is a borrow.
static void sum(Emitter &E, const Type &Ty, Value *A, Value *B, bool Subtract, bool CarryIn) {
  bool SetCarry = E.Mods.take("cc");
  if (!SetCarry && !CarryIn) {
    E.write(Subtract ? E.B.CreateSub(A, B) : E.B.CreateAdd(A, B), Ty);
    return;
  }
  Value *In = CarryIn ? E.carry() : E.B.getFalse();
  // A - B - borrow is A + ~B + !borrow.
  auto [Result, Out] = Subtract ? addWithCarry(E, A, E.B.CreateNot(B), E.B.CreateNot(In))
                                : addWithCarry(E, A, B, In);
  E.write(Result, Ty);
  if (SetCarry)
    E.setCarry(Subtract ? E.B.CreateNot(Out) : Out);
}

/// Writes the sum or difference clamped to the type's range (.sat.s32).
static bool saturatingSum(Emitter &E, const Type &Ty, bool Subtract) {
  Intrinsic::ID ID = Subtract ? Intrinsic::ssub_sat : Intrinsic::sadd_sat;
  E.write(E.B.CreateBinaryIntrinsic(ID, E.read(1, Ty), E.read(2, Ty)), Ty);
  return true;
}

bool integerSum(Emitter &E, bool Subtract, bool CarryIn) {
  bool Sat = E.Mods.take("sat");
  std::optional<Type> Ty = E.takeLastType();
  if (!Ty || !Ty->isInteger() || !E.expectOperands(3))
    return false;
  if (Sat)
    return saturatingSum(E, *Ty, Subtract);
  if (Ty->Elements != 1 && (CarryIn || is_contained(E.Mods.rest(), "cc")))
    return false;
  sum(E, *Ty, E.read(1, *Ty), E.read(2, *Ty), Subtract, CarryIn);
  return true;
}

/// Returns the product of operands 1 and 2: its .lo or .hi half, or .wide. Sets Out to the result's
/// type.
static Value *product(Emitter &E, const Type &Ty, Type &Out) {
  Out = Ty;
  StringRef Part = E.Mods.takeOneOf({"lo", "hi", "wide"});
  Value *A = E.read(1, Ty), *B = E.read(2, Ty);
  if (Part != "hi" && Part != "wide")
    return E.B.CreateMul(A, B);
  llvm::Type *Wide = E.B.getIntNTy(2 * Ty.Bits);
  auto Extend = [&](Value *V) {
    return Ty.isSigned() ? E.B.CreateSExt(V, Wide) : E.B.CreateZExt(V, Wide);
  };
  Value *Full = E.B.CreateMul(Extend(A), Extend(B));
  if (Part == "wide") {
    Out.Bits *= 2;
    return Full;
  }
  return E.B.CreateTrunc(E.B.CreateLShr(Full, Ty.Bits), A->getType());
}

bool integerProduct(Emitter &E) {
  std::optional<Type> Ty = E.takeLastType();
  if (!Ty || !Ty->isInteger() || Ty->Elements != 1 || !E.expectOperands(3))
    return false;
  Type Out;
  Value *V = product(E, *Ty, Out);
  E.write(V, Out);
  return true;
}

bool integerMad(Emitter &E, bool CarryIn) {
  bool Sat = E.Mods.take("sat");
  std::optional<Type> Ty = E.takeLastType();
  if (!Ty || !Ty->isInteger() || Ty->Elements != 1 || !E.expectOperands(4))
    return false;
  Type Out;
  Value *V = product(E, *Ty, Out);
  Value *Addend = E.read(3, Out);
  if (Sat)
    E.write(E.B.CreateBinaryIntrinsic(Intrinsic::sadd_sat, V, Addend), Out);
  else
    sum(E, Out, V, Addend, false, CarryIn);
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

/// Lowers div and rem with GPU semantics for x/0 (all ones) and INT_MIN/-1, on which x86 would
/// trap.
static bool quotient(Emitter &E, bool Remainder) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(3))
    return false;
  IRBuilder<> &B = E.B;
  Value *A = E.read(1, *Ty), *D = E.read(2, *Ty);
  llvm::Type *T = A->getType();
  Value *Zero = ConstantInt::get(T, 0), *Ones = ConstantInt::getAllOnesValue(T);
  Value *ByZero = B.CreateICmpEQ(D, Zero);
  Value *Unsafe = ByZero;
  Value *ByMinusOne = B.getFalse();
  if (Ty->isSigned()) {
    ByMinusOne = B.CreateICmpEQ(D, Ones);
    Unsafe = B.CreateOr(ByZero, ByMinusOne);
  }
  Value *Safe = B.CreateSelect(Unsafe, ConstantInt::get(T, 1), D);
  Value *V;
  if (Remainder) {
    V = Ty->isSigned() ? B.CreateSRem(A, Safe) : B.CreateURem(A, Safe);
    V = B.CreateSelect(ByZero, A, V);
  } else {
    V = Ty->isSigned() ? B.CreateSDiv(A, Safe) : B.CreateUDiv(A, Safe);
    V = B.CreateSelect(ByZero, Ones, V);
    V = B.CreateSelect(ByMinusOne, B.CreateNeg(A), V);
  }
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

bool integerNegate(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !Ty->isSigned() || !E.expectOperands(2))
    return false;
  E.write(E.B.CreateNeg(E.read(1, *Ty)), *Ty);
  return true;
}

bool integerAbs(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !Ty->isSigned() || !E.expectOperands(2))
    return false;
  E.write(E.B.CreateBinaryIntrinsic(Intrinsic::abs, E.read(1, *Ty), E.B.getFalse()), *Ty);
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

static bool logic(Emitter &E, llvm::Instruction::BinaryOps Op) {
  std::optional<Type> Ty = E.takeType();
  if (!Ty || (!Ty->isInteger() && Ty->Kind != TypeKind::Predicate) || !E.expectOperands(3))
    return false;
  E.write(E.B.CreateBinOp(Op, E.read(1, *Ty), E.read(2, *Ty)), *Ty);
  return true;
}

static bool logicNot(Emitter &E) {
  std::optional<Type> Ty = E.takeType();
  if (!Ty || (!Ty->isInteger() && Ty->Kind != TypeKind::Predicate) || !E.expectOperands(2))
    return false;
  E.write(E.B.CreateNot(E.read(1, *Ty)), *Ty);
  return true;
}

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

/// Lowers shifts; counts beyond the width yield zeros, or copies of the sign.
static bool shift(Emitter &E, bool Left) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(3))
    return false;
  IRBuilder<> &B = E.B;
  Value *V = E.read(1, *Ty), *Count = E.read(2, unsignedType(32));
  llvm::Type *T = V->getType();
  bool Signs = !Left && Ty->isSigned();
  Value *Beyond = B.CreateICmpUGE(Count, B.getInt32(Ty->Bits));
  Value *Amount =
      B.CreateZExtOrTrunc(B.CreateSelect(Beyond, B.getInt32(Signs ? Ty->Bits - 1 : 0), Count), T);
  Value *Shifted = Left    ? B.CreateShl(V, Amount)
                   : Signs ? B.CreateAShr(V, Amount)
                           : B.CreateLShr(V, Amount);
  E.write(Signs ? Shifted : B.CreateSelect(Beyond, ConstantInt::get(T, 0), Shifted), *Ty);
  return true;
}

/// Lowers shf.{l,r}.{wrap,clamp}.b32 d, low, high, count.
static bool funnelShift(Emitter &E) {
  StringRef Direction = E.Mods.takeOneOf({"l", "r"}), Mode = E.Mods.takeOneOf({"wrap", "clamp"});
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || Direction.empty() || Mode.empty() || !E.expectOperands(4))
    return false;
  Value *Low = E.read(1, *Ty), *High = E.read(2, *Ty), *Count = E.read(3, *Ty);
  Value *V;
  if (Mode == "wrap")
    V = E.B.CreateIntrinsic(Low->getType(), Direction == "l" ? Intrinsic::fshl : Intrinsic::fshr,
                            {High, Low, Count});
  else
    V = E.intrinsic("fsh" + Direction + ".clamp", {High, Low, Count});
  E.write(V, *Ty);
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

/// Lowers bit counts and reversals; counts are 32-bit numbers.
static bool bits(Emitter &E, Intrinsic::ID ID) {
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || !E.expectOperands(2))
    return false;
  Value *V = E.read(1, *Ty);
  if (ID == Intrinsic::bitreverse) {
    E.write(E.B.CreateUnaryIntrinsic(ID, V), *Ty);
    return true;
  }
  Value *Count = ID == Intrinsic::ctlz ? E.B.CreateBinaryIntrinsic(ID, V, E.B.getFalse())
                                       : E.B.CreateUnaryIntrinsic(ID, V);
  E.write(E.B.CreateZExtOrTrunc(Count, E.B.getInt32Ty()), unsignedType(32));
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

/// Lowers szext.mode.type and bmsk.mode.b32.
static bool extendOrMask(Emitter &E, bool Extend) {
  StringRef Mode = E.Mods.takeOneOf({"clamp", "wrap"});
  std::optional<Type> Ty = E.takeInteger();
  if (!Ty || Ty->Bits != 32 || Mode.empty() || !E.expectOperands(3))
    return false;
  StringRef Name = !Extend ? "bmsk." : Ty->isSigned() ? "sext." : "zext.";
  E.write(E.intrinsic(Name + Mode, {E.read(1, *Ty), E.read(2, bitsType(32))}), *Ty);
  return true;
}

static bool permute(Emitter &E) {
  std::optional<Type> Ty = E.takeInteger();
  StringRef Mode = E.Mods.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (!Ty || !E.expectOperands(4))
    return false;
  SmallVector<Value *, 3> Args = {E.read(1, *Ty), E.read(2, *Ty), E.read(3, *Ty)};
  if (!Mode.empty() && Mode != "f4e" && Mode != "b4e")
    Args.erase(Args.begin() + 1); // reads one operand only
  E.write(E.intrinsic(Mode.empty() ? Twine("prmt") : "prmt." + Mode, Args), *Ty);
  return true;
}

std::span<const RuleEntry> integerInstructions() {
  static const RuleEntry Rules[] = {
      {"addc", [](Emitter &E) { return integerSum(E, false, true); }},
      {"subc", [](Emitter &E) { return integerSum(E, true, true); }},
      {"madc", [](Emitter &E) { return integerMad(E, true); }},
      {"mul24", [](Emitter &E) { return product24(E, false); }},
      {"mad24", [](Emitter &E) { return product24(E, true); }},
      {"rem", [](Emitter &E) { return quotient(E, true); }},
      {"sad", sad},
      {"dp4a", [](Emitter &E) { return dotProduct(E, "idp4a"); }},
      {"dp2a", [](Emitter &E) { return dotProduct(E, "idp2a"); }},
      {"and", [](Emitter &E) { return logic(E, llvm::Instruction::And); }},
      {"or", [](Emitter &E) { return logic(E, llvm::Instruction::Or); }},
      {"xor", [](Emitter &E) { return logic(E, llvm::Instruction::Xor); }},
      {"not", logicNot},
      {"cnot", logicalNot},
      {"lop3", lop3},
      {"shl", [](Emitter &E) { return shift(E, true); }},
      {"shr", [](Emitter &E) { return shift(E, false); }},
      {"shf", funnelShift},
      {"bfe", extractField},
      {"bfi", insertField},
      {"popc", [](Emitter &E) { return bits(E, Intrinsic::ctpop); }},
      {"clz", [](Emitter &E) { return bits(E, Intrinsic::ctlz); }},
      {"brev", [](Emitter &E) { return bits(E, Intrinsic::bitreverse); }},
      {"bfind", findBit},
      {"fns", findNthSet},
      {"szext", [](Emitter &E) { return extendOrMask(E, true); }},
      {"bmsk", [](Emitter &E) { return extendOrMask(E, false); }},
      {"prmt", permute},
  };
  return Rules;
}

bool integerQuotient(Emitter &E) { return quotient(E, false); }

} // namespace gmprof::cpu::ptx
