//===- Domain.cpp - The values that constraints leave ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/form/Domain.h"
#include <algorithm>
#include <set>
#include <utility>

namespace gmprof::form {

/// Returns the value of a factor that the launch determines. The factor must not be an unknown.
std::optional<Wide> Binder::known(uint32_t Factor) const {
  if (Factor >= GMPROF_FACTOR_DERIVED) {
    uint32_t I = Factor - GMPROF_FACTOR_DERIVED;
    return I < Derived.size() ? std::optional(Derived[I]) : std::nullopt;
  }
  if (Factor >= GMPROF_FACTOR_PARAMETER) {
    uint32_t I = Factor - GMPROF_FACTOR_PARAMETER;
    return I < Launch.Parameters.size() ? std::optional<Wide>(Launch.Parameters[I]) : std::nullopt;
  }
  return Factor >= GMPROF_FACTOR_NCTAID_X ? Launch.Grid[Factor - GMPROF_FACTOR_NCTAID_X]
                                          : Launch.Block[Factor - GMPROF_FACTOR_NTID_X];
}

/// Returns the index of an unknown, or nothing if the launch determines the factor.
static std::optional<uint8_t> unknownOf(uint32_t Factor) {
  if (Factor <= GMPROF_FACTOR_TID_Z)
    return uint8_t(Factor - GMPROF_FACTOR_TID_X);
  if (Factor >= GMPROF_FACTOR_CTAID_X && Factor <= GMPROF_FACTOR_CTAID_Z)
    return uint8_t(Blocks + Factor - GMPROF_FACTOR_CTAID_X);
  if (Factor >= GMPROF_FACTOR_LOOP && Factor < GMPROF_FACTOR_PARAMETER)
    return uint8_t(Loops + Factor - GMPROF_FACTOR_LOOP);
  return std::nullopt;
}

std::optional<Value> Binder::bind(const FormPolynomial &P) const {
  Value V;
  for (const FormTerm &T : P) {
    Wide Coefficient = T.Coefficient;
    std::vector<uint8_t> Factors;
    for (uint32_t F : T.Factors) {
      if (std::optional<uint8_t> U = unknownOf(F)) {
        Factors.push_back(*U);
        continue;
      }
      std::optional<Wide> Known = known(F);
      if (!Known || __builtin_mul_overflow(Coefficient, *Known, &Coefficient))
        return std::nullopt;
    }
    std::sort(Factors.begin(), Factors.end());
    if (Coefficient != 0 && !addProduct(V, Coefficient, std::move(Factors)))
      return std::nullopt;
  }
  return V;
}

bool Binder::derive(const FormDerived &D) {
  std::optional<Value> A = bind(D.A), B = bind(D.B);
  if (!A || !B)
    return false;
  switch (D.Kind) {
  case GMPROF_DERIVED_QUOTIENT:
    if (B->Constant < 1)
      return false;
    Derived.push_back(floorDivide(A->Constant, B->Constant));
    return true;
  case GMPROF_DERIVED_NOT_NEGATIVE:
    Derived.push_back(A->Constant >= 0 ? 1 : 0);
    return true;
  }
  return false;
}

/// Returns the ranges of all unknowns before any constraint; loops are unbounded.
Box Binder::box() const {
  Box B;
  for (unsigned D = 0; D < 3; ++D) {
    B[D] = {0, Wide(Launch.Block[D]) - 1};
    B[Blocks + D] = {0, Wide(Launch.Grid[D]) - 1};
    if (Launch.OnlyBlock)
      B[Blocks + D] = {(*Launch.OnlyBlock)[D], (*Launch.OnlyBlock)[D]};
    if (Launch.OnlyThread)
      B[D] = {(*Launch.OnlyThread)[D], (*Launch.OnlyThread)[D]};
  }
  for (unsigned L = 0; L < GMPROF_FORM_LOOPS; ++L)
    B[Loops + L] = {0, Infinity};
  return B;
}

namespace {

/// A constraint that iteration 0 of Loop satisfies in any case.
struct LoopConstraint {
  unsigned Loop;
  Value Where;
};

} // namespace

bool isImplied(const Value &C, const Domain &D) {
  if (boundsOf(C, D.Ranges).Lo >= 0)
    return true;
  return std::any_of(D.Constraints.begin(), D.Constraints.end(), [&](const Value &By) {
    std::optional<Value> Rest = sum(C, By, -1);
    return Rest && boundsOf(*Rest, D.Ranges).Lo >= 0;
  });
}

/// Resolves the loop constraints of Left, and appends the resulting parts of D. Splits off a loop's
/// iteration 0 where its constraint is not implied there. Returns false beyond MaxParts.
static bool split(Domain D, std::vector<LoopConstraint> Left, std::vector<Domain> &To) {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto It = Left.begin(); It != Left.end();) {
      Value First = It->Where;
      if (!fix(First, Loops + It->Loop, 0))
        return false;
      if (D.Ranges[Loops + It->Loop].Lo < 1 && !isImplied(First, D)) {
        ++It;
        continue;
      }
      D.Constraints.push_back(std::move(It->Where));
      It = Left.erase(It);
      Changed = true;
    }
  }
  if (Left.empty()) {
    To.push_back(std::move(D));
    return To.size() <= MaxParts;
  }
  const unsigned Loop = Left.front().Loop;
  Domain First = D, Others = std::move(D);
  First.Ranges[Loops + Loop] = {0, 0};
  Others.Ranges[Loops + Loop].Lo = 1;
  std::vector<LoopConstraint> Rest = Left;
  std::erase_if(Rest, [&](const LoopConstraint &C) { return C.Loop == Loop; });
  return split(std::move(First), std::move(Rest), To) &&
         split(std::move(Others), std::move(Left), To);
}

std::optional<std::vector<Domain>> domains(const ClosedForm &Form, const Binder &Bind,
                                           size_t Count) {
  Domain D;
  D.Ranges = Bind.box();
  // Unused loops run once.
  for (unsigned L = Form.Loops; L < GMPROF_FORM_LOOPS; ++L)
    D.Ranges[Loops + L].Hi = 0;
  std::vector<LoopConstraint> Left;
  for (size_t I = 0; I < Count; ++I) {
    std::optional<Value> V = Bind.bind(Form.Constraints[I].Value);
    if (!V)
      return std::nullopt;
    if (Form.Constraints[I].Loop)
      Left.push_back({*Form.Constraints[I].Loop, std::move(*V)});
    else
      D.Constraints.push_back(std::move(*V));
  }
  std::vector<Domain> Parts;
  if (!split(std::move(D), std::move(Left), Parts))
    return std::nullopt;
  return Parts;
}

void narrow(Domain &D) {
  // A round may bound one more unknown through others; stopping early only loses precision.
  for (unsigned Round = 0; Round < Unknowns && !D.empty(); ++Round) {
    bool Changed = false;
    for (const Value &C : D.Constraints) {
      const Mask Fixed = C.inProducts();
      if (boundsOf(C, D.Ranges).Hi < 0)
        D.Ranges[0].Hi = D.Ranges[0].Lo - 1;
      for (unsigned U = 0; U < Unknowns && !D.empty(); ++U) {
        if (C.Linear[U] == 0 || (Fixed >> U & 1))
          continue;
        Wide Rest = boundsOf(C, D.Ranges, U).Hi;
        if (Rest >= Infinity)
          continue;
        Range &R = D.Ranges[U];
        Range Old = R;
        if (C.Linear[U] < 0)
          R.Hi = std::min(R.Hi, floorDivide(Rest, -C.Linear[U]));
        else
          R.Lo = std::max(R.Lo, -floorDivide(Rest, C.Linear[U]));
        Changed = Changed || Old.Lo != R.Lo || Old.Hi != R.Hi;
      }
    }
    if (!Changed)
      break;
  }
}

bool isAtMost(const Value &V, Wide Max, const Domain &D, unsigned Constraints, size_t From) {
  if (D.empty() || boundsOf(V, D.Ranges).Hi <= Max)
    return true;
  if (Constraints == 0)
    return false;
  for (size_t I = From; I < D.Constraints.size(); ++I) {
    const Value &C = D.Constraints[I];
    // Try factors that cancel a coefficient of V; several unknowns often give the same factor.
    std::set<Wide> Tried;
    for (unsigned U = 0; U < Unknowns; ++U) {
      if (C.Linear[U] == 0 || V.Linear[U] % C.Linear[U] != 0)
        continue;
      Wide Factor = -(V.Linear[U] / C.Linear[U]);
      if (Factor <= 0 || !Tried.insert(Factor).second)
        continue;
      std::optional<Value> More = sum(V, C, Factor);
      if (More && isAtMost(*More, Max, D, Constraints - 1, I + 1))
        return true;
    }
  }
  return false;
}

} // namespace gmprof::form
