//===- Polynomials.cpp - Polynomials of launch unknowns -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "Polynomials.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;
using namespace gmprof;

/// Upper bound of coefficients; beyond it a polynomial is TooComplex.
static constexpr Wide Limit = Wide(1) << 62;
/// Limits that addresses of real kernels do not reach.
static constexpr unsigned MaxFactors = 6, MaxTerms = 64;

//===----------------------------------------------------------------------===//
// Polynomial
//===----------------------------------------------------------------------===//

Polynomial Polynomial::unknown(unsigned Factor) {
  Polynomial P;
  P.Terms[{uint8_t(Factor)}] = 1;
  return P;
}

int64_t Polynomial::constant() const {
  auto Found = Terms.find(Product());
  return Found == Terms.end() ? 0 : Found->second;
}

void Polynomial::addTerm(const Product &Factors, Wide Coefficient) {
  if (auto Found = Terms.find(Factors); Found != Terms.end())
    Coefficient += Found->second;
  if (Coefficient < -Limit || Coefficient > Limit || Factors.size() > MaxFactors) {
    TooComplex = true;
    return;
  }
  if (Coefficient == 0)
    Terms.erase(Factors);
  else
    Terms[Factors] = int64_t(Coefficient);
  TooComplex |= Terms.size() > MaxTerms;
}

Polynomial &Polynomial::operator+=(const Polynomial &Other) {
  TooComplex |= Other.TooComplex;
  for (const auto &[Factors, Coefficient] : Other.Terms)
    addTerm(Factors, Coefficient);
  return *this;
}

Polynomial gmprof::operator*(const Polynomial &A, const Polynomial &B) {
  Polynomial Result;
  Result.TooComplex = A.TooComplex || B.TooComplex;
  for (const auto &[FactorsA, CoefficientA] : A.Terms)
    for (const auto &[FactorsB, CoefficientB] : B.Terms) {
      Polynomial::Product Factors = FactorsA;
      append_range(Factors, FactorsB);
      llvm::sort(Factors);
      Result.addTerm(Factors, Wide(CoefficientA) * CoefficientB);
    }
  return Result;
}

unsigned Polynomial::degree(unsigned Factor) const {
  unsigned Result = 0;
  for (const auto &[Factors, Coefficient] : Terms)
    Result = std::max(Result, unsigned(llvm::count(Factors, Factor)));
  return Result;
}

Polynomial Polynomial::slope(unsigned Factor) const {
  Polynomial Result;
  Result.TooComplex = TooComplex;
  for (const auto &[Factors, Coefficient] : Terms)
    if (const auto *Found = find(Factors, Factor); Found != Factors.end()) {
      Product Rest = Factors;
      Rest.erase(Rest.begin() + (Found - Factors.begin()));
      Result.addTerm(Rest, Coefficient);
    }
  return Result;
}

Polynomial Polynomial::replace(unsigned Factor, const Polynomial &Value) const {
  Polynomial Result;
  Result.TooComplex = TooComplex;
  for (const auto &[Factors, Coefficient] : Terms) {
    Polynomial Term = Coefficient;
    for (unsigned F : Factors)
      Term = Term * (F == Factor ? Value : unknown(F));
    Result += Term;
  }
  return Result;
}

Polynomial Polynomial::rename(function_ref<unsigned(unsigned)> NewFactor) const {
  Polynomial Result;
  Result.TooComplex = TooComplex;
  for (const auto &[Factors, Coefficient] : Terms) {
    Product Renamed;
    for (unsigned F : Factors)
      Renamed.push_back(uint8_t(NewFactor(F)));
    llvm::sort(Renamed);
    Result.addTerm(Renamed, Coefficient);
  }
  return Result;
}

Polynomial Polynomial::dividedBy(int64_t Divisor, Polynomial &Remainder) const {
  Polynomial Quotient;
  Remainder = Polynomial();
  Quotient.TooComplex = Remainder.TooComplex = TooComplex;
  for (const auto &[Factors, Coefficient] : Terms) {
    const int64_t Whole = divideFloorSigned(Coefficient, Divisor);
    Quotient.addTerm(Factors, Whole);
    Remainder.addTerm(Factors, Coefficient - Wide(Whole) * Divisor);
  }
  return Quotient;
}

uint64_t Polynomial::contentWithoutConstant() const {
  uint64_t Result = 0;
  for (const auto &[Factors, Coefficient] : Terms)
    if (!Factors.empty())
      Result = std::gcd(Result, AbsoluteValue(Coefficient));
  return Result;
}

static void printFactor(raw_ostream &OS, unsigned Factor) {
  static constexpr const char *Registers[] = {"tid", "ntid", "ctaid", "nctaid"};
  if (Factor >= GMPROF_FACTOR_DERIVED)
    OS << "derived" << Factor - GMPROF_FACTOR_DERIVED;
  else if (Factor >= GMPROF_FACTOR_PARAMETER)
    OS << "param" << Factor - GMPROF_FACTOR_PARAMETER;
  else if (Factor >= GMPROF_FACTOR_LOOP)
    OS << "loop" << Factor - GMPROF_FACTOR_LOOP;
  else
    OS << Registers[Factor / 3] << '.' << "xyz"[Factor % 3];
}

void Polynomial::print(raw_ostream &OS) const {
  if (Terms.empty())
    OS << '0';
  ListSeparator Plus(" + ");
  for (const auto &[Factors, Coefficient] : Terms) {
    OS << Plus;
    ListSeparator Times("*");
    if (Coefficient != 1 || Factors.empty())
      OS << Times << Coefficient;
    for (unsigned Factor : Factors) {
      OS << Times;
      printFactor(OS, Factor);
    }
  }
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static Wide clamp(Wide Value) {
  return std::clamp(Value, -Interval::Unbounded, Interval::Unbounded);
}

Interval gmprof::operator+(Interval A, Interval B) {
  return {A.Min <= -Interval::Unbounded || B.Min <= -Interval::Unbounded ? -Interval::Unbounded
                                                                         : clamp(A.Min + B.Min),
          A.Max >= Interval::Unbounded || B.Max >= Interval::Unbounded ? Interval::Unbounded
                                                                       : clamp(A.Max + B.Max)};
}

Interval gmprof::operator*(Interval A, Interval B) {
  const auto Times = [](Wide X, Wide Y) {
    Wide Result;
    if (!__builtin_mul_overflow(X, Y, &Result))
      return clamp(Result);
    return (X < 0) == (Y < 0) ? Interval::Unbounded : -Interval::Unbounded;
  };
  auto [Min, Max] = std::minmax(
      {Times(A.Min, B.Min), Times(A.Min, B.Max), Times(A.Max, B.Min), Times(A.Max, B.Max)});
  return {Min, Max};
}

std::optional<unsigned> gmprof::factorOfRegister(const IntrinsicInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return GMPROF_FACTOR_TID_X;
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return GMPROF_FACTOR_TID_Y;
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return GMPROF_FACTOR_TID_Z;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return GMPROF_FACTOR_NTID_X;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return GMPROF_FACTOR_NTID_Y;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return GMPROF_FACTOR_NTID_Z;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return GMPROF_FACTOR_CTAID_X;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return GMPROF_FACTOR_CTAID_Y;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return GMPROF_FACTOR_CTAID_Z;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return GMPROF_FACTOR_NCTAID_X;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return GMPROF_FACTOR_NCTAID_Y;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return GMPROF_FACTOR_NCTAID_Z;
  default:
    return std::nullopt;
  }
}

Interval gmprof::rangeOfRegister(unsigned Factor, int64_t MaxThreads) {
  static constexpr int64_t MaxBlock[] = {1024, 1024, 64};
  static constexpr int64_t MaxGrid[] = {INT32_MAX, 65535, 65535};
  const unsigned Dimension = Factor % 3;
  const bool IsOfGrid = Factor >= GMPROF_FACTOR_CTAID_X;
  const bool IsSize = isSameInLaunch(Factor);
  const int64_t Size = IsOfGrid ? MaxGrid[Dimension] : std::min(MaxBlock[Dimension], MaxThreads);
  return {IsSize ? 1 : 0, IsSize ? Size : Size - 1};
}

int64_t gmprof::maxThreadsOfBlock(const Function &F) {
  int64_t Result = 1024;
  for (StringRef Name : {"nvvm.maxntid", "nvvm.reqntid"}) {
    if (!F.hasFnAttribute(Name))
      continue;
    int64_t Threads = 1;
    SmallVector<StringRef, 3> Sizes;
    F.getFnAttribute(Name).getValueAsString().split(Sizes, ',');
    for (StringRef Size : Sizes) {
      int64_t Value;
      if (Size.trim().getAsInteger(10, Value) || Value < 1 || Value > 1024)
        return 1024;
      Threads *= Value;
    }
    Result = std::min(Result, Threads);
  }
  return Result;
}
