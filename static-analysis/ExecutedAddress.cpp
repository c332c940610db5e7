//===- ExecutedAddress.cpp - Addresses at executed accesses ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutedAddress.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace gmprof;

namespace {

enum class Extension { Signed, Unsigned };

/// Maximum number of instructions to follow from one value.
constexpr unsigned MostSteps = 8;

/// Reads integers that are extended to one type. Values that already have this type may wrap
/// around.
class NumberReader {
  ScalarEvolution &SE;
  Type *To;

public:
  NumberReader(ScalarEvolution &SE, Type *To) : SE(SE), To(To) {}

  const SCEV *read(Value *V, Extension E, unsigned Steps) {
    auto *I = dyn_cast<Instruction>(V);
    const SCEV *Found = I && Steps != 0 ? readInstruction(*I, E, Steps - 1) : nullptr;
    return Found ? Found : extend(SE.getSCEV(V), E);
  }

private:
  const SCEV *extend(const SCEV *S, Extension E) {
    return E == Extension::Signed ? SE.getTruncateOrSignExtend(S, To)
                                  : SE.getTruncateOrZeroExtend(S, To);
  }

  /// Returns true if the extended result follows from the extended operands.
  bool isExact(const Instruction &I, Extension E) const {
    if (I.getType() == To || match(&I, m_DisjointOr(m_Value(), m_Value())))
      return true;
    if (!isa<OverflowingBinaryOperator>(I))
      return false;
    return E == Extension::Signed ? I.hasNoSignedWrap() : I.hasNoUnsignedWrap();
  }

  /// Returns null if ScalarEvolution's result has to be used.
  const SCEV *readInstruction(Instruction &I, Extension E, unsigned Steps) {
    if (SE.getTypeSizeInBits(I.getType()) > SE.getTypeSizeInBits(To))
      return nullptr;
    if (isa<SExtInst>(I) && (I.getType() == To || E == Extension::Signed))
      return read(I.getOperand(0), Extension::Signed, Steps);
    if (isa<ZExtInst>(I))
      return read(I.getOperand(0), extensionOf(I), Steps);
    if (auto *Phi = dyn_cast<PHINode>(&I))
      return readInduction(*Phi, E);
    if (!isExact(I, E))
      return nullptr;
    const auto Operand = [&](unsigned Number) { return read(I.getOperand(Number), E, Steps); };
    switch (I.getOpcode()) {
    case Instruction::Add:
    case Instruction::Or:
      return match(&I, m_AddLike(m_Value(), m_Value())) ? SE.getAddExpr(Operand(0), Operand(1))
                                                        : nullptr;
    case Instruction::Sub:
      return SE.getMinusSCEV(Operand(0), Operand(1));
    case Instruction::Mul:
      return SE.getMulExpr(Operand(0), Operand(1));
    case Instruction::Shl:
      return readShift(I, Operand(0));
    default:
      return nullptr;
    }
  }

  /// Returns how an instruction extends; a non-negative number extends the same way signed and
  /// unsigned.
  static Extension extensionOf(const Instruction &ZExt) {
    const auto *Of = dyn_cast<OverflowingBinaryOperator>(ZExt.getOperand(0));
    const bool OnlyUnsigned = Of && !Of->hasNoSignedWrap();
    return ZExt.hasNonNeg() && !OnlyUnsigned ? Extension::Signed : Extension::Unsigned;
  }

  const SCEV *readShift(const Instruction &Shl, const SCEV *Shifted) {
    const APInt *Bits;
    // Shifting into the sign bit is not a multiplication by a power of two once extended.
    if (!match(Shl.getOperand(1), m_APInt(Bits)) || Bits->uge(Bits->getBitWidth() - 1))
      return nullptr;
    const unsigned Width = To->getIntegerBitWidth();
    return SE.getMulExpr(Shifted, SE.getConstant(APInt::getOneBitSet(
                                      Width, static_cast<unsigned>(Bits->getZExtValue()))));
  }

  /// Reads an induction variable: one of an executed iteration implies that no earlier sum
  /// overflowed.
  const SCEV *readInduction(PHINode &Phi, Extension E) {
    const auto *Known = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    if (!Known || !Known->isAffine() || Phi.getType() == To)
      return nullptr;
    const BasicBlock *Latch = Known->getLoop()->getLoopLatch();
    if (!Latch || Known->getLoop()->getHeader() != Phi.getParent())
      return nullptr;
    const auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
    if (!Next || !match(Next, m_c_Add(m_Specific(&Phi), m_Value())) || !isExact(*Next, E))
      return nullptr;
    return SE.getAddRecExpr(extend(Known->getStart(), E), extend(Known->getStepRecurrence(SE), E),
                            Known->getLoop(), SCEV::FlagAnyWrap);
  }
};

} // namespace

static const SCEV *readPointer(Value *Pointer, ScalarEvolution &SE, unsigned Steps) {
  auto *GEP = dyn_cast<GEPOperator>(Pointer);
  if (!GEP || Steps == 0)
    return SE.getSCEV(Pointer);
  Value *Base = GEP->getPointerOperand();
  NumberReader Numbers(SE, SE.getEffectiveSCEVType(Pointer->getType()));
  SmallVector<const SCEV *, 4> Indices;
  for (Value *Index : GEP->indices())
    Indices.push_back(Numbers.read(Index, Extension::Signed, MostSteps));
  const SCEV *FromBase = SE.getMinusSCEV(SE.getGEPExpr(GEP, Indices), SE.getSCEV(Base));
  return SE.getAddExpr(readPointer(Base, SE, Steps - 1), FromBase);
}

const SCEV *gmprof::executedAddress(Value *Pointer, ScalarEvolution &SE) {
  return readPointer(Pointer, SE, MostSteps);
}
