//===- Value.cpp - Polynomials of a launch's unknowns ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/form/Value.h"
#include <utility>

namespace gmprof::form {

static Range times(Range A, Range B) {
  auto [Min, Max] = std::minmax(
      {multiply(A.Lo, B.Lo), multiply(A.Lo, B.Hi), multiply(A.Hi, B.Lo), multiply(A.Hi, B.Hi)});
  return {Min, Max};
}

Range boundsOf(const Value &V, const Box &B, unsigned Without) {
  Range R{V.Constant, V.Constant};
  const auto Add = [&](Range A) { R = {add(R.Lo, A.Lo), add(R.Hi, A.Hi)}; };
  for (unsigned U = 0; U < Unknowns; ++U)
    if (V.Linear[U] != 0 && U != Without)
      Add(times({V.Linear[U], V.Linear[U]}, B[U]));
  for (const Value::Product &P : V.Products) {
    Range A{P.Coefficient, P.Coefficient};
    for (uint8_t U : P.Factors)
      A = times(A, B[U]);
    Add(A);
  }
  return R;
}

Wide magnitude(const Value &V, const Box &B) {
  const auto Size = [](Range R) { return std::max(R.Hi, -R.Lo); };
  Wide Sum = V.Constant < 0 ? -V.Constant : V.Constant;
  for (unsigned U = 0; U < Unknowns; ++U)
    if (V.Linear[U] != 0)
      Sum = add(Sum, Size(times({V.Linear[U], V.Linear[U]}, B[U])));
  for (const Value::Product &P : V.Products) {
    Range A{P.Coefficient, P.Coefficient};
    for (uint8_t U : P.Factors)
      A = times(A, B[U]);
    Sum = add(Sum, Size(A));
  }
  return Sum;
}

std::optional<Value> sum(Value A, const Value &B, Wide Factor) {
  bool Fits = !tooLarge(Factor);
  const auto Add = [&](Wide &To, Wide What) {
    To += What * Factor;
    Fits = Fits && !tooLarge(To);
  };
  Add(A.Constant, B.Constant);
  for (unsigned U = 0; U < Unknowns; ++U)
    Add(A.Linear[U], B.Linear[U]);
  for (const Value::Product &P : B.Products) {
    auto Same = std::find_if(A.Products.begin(), A.Products.end(),
                             [&](const Value::Product &Q) { return Q.Factors == P.Factors; });
    if (Same == A.Products.end())
      Same = A.Products.insert(A.Products.end(), {0, P.Factors});
    Add(Same->Coefficient, P.Coefficient);
    if (Same->Coefficient == 0)
      A.Products.erase(Same);
  }
  return Fits ? std::optional(std::move(A)) : std::nullopt;
}

bool addProduct(Value &To, Wide Coefficient, std::vector<uint8_t> Factors) {
  Value V;
  if (Factors.empty())
    V.Constant = Coefficient;
  else if (Factors.size() == 1)
    V.Linear[Factors[0]] = Coefficient;
  else
    V.Products.push_back({Coefficient, std::move(Factors)});
  if (tooLarge(Coefficient))
    return false;
  std::optional<Value> Sum = sum(std::move(To), V, 1);
  if (Sum)
    To = std::move(*Sum);
  return Sum.has_value();
}

bool fix(Value &V, unsigned U, Wide At) {
  if (V.Linear[U] == 0 && V.Products.empty())
    return true;
  const auto Fits = [&](Wide A, Wide B, Wide &To) {
    return !__builtin_mul_overflow(A, B, &To) && !tooLarge(To);
  };
  Wide Part;
  if (!Fits(V.Linear[U], At, Part) || tooLarge(V.Constant + Part))
    return false;
  V.Constant += Part;
  V.Linear[U] = 0;
  if (!(V.inProducts() >> U & 1))
    return true;
  std::vector<Value::Product> Products = std::move(V.Products);
  V.Products.clear();
  for (Value::Product &P : Products) {
    Wide Coefficient = P.Coefficient;
    for (auto It = P.Factors.begin(); It != P.Factors.end();) {
      if (*It != U) {
        ++It;
        continue;
      }
      if (!Fits(Coefficient, At, Coefficient))
        return false;
      It = P.Factors.erase(It);
    }
    if (Coefficient != 0 && !addProduct(V, Coefficient, std::move(P.Factors)))
      return false;
  }
  return true;
}

} // namespace gmprof::form
