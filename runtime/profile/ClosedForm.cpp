//===- ClosedForm.cpp - Evaluates closed forms of accesses ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ClosedForm.h"
#include "profile/form/Solver.h"
#include <algorithm>
#include <utility>

namespace gmprof {

using namespace form;

static bool holds(const FormCondition &C, const ClosedForm &Form, const Binder &Bind) {
  std::optional<Value> V = Bind.bind(C.Value);
  std::optional<std::vector<Domain>> Parts = domains(Form, Bind, C.Constraints);
  if (!V || !Parts)
    return false;
  std::optional<Value> Negative = sum(Value(), *V, -1);
  return Negative && std::all_of(Parts->begin(), Parts->end(), [&](Domain &D) {
           narrow(D);
           return isAtMost(*V, C.Max, D) && isAtMost(*Negative, -Wide(C.Min), D);
         });
}

/// Plans a part of the launch, splitting it where that helps; returns false if there is no plan.
static bool addPlans(Solver Part, std::vector<Solver> &To) {
  if (!Part.simplify())
    return false;
  if (To.size() < MaxParts)
    if (std::optional<Solver> One = Part.split())
      return addPlans(std::move(*One), To) && addPlans(std::move(Part), To);
  if (!Part.plan())
    return false;
  To.push_back(std::move(Part));
  return true;
}

/// Returns the planned parts of the launch; nothing if the form is not evaluable.
static std::optional<std::vector<Solver>> solve(const ClosedForm &Form, const FormLaunch &Launch) {
  Binder Bind(Form, Launch);
  if (!Bind.valid())
    return std::nullopt;
  std::optional<Value> Address = Bind.bind(Form.Address);
  std::optional<std::vector<Domain>> Parts = domains(Form, Bind, Form.Constraints.size());
  if (!Address || !Parts)
    return std::nullopt;
  std::vector<Solver> Solvers;
  for (Domain &D : *Parts)
    if (!D.empty() && !addPlans(Solver(std::move(D), *Address), Solvers))
      return std::nullopt;
  Wide Cost = 0;
  for (const Solver &S : Solvers)
    Cost += S.cost();
  return Cost <= Wide(EnumerationLimit) ? std::optional(std::move(Solvers)) : std::nullopt;
}

bool holds(const ClosedForm &Form, const FormLaunch &Launch) {
  Binder Bind(Form, Launch);
  return Bind.valid() &&
         std::all_of(Form.Conditions.begin(), Form.Conditions.end(),
                     [&](const FormCondition &C) { return holds(C, Form, Bind); }) &&
         solve(Form, Launch).has_value();
}

bool accessesAny(const ClosedForm &Form, const FormLaunch &Launch) {
  std::optional<std::vector<Solver>> Parts = solve(Form, Launch);
  return Parts &&
         std::any_of(Parts->begin(), Parts->end(), [](const Solver &S) { return S.any(); });
}

bool forEachProgression(const ClosedForm &Form, const FormLaunch &Launch,
                        const std::function<void(const Progression &)> &Emit) {
  std::optional<std::vector<Solver>> Parts = solve(Form, Launch);
  if (!Parts)
    return false;
  for (const Solver &S : *Parts)
    S.emit(Emit);
  return true;
}

//===----------------------------------------------------------------------===//
// Bound forms
//===----------------------------------------------------------------------===//

static BoundPolynomial bound(const Value &V) {
  BoundPolynomial P;
  P.Constant = static_cast<int64_t>(V.Constant);
  for (unsigned U = 0; U < Unknowns; ++U)
    P.Linear[U] = static_cast<int64_t>(V.Linear[U]);
  for (const Value::Product &Of : V.Products)
    P.Products.push_back({static_cast<int64_t>(Of.Coefficient), Of.Factors});
  return P;
}

/// Returns the bounding box of all parts; nothing if all are empty.
static std::optional<Box> hull(std::vector<Domain> &Parts) {
  std::optional<Box> Hull;
  for (Domain &D : Parts) {
    narrow(D);
    if (D.empty())
      continue;
    if (!Hull)
      Hull = D.Ranges;
    for (unsigned U = 0; U < Unknowns; ++U) {
      (*Hull)[U].Lo = std::min((*Hull)[U].Lo, D.Ranges[U].Lo);
      (*Hull)[U].Hi = std::max((*Hull)[U].Hi, D.Ranges[U].Hi);
    }
  }
  return Hull;
}

std::optional<BoundForm> bindForm(const ClosedForm &Form, const FormLaunch &Launch) {
  constexpr Wide Largest = Wide(1) << 61;
  Binder Bind(Form, Launch);
  if (!Bind.valid())
    return std::nullopt;
  std::optional<Value> Address = Bind.bind(Form.Address);
  std::optional<std::vector<Domain>> Parts = domains(Form, Bind, Form.Constraints.size());
  if (!Address || !Parts)
    return std::nullopt;
  BoundForm Result;
  Result.Loops = Form.Loops;
  Result.Address = bound(*Address);
  const std::optional<Box> Reached = hull(*Parts);
  Result.Empty = !Reached;
  if (!Reached)
    return Result;
  Box All = Bind.box();
  for (unsigned L = 0; L < GMPROF_FORM_LOOPS; ++L) {
    All[Loops + L] = {0, (*Reached)[Loops + L].Hi};
    if (!All[Loops + L].bounded() || All[Loops + L].Hi > Largest)
      return std::nullopt;
    Result.LastIteration[L] = static_cast<int64_t>(All[Loops + L].Hi);
  }
  if (magnitude(*Address, All) > Largest)
    return std::nullopt;
  for (const FormConstraint &C : Form.Constraints) {
    const std::optional<Value> V = Bind.bind(C.Value);
    if (!V || magnitude(*V, All) > Largest)
      return std::nullopt;
    Result.Constraints.push_back({C.Loop, bound(*V)});
  }
  const Range Addresses = boundsOf(*Address, *Reached);
  Result.LowestAddress = static_cast<int64_t>(Addresses.Lo);
  Result.HighestAddress = static_cast<int64_t>(Addresses.Hi);
  return Result;
}

} // namespace gmprof
