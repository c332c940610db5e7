//===- IntegerRows.cpp - Integer and bitwise instructions -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// Returns the address of which an add or sub moves, and the distance, if it is address arithmetic.
bool addressSum(InstructionLifter &L, const Instruction &I, bool Subtract) {
  const std::vector<Operand> &O = I.Operands;
  std::optional<unsigned> Space = L.addressSpaceOf(O[0]);
  if (!O[0].isRegister() || !Space)
    return false;
  bool First = L.addressSpaceOf(O[1]).has_value(), Second = L.addressSpaceOf(O[2]).has_value();
  if (First == Second || (Second && Subtract))
    return false;
  llvm::Type *Ty = L.irType(L.type(I));
  Value *Base = L.read(O[First ? 1 : 2], PointerType::get(L.B.getContext(), *Space));
  Value *Distance = L.read(O[First ? 2 : 1], Ty);
  if (Subtract)
    Distance = L.B.CreateNeg(Distance);
  L.write(O[0], L.B.CreatePtrAdd(Base, Distance));
  return true;
}

bool sum(InstructionLifter &L, const Instruction &I) {
  bool Subtract = I.Opcode == "sub";
  if (addressSum(L, I, Subtract))
    return true;
  llvm::Type *Ty = L.irType(L.type(I));
  Value *A = L.read(I.Operands[1], Ty), *B = L.read(I.Operands[2], Ty);
  L.write(I.Operands[0], Subtract ? L.B.CreateSub(A, B) : L.B.CreateAdd(A, B));
  return true;
}

/// Returns the low or high half of a product, or all of it.
Value *product(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  llvm::Type *Narrow = L.irType(Ty), *Wide = L.intType(2 * Ty.Bits);
  Value *A = L.read(I.Operands[1], Narrow), *B = L.read(I.Operands[2], Narrow);
  if (I.has("lo"))
    return L.B.CreateMul(A, B);
  // The product of two extended numbers does not overflow.
  A = Ty.isSigned() ? L.B.CreateSExt(A, Wide) : L.B.CreateZExt(A, Wide);
  B = Ty.isSigned() ? L.B.CreateSExt(B, Wide) : L.B.CreateZExt(B, Wide);
  Value *All = L.B.CreateMul(A, B, "", /*HasNUW=*/!Ty.isSigned(), /*HasNSW=*/Ty.isSigned());
  if (I.has("wide"))
    return All;
  return L.B.CreateTrunc(L.B.CreateLShr(All, Ty.Bits), Narrow);
}

bool mul(InstructionLifter &L, const Instruction &I) {
  L.write(I.Operands[0], product(L, I), L.type(I).isSigned());
  return true;
}

bool mad(InstructionLifter &L, const Instruction &I) {
  const std::vector<Operand> &O = I.Operands;
  Value *Product = product(L, I);
  std::optional<unsigned> Space = L.addressSpaceOf(O[0]);
  if (O[0].isRegister() && Space && L.addressSpaceOf(O[3])) {
    Value *Base = L.read(O[3], PointerType::get(L.B.getContext(), *Space));
    L.write(O[0], L.B.CreatePtrAdd(Base, Product));
    return true;
  }
  L.write(O[0], L.B.CreateAdd(Product, L.read(O[3], Product->getType())));
  return true;
}

/// Lifts add.cc, addc, sub.cc, subc, mad.cc and madc, with the carry flag.
bool withCarry(InstructionLifter &L, const Instruction &I) {
  const std::vector<Operand> &O = I.Operands;
  bool Multiply = I.Opcode.starts_with("mad"), Subtract = I.Opcode.starts_with("sub");
  const Type Ty = L.type(I);
  llvm::Type *Narrow = L.irType(Ty), *Wide = L.intType(2 * Ty.Bits);
  Value *A = Multiply ? product(L, I) : L.read(O[1], Narrow);
  Value *B = L.read(O[Multiply ? 3 : 2], Narrow);
  A = L.B.CreateZExt(A, Wide);
  B = L.B.CreateZExt(B, Wide);
  Value *Sum = Subtract ? L.B.CreateSub(A, B) : L.B.CreateAdd(A, B);
  if (I.Opcode.ends_with("c")) {
    Value *In = L.B.CreateZExt(L.B.CreateLoad(L.B.getInt1Ty(), L.carry()), Wide);
    Sum = Subtract ? L.B.CreateSub(Sum, In) : L.B.CreateAdd(Sum, In);
  }
  if (I.has("cc"))
    L.B.CreateStore(L.B.CreateTrunc(L.B.CreateLShr(Sum, Ty.Bits), L.B.getInt1Ty()), L.carry());
  L.write(O[0], L.B.CreateTrunc(Sum, Narrow));
  return true;
}

/// Lifts div and rem. Quotient and remainder of a division by zero have all bits set, as GPUs
/// compute them; LLVM's are undefined. The divisor becomes 1 where LLVM's result would be
/// undefined.
bool divide(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  auto *Int = cast<IntegerType>(L.irType(Ty));
  Value *N = L.read(I.Operands[1], Int), *D = L.read(I.Operands[2], Int);
  Value *ByZero = L.B.CreateICmpEQ(D, ConstantInt::get(Int, 0));
  Value *Unsafe = ByZero;
  if (Ty.isSigned()) {
    Value *Minimum = ConstantInt::get(Int, APInt::getSignedMinValue(Ty.Bits));
    Value *Overflows = L.B.CreateAnd(L.B.CreateICmpEQ(N, Minimum),
                                     L.B.CreateICmpEQ(D, ConstantInt::getAllOnesValue(Int)));
    Unsafe = L.B.CreateOr(ByZero, Overflows);
  }
  Value *Divisor = L.B.CreateSelect(Unsafe, ConstantInt::get(Int, 1), D);
  Value *Result = nullptr;
  if (I.Opcode == "div")
    Result = Ty.isSigned() ? L.B.CreateSDiv(N, Divisor) : L.B.CreateUDiv(N, Divisor);
  else
    Result = Ty.isSigned() ? L.B.CreateSRem(N, Divisor) : L.B.CreateURem(N, Divisor);
  L.write(I.Operands[0], L.B.CreateSelect(ByZero, ConstantInt::getAllOnesValue(Int), Result),
          Ty.isSigned());
  return true;
}

bool minMax(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  Intrinsic::ID Id = I.Opcode == "min" ? (Ty.isSigned() ? Intrinsic::smin : Intrinsic::umin)
                                       : (Ty.isSigned() ? Intrinsic::smax : Intrinsic::umax);
  llvm::Type *Int = L.irType(Ty);
  L.write(I.Operands[0],
          L.intrinsic(Id, {L.read(I.Operands[1], Int), L.read(I.Operands[2], Int)}, {Int}),
          Ty.isSigned());
  return true;
}

bool absolute(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Int = L.irType(L.type(I));
  L.write(I.Operands[0],
          L.intrinsic(Intrinsic::abs, {L.read(I.Operands[1], Int), L.B.getFalse()}, {Int}), true);
  return true;
}

bool negate(InstructionLifter &L, const Instruction &I) {
  L.write(I.Operands[0], L.B.CreateNeg(L.read(I.Operands[1], L.irType(L.type(I)))), true);
  return true;
}

bool bitwise(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Int = L.irType(L.type(I));
  Value *A = L.read(I.Operands[1], Int);
  if (I.Opcode == "not") {
    L.write(I.Operands[0], L.B.CreateNot(A));
    return true;
  }
  Value *B = L.read(I.Operands[2], Int);
  Value *Result = I.Opcode == "and"  ? L.B.CreateAnd(A, B)
                  : I.Opcode == "or" ? L.B.CreateOr(A, B)
                                     : L.B.CreateXor(A, B);
  L.write(I.Operands[0], Result);
  return true;
}

/// Lifts shl and shr. A shift by the width or more shifts all bits out; LLVM's is undefined.
bool shift(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  auto *Int = cast<IntegerType>(L.irType(Ty));
  Value *A = L.read(I.Operands[1], Int), *Amount = L.read(I.Operands[2], L.B.getInt32Ty());
  Value *Inside = L.B.CreateICmpULT(Amount, L.B.getInt32(Ty.Bits));
  Value *Last = L.B.getInt32(Ty.Bits - 1);
  Value *Clamped = L.convert(L.B.CreateSelect(Inside, Amount, Last), Int);
  if (I.Opcode == "shr" && Ty.isSigned()) {
    L.write(I.Operands[0], L.B.CreateAShr(A, Clamped), true);
    return true;
  }
  Value *Shifted = I.Opcode == "shl" ? L.B.CreateShl(A, Clamped) : L.B.CreateLShr(A, Clamped);
  L.write(I.Operands[0], L.B.CreateSelect(Inside, Shifted, ConstantInt::get(Int, 0)));
  return true;
}

/// Lifts shf.l.wrap and shf.r.wrap: the low register comes first.
bool funnelShift(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Int = L.B.getInt32Ty();
  Value *Low = L.read(I.Operands[1], Int), *High = L.read(I.Operands[2], Int);
  L.write(I.Operands[0], L.intrinsic(I.has("l") ? Intrinsic::fshl : Intrinsic::fshr,
                                     {High, Low, L.read(I.Operands[3], Int)}, {Int}));
  return true;
}

bool countBits(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Int = L.irType(L.type(I));
  Value *A = L.read(I.Operands[1], Int);
  if (I.Opcode == "clz")
    L.write(I.Operands[0], L.intrinsic(Intrinsic::ctlz, {A, L.B.getFalse()}, {Int}));
  else
    L.write(I.Operands[0],
            L.intrinsic(I.Opcode == "popc" ? Intrinsic::ctpop : Intrinsic::bitreverse, {A}, {Int}));
  return true;
}

/// Returns a constant position and length of a bit field, if it is inside the width.
std::optional<std::pair<unsigned, unsigned>> bitField(const Operand &Position,
                                                      const Operand &Length, unsigned Width) {
  if (Position.K != Operand::Kind::Integer || Length.K != Operand::Kind::Integer)
    return std::nullopt;
  if (Position.Bits >= Width || Length.Bits == 0 || Length.Bits > Width - Position.Bits)
    return std::nullopt;
  return std::pair(unsigned(Position.Bits), unsigned(Length.Bits));
}

bool extractField(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  auto Field = bitField(I.Operands[2], I.Operands[3], Ty.Bits);
  if (!Field)
    return false;
  auto [Position, Length] = *Field;
  Value *V = L.B.CreateShl(L.read(I.Operands[1], L.irType(Ty)), Ty.Bits - Position - Length);
  unsigned Amount = Ty.Bits - Length;
  L.write(I.Operands[0], Ty.isSigned() ? L.B.CreateAShr(V, Amount) : L.B.CreateLShr(V, Amount));
  return true;
}

bool insertField(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  auto Field = bitField(I.Operands[3], I.Operands[4], Ty.Bits);
  if (!Field)
    return false;
  auto [Position, Length] = *Field;
  llvm::Type *Int = L.irType(Ty);
  APInt Mask = APInt::getBitsSet(Ty.Bits, Position, Position + Length);
  Value *Inserted = L.B.CreateAnd(L.B.CreateShl(L.read(I.Operands[1], Int), Position),
                                  ConstantInt::get(Int, Mask));
  Value *Kept = L.B.CreateAnd(L.read(I.Operands[2], Int), ConstantInt::get(Int, ~Mask));
  L.write(I.Operands[0], L.B.CreateOr(Inserted, Kept));
  return true;
}

/// Lifts prmt.b32 %d, %a, %b, %selector.
bool permute(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Int = L.B.getInt32Ty();
  L.write(I.Operands[0],
          L.intrinsic(Intrinsic::nvvm_prmt, {L.read(I.Operands[1], Int), L.read(I.Operands[2], Int),
                                             L.read(I.Operands[3], Int)}));
  return true;
}

/// Lifts bmsk.clamp.b32 %d, %position, %length: bits from a position on are set.
bool bitMask(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Int = L.B.getInt32Ty();
  L.write(I.Operands[0],
          L.intrinsic(I.has("clamp") ? Intrinsic::nvvm_bmsk_clamp : Intrinsic::nvvm_bmsk_wrap,
                      {L.read(I.Operands[1], Int), L.read(I.Operands[2], Int)}));
  return true;
}

constexpr Row Rows[] = {
    {"add", "%int", "dvv", sum},
    {"sub", "%int", "dvv", sum},
    {"add", "cc u32|s32|u64|s64", "dvv", withCarry},
    {"sub", "cc u32|s32|u64|s64", "dvv", withCarry},
    {"addc", "[cc] u32|s32|u64|s64", "dvv", withCarry},
    {"subc", "[cc] u32|s32|u64|s64", "dvv", withCarry},
    {"mul", "lo|hi %int", "dvv", mul},
    {"mul", "wide u16|s16|u32|s32", "dvv", mul},
    {"mad", "lo|hi %int", "dvvv", mad},
    {"mad", "wide u16|s16|u32|s32", "dvvv", mad},
    {"mad", "lo|hi cc u32|s32|u64|s64", "dvvv", withCarry},
    {"madc", "lo|hi [cc] u32|s32|u64|s64", "dvvv", withCarry},
    {"div", "%int", "dvv", divide},
    {"rem", "%int", "dvv", divide},
    {"min", "%int", "dvv", minMax},
    {"max", "%int", "dvv", minMax},
    {"abs", "s16|s32|s64", "dv", absolute},
    {"neg", "s16|s32|s64", "dv", negate},
    {"and", "pred|%bits", "dvv", bitwise},
    {"or", "pred|%bits", "dvv", bitwise},
    {"xor", "pred|%bits", "dvv", bitwise},
    {"not", "pred|%bits", "dv", bitwise},
    {"shl", "%bits", "dvv", shift},
    {"shr", "%bits|%int", "dvv", shift},
    {"shf", "l|r wrap b32", "dvvv", funnelShift},
    {"popc", "b32|b64", "dv", countBits},
    {"clz", "b32|b64", "dv", countBits},
    {"brev", "b32|b64", "dv", countBits},
    {"bfe", "u32|s32|u64|s64", "dvvv", extractField},
    {"bfi", "b32|b64", "dvvvv", insertField},
    {"bmsk", "clamp|wrap b32", "dvv", bitMask},
    {"prmt", "b32", "dvvv", permute},
};

} // namespace

ArrayRef<Row> integerRows() { return Rows; }

} // namespace gmprof::ptx
