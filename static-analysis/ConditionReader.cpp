//===- ConditionReader.cpp - Reads conditions as polynomials --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolynomialReader.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace gmprof;

using Polynomials = SmallVector<Polynomial, 2>;

std::optional<Polynomials> PolynomialReader::readLiteral(const Literal &A) {
  std::optional<Polynomials> Found;
  if (std::optional<Literal::Comparison> Comparison = A.comparison()) {
    Found = readComparison(*Comparison);
  } else {
    std::optional<Polynomial> P =
        readNumber(SE.getSCEVAtScope(A.Condition, Scope), /*Signed=*/false, 0);
    if (P)
      Found = {A.IsTrue ? *P - 1 : *P * -1};
  }
  if (!Found)
    return std::nullopt;
  Polynomials Result;
  for (const Polynomial &P : *Found)
    if (!choose(P, Result))
      return std::nullopt;
  return Result;
}

/// Reads P >= 0 where P may contain a choice: it must hold for both operands, or it is a
/// disjunction, which is refused.
bool PolynomialReader::choose(const Polynomial &P, Polynomials &Result) {
  const auto Found = find_if(Choices, [&](const Choice &C) { return P.has(C.Factor); });
  if (Found == Choices.end()) {
    Result.push_back(P);
    return true;
  }
  const Choice &C = *Found;
  const Polynomial Slope = P.slope(C.Factor);
  if (P.degree(C.Factor) > 1 || !Known.isNotNegative(C.IsMax ? Slope * -1 : Slope)) {
    Why = "is a disjunction";
    return false;
  }
  return choose(P.replace(C.Factor, C.A), Result) && choose(P.replace(C.Factor, C.B), Result);
}

std::optional<Polynomials> PolynomialReader::readComparison(const Literal::Comparison &A) {
  auto [Predicate, Left, Right] = A;
  if (!Left->getType()->isIntegerTy())
    return refuse("compares pointers");
  if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate)) {
    std::swap(Left, Right);
    Predicate = ICmpInst::getSwappedPredicate(Predicate);
  }
  const unsigned Bits = Left->getType()->getIntegerBitWidth();
  const bool Signed = ICmpInst::isSigned(Predicate);
  std::optional<Polynomial> P, Q;
  if (Signed || Bits < 32) {
    P = readNumber(SE.getSCEVAtScope(Left, Scope), Signed, 0);
    Q = P ? readNumber(SE.getSCEVAtScope(Right, Scope), Signed, 0) : P;
  } else {
    P = readValue(Left, 0);
    Q = P ? readValue(Right, 0) : P;
  }
  if (!Q)
    return std::nullopt;
  switch (Predicate) {
  case ICmpInst::ICMP_SLT:
    return Polynomials{*Q - *P - 1};
  case ICmpInst::ICMP_SLE:
    return Polynomials{*Q - *P};
  case ICmpInst::ICMP_ULT:
    return readUnsignedLess(*P, *Q, 1, Bits);
  case ICmpInst::ICMP_ULE:
    return readUnsignedLess(*P, *Q, 0, Bits);
  case ICmpInst::ICMP_EQ:
  case ICmpInst::ICMP_NE: {
    const Polynomial Difference = *Q - *P;
    if (Predicate == ICmpInst::ICMP_NE)
      return readDifferent(Difference, Bits);
    const Wide Span = Wide(1) << std::min(Bits, 62u);
    if (!require(Difference, 1 - Span, Span - 1))
      return std::nullopt;
    return Polynomials{Difference, Difference * -1};
  }
  default:
    return refuse(NotPolynomial);
  }
}

/// Reads A < B (By 1) or A <= B (By 0) of unsigned integers, given polynomials congruent to them.
std::optional<Polynomials> PolynomialReader::readUnsignedLess(const Polynomial &A,
                                                              const Polynomial &B, int64_t By,
                                                              unsigned Bits) {
  const Polynomial More = B - A - By;
  if (Known.isNotNegative(A)) {
    if (!fits(A, Bits, /*Signed=*/false) || !fits(B, Bits, /*Signed=*/false))
      return std::nullopt;
    return Polynomials{More};
  }
  // Negative numbers, read as unsigned, are larger than the others.
  if (!fits(A, Bits, /*Signed=*/true) || !fits(B, Bits - 1, /*Signed=*/false))
    return std::nullopt;
  return Polynomials{A, More};
}

/// Reads that Difference is not congruent to 0.
std::optional<Polynomials> PolynomialReader::readDifferent(const Polynomial &Difference,
                                                           unsigned Bits) {
  const Wide Span = Wide(1) << std::min(Bits, 62u);
  if (Unbounded && Difference.has(Unbounded)) {
    if (Difference.degree(Unbounded) > 1 || !Difference.slope(Unbounded).isConstant())
      return refuse("has an end that may be missed");
    const int64_t Step = Difference.slope(Unbounded).constant();
    const Polynomial Left = Step < 0 ? Difference : Difference * -1;
    const Polynomial AtFirst = Left.replace(Unbounded, 0);
    Polynomial Rest;
    AtFirst.dividedBy(std::abs(Step), Rest);
    if (!Rest.Terms.empty())
      return refuse("has an end that may be missed");
    if (!require(AtFirst, 0, Span - 1))
      return std::nullopt;
    return Polynomials{Left - 1};
  }
  for (const Polynomial &Positive : {Difference, Difference * -1})
    if (Known.isNotNegative(Positive)) {
      if (!require(Positive, 0, Span - 1))
        return std::nullopt;
      return Polynomials{Positive - 1};
    }
  return refuse("is a disjunction");
}

std::optional<Polynomial> PolynomialReader::readDecision(const Literal &A) {
  const std::optional<Literal::Comparison> Comparison = A.comparison();
  if (Comparison && Comparison->Predicate == ICmpInst::ICMP_NE) {
    std::optional<Polynomial> IsEqual = readDecision({A.Condition, !A.IsTrue, A.Case});
    return IsEqual ? Polynomial(1) - *IsEqual : IsEqual;
  }
  std::optional<Polynomials> Parts = readLiteral(A);
  Polynomial Sum;
  for (const Polynomial &Part : Parts.value_or(Polynomials())) {
    std::optional<Polynomial> Holds = isNotNegative(Part);
    if (!Holds)
      return Holds;
    Sum += *Holds;
  }
  if (!Parts || Parts->size() == 1)
    return Parts ? std::optional(Sum) : std::nullopt;
  if (Comparison && Comparison->Predicate == ICmpInst::ICMP_EQ && Parts->size() == 2)
    return Sum - 1; // at least one holds
  return isNotNegative(Sum - int64_t(Parts->size()));
}

std::optional<Polynomial> PolynomialReader::readWays(const Disjunction &D) {
  Polynomial Ways;
  for (const Conjunction &C : D) {
    Polynomial Sum;
    for (const Literal &A : C) {
      std::optional<Polynomial> Holds = readDecision(A);
      if (!Holds)
        return Holds;
      Sum += *Holds;
    }
    std::optional<Polynomial> Way =
        C.size() == 1 ? std::optional(Sum) : isNotNegative(Sum - int64_t(C.size()));
    if (!Way)
      return Way;
    Ways += *Way;
  }
  return Ways;
}

std::optional<Polynomial> PolynomialReader::readDecision(const Disjunction &D) {
  std::optional<Polynomial> Ways = readWays(D);
  return !Ways || D.size() == 1 ? Ways : isNotNegative(*Ways - 1);
}
