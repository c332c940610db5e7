//===- LowerArithmetic.cpp - GPU semantics of arithmetic ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer division by zero, or of the smallest integer by -1, raises a signal on x86-64. A GPU
// continues: here the quotient and remainder of a division by zero are all ones.
//
// Products are fused with sums where the GPU's code generator would fuse: in the same block, with
// `contract` on both. Results therefore do not depend on the optimisation of the CPU's code, and
// agree with the GPU's more often.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Lower.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace gmprof::cpu {

static void guardDivision(BinaryOperator &I) {
  bool Signed = I.getOpcode() == Instruction::SDiv || I.getOpcode() == Instruction::SRem;
  Value *Divisor = I.getOperand(1);
  if (const APInt *Constant; PatternMatch::match(Divisor, PatternMatch::m_APInt(Constant)) &&
                             !Constant->isZero() && !(Signed && Constant->isAllOnes()))
    return;
  IRBuilder<> B(&I);
  Type *Type = I.getType();
  Value *One = ConstantInt::get(Type, 1), *AllOnes = Constant::getAllOnesValue(Type);
  Value *Zero = B.CreateIsNull(Divisor);
  Value *Unsafe = Zero;
  Value *Negated = nullptr, *Overflow = nullptr;
  if (Signed) {
    Overflow = B.CreateICmpEQ(Divisor, AllOnes);
    Negated = I.getOpcode() == Instruction::SDiv ? B.CreateNeg(I.getOperand(0))
                                                 : Constant::getNullValue(Type);
    Unsafe = B.CreateOr(Unsafe, Overflow);
  }
  auto *Safe = cast<BinaryOperator>(B.Insert(BinaryOperator::Create(
      I.getOpcode(), I.getOperand(0), B.CreateSelect(Unsafe, One, Divisor))));
  Value *Result = Safe;
  if (Signed)
    Result = B.CreateSelect(Overflow, Negated, Result);
  Result = B.CreateSelect(Zero, AllOnes, Result);
  I.replaceAllUsesWith(Result);
  I.eraseFromParent();
}

/// Returns the operand as a product that can be fused with Sum, or null.
static BinaryOperator *fusable(Value *Operand, const BinaryOperator &Sum) {
  auto *Product = dyn_cast<BinaryOperator>(Operand);
  if (!Product || Product->getOpcode() != Instruction::FMul || !Product->hasAllowContract() ||
      Product->getParent() != Sum.getParent())
    return nullptr;
  return Product;
}

static void fuse(BinaryOperator &Sum) {
  Type *Scalar = Sum.getType()->getScalarType();
  if (!Sum.hasAllowContract() || !(Scalar->isFloatTy() || Scalar->isDoubleTy()))
    return;
  Value *Left = Sum.getOperand(0), *Right = Sum.getOperand(1);
  BinaryOperator *L = fusable(Left, Sum), *R = fusable(Right, Sum);
  // The product with fewer other users saves more.
  if (L && R && L->getNumUses() > R->getNumUses())
    L = nullptr;
  BinaryOperator *Product = L ? L : R;
  if (!Product)
    return;
  bool Subtract = Sum.getOpcode() == Instruction::FSub;
  IRBuilder<> B(&Sum);
  Value *X = Product->getOperand(0), *Y = Product->getOperand(1);
  Value *Addend = L ? Right : Left;
  if (Subtract && L)
    Addend = B.CreateFNeg(Addend);
  else if (Subtract)
    X = B.CreateFNeg(X);
  Sum.replaceAllUsesWith(B.CreateIntrinsic(Intrinsic::fma, {Sum.getType()}, {X, Y, Addend}));
  Sum.eraseFromParent();
  if (Product->use_empty())
    Product->eraseFromParent();
}

void lowerArithmetic(Function &F) {
  SmallVector<BinaryOperator *, 32> Divisions, Sums;
  for (Instruction &I : instructions(F))
    switch (I.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::SRem:
    case Instruction::UDiv:
    case Instruction::URem:
      Divisions.push_back(cast<BinaryOperator>(&I));
      break;
    case Instruction::FAdd:
    case Instruction::FSub:
      Sums.push_back(cast<BinaryOperator>(&I));
      break;
    }
  for (BinaryOperator *I : Divisions)
    guardDivision(*I);
  for (BinaryOperator *I : Sums)
    fuse(*I);
}

} // namespace gmprof::cpu
