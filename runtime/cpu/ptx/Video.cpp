//===- Video.cpp - PTX video instructions ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Covers vadd, vsub, vabsdiff, vmin, vmax, vavrg and vset on a word, its two halves or its four
// bytes. Operands are extended, the operation is exact, and its result is truncated or clamped.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

namespace {

/// Operation on operands extended to i64.
using Operation = Value *(*)(IRBuilderBase &, Value *, Value *);

Value *average(IRBuilderBase &B, Value *X, Value *Y) {
  Value *Sum = B.CreateAdd(X, Y);
  Value *Up = B.CreateZExt(B.CreateICmpSGE(Sum, B.getInt64(0)), B.getInt64Ty());
  return B.CreateAShr(B.CreateAdd(Sum, Up), 1);
}

Value *extend(Emitter &E, Value *V, const Type &Ty) {
  llvm::Type *I64 = E.B.getInt64Ty();
  return Ty.isSigned() ? E.B.CreateSExt(V, I64) : E.B.CreateZExt(V, I64);
}

Value *clamp(Emitter &E, Value *V, unsigned Bits, bool Signed) {
  int64_t Min = Signed ? -(int64_t(1) << (Bits - 1)) : 0;
  int64_t Max = Signed ? (int64_t(1) << (Bits - 1)) - 1 : (int64_t(1) << Bits) - 1;
  V = E.B.CreateBinaryIntrinsic(Intrinsic::smax, V, E.B.getInt64(Min));
  return E.B.CreateBinaryIntrinsic(Intrinsic::smin, V, E.B.getInt64(Max));
}

/// Applies Lane to the pieces of operands 1 and 2 and writes the results; with .add, writes the sum
/// of them and operand 3. Without .add, operand 3 provides pieces that a mask excludes, of which
/// there are none.
bool lanes(Emitter &E, unsigned Count, const Type &Out, const Type &A, const Type &B,
           function_ref<Value *(Value *, Value *)> Lane) {
  bool Sat = E.Mods.take("sat"), Add = E.Mods.take("add");
  if (A.Bits != 32 || B.Bits != 32 || Out.Bits != 32 || !E.expectOperands(4))
    return false;
  IRBuilder<> &Build = E.B;
  unsigned Bits = 32 / Count;
  Value *X = E.read(1, A), *Y = E.read(2, B);
  Value *Result = Build.getInt32(0);
  Value *Sum = extend(E, E.read(3, Out), Out);
  auto Piece = [&](Value *V, unsigned I, const Type &Ty) {
    return extend(E, Build.CreateTrunc(Build.CreateLShr(V, I * Bits), Build.getIntNTy(Bits)), Ty);
  };
  for (unsigned I = 0; I != Count; ++I) {
    Value *V = Lane(Piece(X, I, A), Piece(Y, I, B));
    Sum = Build.CreateAdd(Sum, V);
    if (Sat)
      V = clamp(E, V, Bits, Out.isSigned());
    V = Build.CreateTrunc(Build.CreateAnd(V, (uint64_t(1) << Bits) - 1), Build.getInt32Ty());
    Result = Build.CreateOr(Result, Build.CreateShl(V, I * Bits));
  }
  if (!Add) {
    E.write(Result, Out);
    return true;
  }
  if (Sat)
    Sum = clamp(E, Sum, 32, Out.isSigned());
  E.write(Build.CreateTrunc(Sum, Build.getInt32Ty()), Out);
  return true;
}

/// Lowers arithmetic such as vadd2.u32.s32.s32, with the types of the result and both operands.
bool arithmetic(Emitter &E, unsigned Count, Operation Op) {
  std::optional<Type> Out = E.takeInteger(), A = E.takeInteger(), B = E.takeInteger();
  return Out && A && B &&
         lanes(E, Count, *Out, *A, *B, [&](Value *X, Value *Y) { return Op(E.B, X, Y); });
}

Value *compared(Emitter &E, StringRef Name, Value *X, Value *Y) {
  using P = CmpInst::Predicate;
  P Predicate = StringSwitch<P>(Name)
                    .Case("eq", P::ICMP_EQ)
                    .Case("ne", P::ICMP_NE)
                    .Case("lt", P::ICMP_SLT)
                    .Case("le", P::ICMP_SLE)
                    .Case("gt", P::ICMP_SGT)
                    .Default(P::ICMP_SGE);
  return E.B.CreateZExt(E.B.CreateICmp(Predicate, X, Y), E.B.getInt64Ty());
}

/// Lowers comparisons such as vset4.u32.u32.lt: 1 where the comparison holds.
bool compare(Emitter &E, unsigned Count) {
  std::optional<Type> A = E.takeInteger(), B = E.takeInteger();
  StringRef Name = E.Mods.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
  return A && B && !Name.empty() &&
         lanes(E, Count, unsignedType(32), *A, *B,
               [&](Value *X, Value *Y) { return compared(E, Name, X, Y); });
}

/// Lowers the form on whole words. Its operands may be parts of registers (r.b0, r.h1), and its
/// result may be combined with operand 3 by a sum, minimum or maximum.
bool word(Emitter &E, Operation Op) {
  std::optional<Type> Out = E.takeInteger(), A = E.takeInteger(), B = E.takeInteger();
  bool Sat = E.Mods.take("sat");
  StringRef Second = E.Mods.takeOneOf({"add", "min", "max"});
  if (!Out || !A || !B || Out->Bits != 32 || A->Bits != 32 || B->Bits != 32 ||
      !E.expectOperands(Second.empty() ? 3 : 4))
    return false;
  Value *V = Op(E.B, extend(E, E.read(1, *A), *A), extend(E, E.read(2, *B), *B));
  if (Sat)
    V = clamp(E, V, 32, Out->isSigned());
  V = E.B.CreateTrunc(V, E.B.getInt32Ty());
  if (!Second.empty()) {
    Value *C = E.read(3, *Out);
    Intrinsic::ID Min = Out->isSigned() ? Intrinsic::smin : Intrinsic::umin;
    Intrinsic::ID Max = Out->isSigned() ? Intrinsic::smax : Intrinsic::umax;
    V = Second == "add" ? E.B.CreateAdd(V, C)
                        : E.B.CreateBinaryIntrinsic(Second == "min" ? Min : Max, V, C);
  }
  E.write(V, *Out);
  return true;
}

Value *add(IRBuilderBase &B, Value *X, Value *Y) { return B.CreateAdd(X, Y); }
Value *subtract(IRBuilderBase &B, Value *X, Value *Y) { return B.CreateSub(X, Y); }
Value *distance(IRBuilderBase &B, Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::abs, B.CreateSub(X, Y), B.getFalse());
}
Value *lesser(IRBuilderBase &B, Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y);
}
Value *greater(IRBuilderBase &B, Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y);
}

} // namespace

std::span<const RuleEntry> videoInstructions() {
  static const RuleEntry Rules[] = {
      {"vadd", [](Emitter &E) { return word(E, add); }},
      {"vadd2", [](Emitter &E) { return arithmetic(E, 2, add); }},
      {"vadd4", [](Emitter &E) { return arithmetic(E, 4, add); }},
      {"vsub", [](Emitter &E) { return word(E, subtract); }},
      {"vsub2", [](Emitter &E) { return arithmetic(E, 2, subtract); }},
      {"vsub4", [](Emitter &E) { return arithmetic(E, 4, subtract); }},
      {"vabsdiff", [](Emitter &E) { return word(E, distance); }},
      {"vabsdiff2", [](Emitter &E) { return arithmetic(E, 2, distance); }},
      {"vabsdiff4", [](Emitter &E) { return arithmetic(E, 4, distance); }},
      {"vmin", [](Emitter &E) { return word(E, lesser); }},
      {"vmin2", [](Emitter &E) { return arithmetic(E, 2, lesser); }},
      {"vmin4", [](Emitter &E) { return arithmetic(E, 4, lesser); }},
      {"vmax", [](Emitter &E) { return word(E, greater); }},
      {"vmax2", [](Emitter &E) { return arithmetic(E, 2, greater); }},
      {"vmax4", [](Emitter &E) { return arithmetic(E, 4, greater); }},
      {"vavrg2", [](Emitter &E) { return arithmetic(E, 2, average); }},
      {"vavrg4", [](Emitter &E) { return arithmetic(E, 4, average); }},
      {"vset2", [](Emitter &E) { return compare(E, 2); }},
      {"vset4", [](Emitter &E) { return compare(E, 4); }},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
