//===- DerivedUnknowns.cpp - Unknowns made while polynomials are read -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolynomialReader.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gmprof;

/// Unknowns that are the minimum or maximum of two others use the numbers below those of loops,
/// which no form may contain.
static constexpr unsigned FirstChoice = GMPROF_FACTOR_NCTAID_Z + 1;
static bool isChoice(unsigned Factor) {
  return Factor >= FirstChoice && Factor < GMPROF_FACTOR_LOOP;
}

static constexpr unsigned MaxDerived = 32;
static constexpr Wide Largest = Wide(1) << 62;

void PolynomialReader::knowDerived(unsigned Number) {
  const DerivedUnknown &D = Form.Derived[Number];
  const unsigned Factor = GMPROF_FACTOR_DERIVED + Number;
  if (D.Operation == GMPROF_DERIVED_NOT_NEGATIVE) {
    Known.setRange(Factor, {0, 1});
    return;
  }
  if (D.B.isConstant()) {
    const Interval Range = Known.rangeOf(D.A);
    const Wide Divisor = D.B.constant();
    const auto Quotient = [&](Wide Value) {
      if (Value <= -Interval::Unbounded || Value >= Interval::Unbounded)
        return Value;
      return (Value - ((Value % Divisor) + Divisor) % Divisor) / Divisor;
    };
    Known.setRange(Factor, {Quotient(Range.Min), Quotient(Range.Max)});
  }
  const Polynomial Rest = D.A - D.B * Polynomial::unknown(Factor);
  Known.add(Rest);
  Known.add(D.B - Rest - 1);
}

std::optional<Polynomial> PolynomialReader::newDerived(GmprofDerived Operation, const Polynomial &A,
                                                       const Polynomial &B) {
  if (A.TooComplex || B.TooComplex)
    return refuse(TooComplex);
  for (const auto &[Number, D] : enumerate(Form.Derived))
    if (D.Operation == Operation && D.A == A && D.B == B)
      return Polynomial::unknown(GMPROF_FACTOR_DERIVED + Number);
  if (Form.Derived.size() == MaxDerived)
    return refuse(TooComplex);
  Form.Derived.push_back({Operation, A, B});
  knowDerived(Form.Derived.size() - 1);
  return Polynomial::unknown(GMPROF_FACTOR_DERIVED + Form.Derived.size() - 1);
}

std::optional<Polynomial> PolynomialReader::divide(const Polynomial &A, const Polynomial &B) {
  Polynomial Whole, Rest = A;
  if (hasChoice(A) || hasChoice(B))
    return refuse(TooComplex);
  if (B.isConstant()) {
    if (B.constant() < 1)
      return refuse(NotPolynomial);
    Whole = A.dividedBy(B.constant(), Rest);
    if (Known.isNotNegative(Rest) && Known.isNotNegative(B - Rest - 1))
      return Whole;
  } else if (!require(B, 1, Largest)) {
    return std::nullopt;
  }
  if (isSameInLaunch(Rest) && isSameInLaunch(B)) {
    std::optional<Polynomial> Quotient = newDerived(GMPROF_DERIVED_QUOTIENT, Rest, B);
    return Quotient ? Whole + *Quotient : Quotient;
  }
  for (const Unknown &Q : Quotients)
    if (Q.A == Rest && Q.B == B)
      return Whole + Polynomial::unknown(Q.Factor);
  if (Unbounded && B.has(Unbounded))
    return refuse(NotPolynomial);
  std::optional<unsigned> Factor = newLoopUnknown(Rest, 0, Largest);
  if (!Factor)
    return std::nullopt;
  Quotients.push_back({Rest, B, *Factor});
  const Polynomial Modulo = Rest - B * Polynomial::unknown(*Factor);
  addConstraint(-1, Modulo);
  addConstraint(-1, B - Modulo - 1);
  return Whole + Polynomial::unknown(*Factor);
}

std::optional<Polynomial> PolynomialReader::remainder(const Polynomial &A, int64_t Divisor) {
  std::optional<Polynomial> Quotient = divide(A, Divisor);
  return Quotient ? A - *Quotient * Divisor : Quotient;
}

std::optional<Polynomial> PolynomialReader::isNotNegative(const Polynomial &P) {
  if (Known.isNotNegative(P))
    return Polynomial(1);
  if (Known.isNotNegative(P * -1 - 1))
    return Polynomial(0);
  if (hasChoice(P))
    return refuse(TooComplex);
  if (isSameInLaunch(P))
    return newDerived(GMPROF_DERIVED_NOT_NEGATIVE, P, 0);
  for (const Unknown &D : Decisions)
    if (D.A == P)
      return Polynomial::unknown(D.Factor);
  constexpr int64_t Far = int64_t(1) << 33;
  std::optional<unsigned> Factor = newLoopUnknown(P, -Far, Far - 1);
  if (!Factor)
    return std::nullopt;
  Decisions.push_back({P, 0, *Factor});
  // One constraint says P >= 0 or P < 0; the other one always holds.
  Polynomial Decision = Polynomial::unknown(*Factor);
  addConstraint(-1, Polynomial(1) - Decision);
  addConstraint(-1, P + (Polynomial(1) - Decision) * Far);
  addConstraint(-1, Decision * Far - P - 1);
  return Decision;
}

/// Adds an unknown, in the form of a loop, that P determines at each point. P must be in [Min,
/// Max].
std::optional<unsigned> PolynomialReader::newLoopUnknown(const Polynomial &P, Wide Min, Wide Max) {
  if (Assuming || Form.Loops.size() == GMPROF_FORM_LOOPS || (Unbounded && P.has(Unbounded)))
    return refuse("the address or a condition is too complex");
  // This, and everything it follows from, has to hold at all points that get here, not only where
  // the new unknown exists.
  const bool CanBe = require(P, Min, Max);
  std::vector<SymbolicCondition> OfLoop, Others;
  for (SymbolicCondition &R : takeRequirements())
    (Unbounded && R.Value.has(Unbounded) ? OfLoop : Others).push_back(std::move(R));
  addConditions(std::move(Others));
  Required = std::move(OfLoop);
  if (!CanBe)
    return std::nullopt;
  const unsigned Factor = GMPROF_FACTOR_LOOP + Form.Loops.size();
  Form.Loops.push_back(nullptr);
  Known.setRange(Factor, {0, Interval::Unbounded});
  return Factor;
}

std::optional<Polynomial> PolynomialReader::newChoice(const Polynomial &A, const Polynomial &B,
                                                      bool IsMax) {
  for (const Choice &C : Choices)
    if (C.A == A && C.B == B && C.IsMax == IsMax)
      return Polynomial::unknown(C.Factor);
  const unsigned Factor = FirstChoice + Choices.size();
  if (Factor == GMPROF_FACTOR_LOOP || A.TooComplex || B.TooComplex)
    return refuse(TooComplex);
  Choices.push_back({A, B, IsMax, Factor});
  knowChoice(Choices.back());
  return Polynomial::unknown(Factor);
}

void PolynomialReader::knowChoice(const Choice &C) {
  const Interval A = Known.rangeOf(C.A), B = Known.rangeOf(C.B);
  Known.setRange(C.Factor, {C.IsMax ? std::max(A.Min, B.Min) : std::min(A.Min, B.Min),
                            C.IsMax ? std::max(A.Max, B.Max) : std::min(A.Max, B.Max)});
  for (const Polynomial &Operand : {C.A, C.B})
    Known.add((Polynomial::unknown(C.Factor) - Operand) * (C.IsMax ? 1 : -1));
}

bool PolynomialReader::hasChoice(const Polynomial &P) const {
  return P.anyFactor([](unsigned Factor) { return isChoice(Factor); });
}
