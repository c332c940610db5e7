//===- PolynomialReader.cpp - Reads polynomials from IR -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolynomialReader.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace gmprof;

using Polynomials = SmallVector<Polynomial, 2>;

static constexpr unsigned MaxDepth = 24;

PolynomialReader::PolynomialReader(ScalarEvolution &SE, const LoopInfo &LI,
                                   const PathConditions &Paths, const Function &F)
    : SE(SE), LI(LI), Paths(Paths) {
  const int64_t MaxThreads = maxThreadsOfBlock(F);
  for (unsigned Register = GMPROF_FACTOR_TID_X; Register <= GMPROF_FACTOR_NCTAID_Z; ++Register)
    Known.setRange(Register, rangeOfRegister(Register, MaxThreads));
  for (unsigned D = 0; D < 3; ++D) {
    const auto Less = [&](unsigned Index, unsigned Size) {
      Known.add(Polynomial::unknown(Size + D) - Polynomial::unknown(Index + D) - 1);
    };
    Less(GMPROF_FACTOR_TID_X, GMPROF_FACTOR_NTID_X);
    Less(GMPROF_FACTOR_CTAID_X, GMPROF_FACTOR_NCTAID_X);
  }
  for (const Argument &Parameter : F.args()) {
    const unsigned Factor = GMPROF_FACTOR_PARAMETER + Parameter.getArgNo();
    const unsigned Bits =
        Parameter.getType()->isIntegerTy() ? Parameter.getType()->getIntegerBitWidth() : 0;
    if (Bits == 0 || Bits > 64 || Factor >= GMPROF_FACTOR_DERIVED)
      continue;
    // A bool is a byte with value 0 or 1.
    const Wide Half = Wide(1) << (Bits - 1);
    Known.setRange(Factor, Bits == 1 ? Interval{0, 1} : Interval{-Half, Half - 1});
  }
}

unsigned PolynomialReader::enterLoop(const Loop *L) {
  const unsigned Factor = GMPROF_FACTOR_LOOP + Form.Loops.size();
  Form.Loops.push_back(L);
  Known.setRange(Factor, {0, Interval::Unbounded});
  Unbounded = Factor;
  Scope = L;
  return Factor;
}

//===----------------------------------------------------------------------===//
// Constraints and conditions
//===----------------------------------------------------------------------===//

/// Returns P's value for the first thread of the first block in iteration 0 of all loops.
static Polynomial atFirstThread(const Polynomial &P) {
  Polynomial Result;
  for (const auto &[Factors, Coefficient] : P.Terms)
    if (all_of(Factors, [](unsigned Factor) { return isSameInLaunch(Factor); }))
      Result.addTerm(Factors, Coefficient);
  return Result;
}

bool PolynomialReader::require(const Polynomial &P, Wide Min, Wide Max) {
  if (P.TooComplex) {
    Why = TooComplex;
    return false;
  }
  if (Known.isAtLeast(P, Min) && Known.isAtMost(P, Max))
    return true;
  for (const Choice &C : Choices)
    if (P.has(C.Factor)) // holds for either
      return require(P.replace(C.Factor, C.A), Min, Max) &&
             require(P.replace(C.Factor, C.B), Min, Max);
  Why = MayWrap;
  const Interval Range = Known.rangeOf(P);
  if (Range.Max < Min || Range.Min > Max)
    return false;
  // If only the block's shape is involved, wrapping around is intended.
  if (!P.anyFactor([](unsigned Factor) { return isOfLaunch(Factor) || isLoop(Factor); }))
    return false;
  // A condition that fails for the first thread would fail in every launch.
  const Polynomial First = atFirstThread(P);
  const bool FirstIsHere = none_of(Form.Constraints, [](const SymbolicConstraint &C) {
    const Polynomial Value = atFirstThread(C.NonNegative);
    return C.Loop < 0 && Value.isConstant() && Value.constant() < 0;
  });
  if (FirstIsHere && First.isConstant() && (First.constant() < Min || First.constant() > Max))
    return false;
  Required.push_back({P, int64_t(Min), int64_t(Max), 0});
  if (!Unbounded || !P.has(Unbounded))
    know(Required.back());
  return true;
}

void PolynomialReader::know(const SymbolicCondition &C) {
  Polynomial Above = C.Value, Below = C.Value * -1;
  Above.addTerm({}, -Wide(C.Min));
  Below.addTerm({}, C.Max);
  Known.add(Above);
  Known.add(Below);
}

void PolynomialReader::addConditions(std::vector<SymbolicCondition> Requirements) {
  for (SymbolicCondition &R : Requirements) {
    R.Constraints = Form.Constraints.size();
    const bool IsThere = any_of(Form.Conditions, [&](const SymbolicCondition &C) {
      return C.Min == R.Min && C.Max == R.Max && C.Value == R.Value;
    });
    if (!IsThere)
      Form.Conditions.push_back(std::move(R));
  }
}

void PolynomialReader::addConstraint(int Loop, Polynomial NonNegative) {
  if (Loop < 0) {
    if (Known.isNotNegative(NonNegative))
      return;
    Known.add(NonNegative);
  }
  Form.Constraints.push_back({Loop, std::move(NonNegative)});
}

bool PolynomialReader::fits(const Polynomial &P, unsigned Bits, bool Signed) {
  const Wide Span = Wide(1) << std::min(Bits, 63u);
  return Signed ? require(P, -(Span / 2), Span / 2 - 1) : require(P, 0, Span - 1);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<Polynomial> PolynomialReader::read(const SCEV *S) {
  std::optional<Polynomial> P = read(SE.getSCEVAtScope(S, Scope), 0);
  return P ? decideChoices(std::move(*P)) : P;
}

/// Replaces choices in P by decisions. The operands of a choice only contain earlier choices.
std::optional<Polynomial> PolynomialReader::decideChoices(Polynomial P) {
  for (const Choice &C : reverse(Choices)) {
    if (!P.has(C.Factor))
      continue;
    std::optional<Polynomial> More = decideChoices(C.IsMax ? C.B - C.A : C.A - C.B);
    std::optional<Polynomial> IsSecond = More ? isNotNegative(*More) : More;
    if (!IsSecond)
      return IsSecond;
    P = P.replace(C.Factor, C.A + (C.B - C.A) * *IsSecond);
  }
  return P;
}

std::optional<Polynomial> PolynomialReader::readValue(Value *V, unsigned Depth) {
  if (!SE.isSCEVable(V->getType()))
    return refuse(NotPolynomial);
  return read(SE.getSCEVAtScope(V, Scope), Depth);
}

std::optional<Polynomial> PolynomialReader::read(const SCEV *S, unsigned Depth) {
  if (Depth > MaxDepth)
    return refuse(TooComplex);
  switch (S->getSCEVType()) {
  case scConstant: {
    const APInt &C = cast<SCEVConstant>(S)->getAPInt();
    if (C.getSignificantBits() > 62)
      return refuse(NotPolynomial);
    return Polynomial(C.getSExtValue());
  }
  case scAddExpr:
  case scMulExpr: {
    const bool IsSum = S->getSCEVType() == scAddExpr;
    Polynomial Result = IsSum ? 0 : 1;
    for (const SCEV *Op : S->operands()) {
      std::optional<Polynomial> P = read(Op, Depth + 1);
      if (!P)
        return P;
      Result = IsSum ? Result + *P : Result * *P;
    }
    if (Result.TooComplex)
      return refuse(TooComplex);
    return Result;
  }
  case scTruncate:
    return read(cast<SCEVTruncateExpr>(S)->getOperand(), Depth + 1);
  case scZeroExtend:
    return readNumber(cast<SCEVZeroExtendExpr>(S)->getOperand(), /*Signed=*/false, Depth + 1);
  case scSignExtend:
    return readNumber(cast<SCEVSignExtendExpr>(S)->getOperand(), /*Signed=*/true, Depth + 1);
  case scUDivExpr: {
    const auto *Quotient = cast<SCEVUDivExpr>(S);
    std::optional<Polynomial> A = readNumber(Quotient->getLHS(), /*Signed=*/false, Depth + 1);
    if (!A)
      return A;
    std::optional<Polynomial> B = readNumber(Quotient->getRHS(), /*Signed=*/false, Depth + 1);
    return B ? divide(*A, *B) : B;
  }
  case scSMaxExpr:
  case scUMaxExpr:
  case scSMinExpr:
  case scUMinExpr:
    return readMinMax(S, Depth);
  case scAddRecExpr:
    return readRecurrence(cast<SCEVAddRecExpr>(S), Depth);
  case scUnknown:
    return readUnknown(cast<SCEVUnknown>(S)->getValue(), Depth);
  default:
    return refuse(NotPolynomial);
  }
}

std::optional<Polynomial> PolynomialReader::readNumber(const SCEV *S, bool Signed, unsigned Depth) {
  std::optional<Polynomial> P = read(S, Depth);
  if (!P)
    return P;
  const unsigned Bits = SE.getTypeSizeInBits(S->getType());
  if (Bits >= 32)
    return fits(*P, Bits, Signed) ? P : std::nullopt;
  const int64_t Span = int64_t(1) << Bits, Min = Signed ? -(Span / 2) : 0;
  if (Known.isAtLeast(*P, Min) && Known.isAtMost(*P, Min + Span - 1))
    return P;
  std::optional<Polynomial> Rest = remainder(*P - Min, Span);
  return Rest ? *Rest + Min : Rest;
}

std::optional<Polynomial> PolynomialReader::readRecurrence(const SCEVAddRecExpr *Rec,
                                                           unsigned Depth) {
  const auto *Found = find(Form.Loops, Rec->getLoop());
  if (Found == Form.Loops.end() || Rec->getNumOperands() > 3)
    return refuse(Uneven);
  const Polynomial Iteration =
      Polynomial::unknown(GMPROF_FACTOR_LOOP + (Found - Form.Loops.begin()));
  Polynomial Terms[3];
  for (const auto &[Op, Term] : zip(Rec->operands(), Terms)) {
    std::optional<Polynomial> P = read(Op, Depth + 1);
    if (!P)
      return P;
    Term = std::move(*P);
  }
  // Second differences contribute k * (k - 1) / 2 times.
  Polynomial Odd, Half = Terms[2].dividedBy(2, Odd);
  if (!Odd.Terms.empty())
    return refuse(Uneven);
  Polynomial Result = Terms[0] + Terms[1] * Iteration + Half * (Iteration * Iteration - Iteration);
  if (Result.TooComplex)
    return refuse(TooComplex);
  return Result;
}

std::optional<Polynomial> PolynomialReader::readMinMax(const SCEV *S, unsigned Depth) {
  const auto Kind = S->getSCEVType();
  const bool Signed = Kind == scSMaxExpr || Kind == scSMinExpr;
  const bool IsMax = Kind == scSMaxExpr || Kind == scUMaxExpr;
  std::optional<Polynomial> Result;
  for (const SCEV *Op : S->operands()) {
    std::optional<Polynomial> P = readNumber(Op, Signed, Depth + 1);
    if (!P || !Result) {
      Result = P;
      if (!P)
        return P;
      continue;
    }
    const Polynomial More = IsMax ? *P - *Result : *Result - *P;
    if (Known.isNotNegative(More * -1))
      continue;
    if (!Known.isNotNegative(More) && !isSameInLaunch(More)) {
      Result = newChoice(*Result, *P, IsMax);
      if (!Result)
        return Result;
      continue;
    }
    std::optional<Polynomial> Other = isNotNegative(More);
    if (!Other)
      return Other;
    *Result += (*P - *Result) * *Other;
    if (Result->TooComplex)
      return refuse(TooComplex);
  }
  return Result;
}

std::optional<Polynomial> PolynomialReader::readUnknown(Value *V, unsigned Depth) {
  auto *Parameter = dyn_cast<Argument>(V);
  if (!Parameter) {
    auto *I = dyn_cast<Instruction>(V);
    return I ? readInstruction(*I, Depth) : refuse(NotPolynomial);
  }
  const unsigned Factor = GMPROF_FACTOR_PARAMETER + Parameter->getArgNo();
  if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > 64 ||
      Factor >= GMPROF_FACTOR_DERIVED)
    return refuse(NotPolynomial);
  return Polynomial::unknown(Factor);
}

std::optional<Polynomial> PolynomialReader::readInstruction(Instruction &I, unsigned Depth) {
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
    std::optional<unsigned> Factor = factorOfRegister(*Intrinsic);
    return Factor ? std::optional(Polynomial::unknown(*Factor)) : refuse(NotPolynomial);
  }
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return readPhi(*Phi, Depth);
  if (auto *Select = dyn_cast<SelectInst>(&I))
    return readSelect(*Select, Depth);
  if (auto *Compare = dyn_cast<ICmpInst>(&I)) {
    std::optional<Disjunction> When = Paths.expand(*Compare, /*IsTrue=*/true);
    return When ? readDecision(*When) : refuse(NotPolynomial);
  }
  if (I.mayReadFromMemory()) {
    ReadsMemory = true;
    return refuse(OfMemory);
  }
  switch (I.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::SRem: {
    // Compilers narrow divisions to the bits that the operands need.
    const unsigned Bits = I.getType()->getIntegerBitWidth();
    const auto Operand = [&](unsigned Number) {
      Value *V = I.getOperand(Number);
      return Bits < 32 ? readNumber(SE.getSCEVAtScope(V, Scope), /*Signed=*/true, Depth + 1)
                       : readValue(V, Depth + 1);
    };
    std::optional<Polynomial> A = Operand(0);
    std::optional<Polynomial> B = A ? Operand(1) : A;
    if (!B)
      return B;
    // Division rounds towards zero; for non-negative operands this is rounding down.
    if (!fits(*A, Bits - 1, /*Signed=*/false) || !fits(*B, Bits, /*Signed=*/true))
      return refuse(MayWrap);
    std::optional<Polynomial> Quotient = divide(*A, *B);
    return !Quotient || I.getOpcode() == Instruction::SDiv ? Quotient : *A - *Quotient * *B;
  }
  case Instruction::And: {
    auto *Mask = dyn_cast<ConstantInt>(I.getOperand(1));
    std::optional<Polynomial> A = Mask ? readValue(I.getOperand(0), Depth + 1) : std::nullopt;
    if (!Mask)
      return refuse(NotPolynomial);
    return A ? readMasked(*A, Mask->getValue()) : A;
  }
  case Instruction::AShr: {
    auto *Shift = dyn_cast<ConstantInt>(I.getOperand(1));
    if (!Shift || Shift->getValue().ugt(30))
      return refuse(NotPolynomial);
    std::optional<Polynomial> A = readValue(I.getOperand(0), Depth + 1);
    if (!A || !fits(*A, I.getType()->getIntegerBitWidth(), /*Signed=*/true))
      return std::nullopt;
    return divide(*A, int64_t(1) << Shift->getZExtValue());
  }
  default:
    return refuse(NotPolynomial);
  }
}

/// Returns A & Mask as a sum over the runs of ones in Mask. A may be congruent to the value.
std::optional<Polynomial> PolynomialReader::readMasked(const Polynomial &A, const APInt &Mask) {
  Polynomial Result;
  const unsigned Bits = Mask.getBitWidth();
  for (unsigned Low = 0, High; Low < Bits; Low = High) {
    for (High = Low; High < Bits && Mask[High] == Mask[Low]; ++High)
      ;
    if (!Mask[Low])
      continue;
    if (Low > 30 || (High < Bits && High - Low > 30))
      return refuse(TooComplex);
    std::optional<Polynomial> Run = divide(A, int64_t(1) << Low);
    if (Run && High < Bits)
      Run = remainder(*Run, int64_t(1) << (High - Low));
    if (!Run)
      return Run;
    Result += *Run * (int64_t(1) << Low);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// One of several values
//===----------------------------------------------------------------------===//

template <typename Result>
Result PolynomialReader::under(const Disjunction &When, function_ref<Result()> Read) {
  // Conditions of one path are facts; those of several paths are not.
  const Inequalities Before = Known;
  const bool WasAssuming = std::exchange(Assuming, true);
  const size_t FirstNew = Form.Derived.size(), FirstChoiceOfIts = Choices.size();
  if (When.size() == 1)
    for (const Literal &A : When.front())
      if (std::optional<Polynomials> Facts = readLiteral(A))
        for (const Polynomial &Fact : *Facts)
          Known.add(Fact);
  Result R = Read();
  Known = Before;
  for (size_t New = FirstNew; New < Form.Derived.size(); ++New)
    knowDerived(New);
  for (const Choice &C : ArrayRef(Choices).drop_front(FirstChoiceOfIts))
    knowChoice(C);
  Assuming = WasAssuming;
  return R;
}

std::optional<Polynomial>
PolynomialReader::readAlternatives(ArrayRef<std::pair<Disjunction, Value *>> Ways, unsigned Depth) {
  SmallVector<Polynomial, 2> Values;
  for (const auto &[When, V] : Ways) {
    auto P = under<std::optional<Polynomial>>(When, [&, In = V] { return readValue(In, Depth); });
    if (!P)
      return P;
    Values.push_back(std::move(*P));
  }
  for (const Polynomial &Candidate : Values) {
    const bool IsAlways = all_of(zip(Ways, Values), [&](const auto &Way) {
      const auto &[WhenAndIn, P] = Way;
      const Polynomial More = Candidate - P;
      return under<bool>(WhenAndIn.first, [&] {
        return Known.isNotNegative(More) && Known.isNotNegative(More * -1);
      });
    });
    if (IsAlways)
      return Candidate;
  }
  Polynomial Result = Values.back();
  for (const auto &[Way, P] : zip(Ways.drop_back(), Values)) {
    std::optional<Polynomial> IsTaken = readDecision(Way.first);
    if (!IsTaken)
      return IsTaken;
    Result += (P - Values.back()) * *IsTaken;
  }
  if (Result.TooComplex)
    return refuse(TooComplex);
  return Result;
}

std::optional<Polynomial> PolynomialReader::readPhi(PHINode &Phi, unsigned Depth) {
  const BasicBlock *BB = Phi.getParent();
  const Loop *L = LI.getLoopFor(BB);
  if (Depth > MaxDepth / 2 || (L && (L->getHeader() == BB || !L->contains(Scope))))
    return refuse(Uneven);
  SmallVector<std::pair<Disjunction, Value *>, 2> Ways;
  for (unsigned I = 0; I < Phi.getNumIncomingValues(); ++I) {
    std::optional<Disjunction> When = Paths.through(*Phi.getIncomingBlock(I), *BB);
    if (!When)
      return refuse(NotPolynomial);
    Ways.push_back({std::move(*When), Phi.getIncomingValue(I)});
  }
  return readAlternatives(Ways, Depth + 1);
}

std::optional<Polynomial> PolynomialReader::readSelect(SelectInst &Select, unsigned Depth) {
  if (Depth > MaxDepth / 2 || Select.getCondition()->getType()->isVectorTy())
    return refuse(NotPolynomial);
  std::optional<Disjunction> True = Paths.expand(*Select.getCondition(), /*IsTrue=*/true);
  std::optional<Disjunction> False = Paths.expand(*Select.getCondition(), /*IsTrue=*/false);
  if (!True || !False)
    return refuse(NotPolynomial);
  return readAlternatives({{*True, Select.getTrueValue()}, {*False, Select.getFalseValue()}},
                          Depth + 1);
}
