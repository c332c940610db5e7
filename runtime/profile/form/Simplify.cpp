//===- Simplify.cpp - Simplifies a part of a launch -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/form/Solver.h"
#include <algorithm>
#include <bit>

namespace gmprof::form {

/// Replaces unknowns with a single value by that value.
bool Solver::fixKnown(bool &Changed) {
  for (unsigned U = 0; U < Unknowns; ++U) {
    const Range &R = D.Ranges[U];
    if (R.extent() != 1 || (R.Lo == 0 && R.Hi == 0 &&
                            allValues([&](const Value &V) { return !(V.unknowns() >> U & 1); })))
      continue;
    if (!allValues([&](Value &V) { return fix(V, U, R.Lo); }))
      return false;
    D.Ranges[U] = {0, 0};
    Changed = true;
  }
  return true;
}

/// Removes constraints that always hold, and turns those of one unknown into ranges.
bool Solver::clip(bool &Changed) {
  for (size_t I = 0; I < D.Constraints.size() && !D.empty();) {
    Value C = std::move(D.Constraints[I]);
    D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(I));
    const Mask In = C.unknowns();
    if (isImplied(C, D)) {
      Changed = true;
      continue;
    }
    if (In == 0) {
      D.Ranges[0].Hi = D.Ranges[0].Lo - 1; // never satisfied: empty domain
      continue;
    }
    if (std::has_single_bit(In) && C.Products.empty()) {
      const auto U = static_cast<unsigned>(std::countr_zero(In));
      Range &R = D.Ranges[U];
      if (C.Linear[U] < 0)
        R.Hi = std::min(R.Hi, floorDivide(C.Constant, -C.Linear[U]));
      else
        R.Lo = std::max(R.Lo, -floorDivide(C.Constant, C.Linear[U]));
      Changed = true;
      continue;
    }
    D.Constraints.insert(D.Constraints.begin() + static_cast<ptrdiff_t>(I), std::move(C));
    ++I;
  }
  return true;
}

/// Shifts each range to start at 0, for unknowns that are in no product.
bool Solver::startAtZero() {
  for (unsigned U = 0; U < Unknowns; ++U) {
    Range &R = D.Ranges[U];
    if (R.Lo == 0 || !allValues([&](const Value &V) { return !(V.inProducts() >> U & 1); }))
      continue;
    bool Fits = allValues([&](Value &V) {
      Wide Part;
      if (__builtin_mul_overflow(V.Linear[U], R.Lo, &Part) || tooLarge(Part))
        return false;
      V.Constant += Part;
      return !tooLarge(V.Constant);
    });
    if (!Fits)
      return false;
    R.Hi = R.bounded() ? R.Hi - R.Lo : Infinity;
    R.Lo = 0;
  }
  return true;
}

bool Solver::multiplyFree(bool &Changed) {
  Mask Used = Address.unknowns();
  for (const Value &C : D.Constraints)
    Used |= C.unknowns();
  for (unsigned U = 0; U < Unknowns; ++U) {
    Range &R = D.Ranges[U];
    if (R.extent() == 1 || (Used >> U & 1))
      continue;
    Times = multiply(Times, R.extent());
    if (!R.bounded() || Times > Wide(AccessLimit))
      return false;
    R = {0, 0};
    Changed = true;
  }
  return true;
}

bool Solver::canMerge(unsigned A, unsigned B) const {
  const Range &RA = D.Ranges[A], &RB = D.Ranges[B];
  if (A == B || !RA.bounded() || RA.extent() == 1 || RB.extent() == 1 || RA.Lo != 0 || RB.Lo != 0)
    return false;
  const auto Fits = [&](const Value &V) {
    return !(V.inProducts() >> A & 1) && !(V.inProducts() >> B & 1) &&
           multiply(V.Linear[A], RA.extent()) == V.Linear[B];
  };
  return Fits(Address) && std::all_of(D.Constraints.begin(), D.Constraints.end(), Fits);
}

bool Solver::merge(bool &Changed) {
  for (unsigned A = 0; A < Unknowns; ++A)
    for (unsigned B = 0; B < Unknowns; ++B) {
      if (!canMerge(A, B))
        continue;
      Wide Extent =
          D.Ranges[B].bounded() ? multiply(D.Ranges[A].extent(), D.Ranges[B].extent()) : Infinity;
      D.Ranges[A].Hi = Extent < Infinity ? Extent - 1 : Infinity;
      D.Ranges[B] = {0, 0};
      if (!allValues([&](Value &V) {
            V.Linear[B] = 0;
            return true;
          }))
        return false;
      Changed = true;
    }
  return true;
}

bool Solver::areNotInProducts(Mask These) const {
  const auto AreNot = [&](const Value &V) { return (V.inProducts() & These) == 0; };
  return AreNot(Address) && std::all_of(D.Constraints.begin(), D.Constraints.end(), AreNot);
}

/// Returns Most if 0 <= A and 0 <= B together mean 0 <= A <= Most; else nothing.
static std::optional<Wide> mostOf(const Value &A, const Value &B) {
  if (!A.Products.empty())
    return std::nullopt;
  const std::optional<Value> Sum = sum(A, B, 1);
  return Sum && Sum->unknowns() == 0 && Sum->Constant >= 0 ? std::optional(Sum->Constant)
                                                           : std::nullopt;
}

/// Replaces the unknown Of by the remainder V = ±Of + c - n * Quotient. The constraints Least (0 <=
/// V) and Most (V < n) become the range of V; the range of Of becomes constraints.
bool Solver::replaceByRemainder(size_t Least, size_t Most, unsigned Quotient, unsigned Of) {
  const Value V = D.Constraints[Least];
  const Wide Divisor = -V.Linear[Quotient], Sign = V.Linear[Of];
  const Range Old = D.Ranges[Of];
  D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(std::max(Least, Most)));
  D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(std::min(Least, Most)));
  const auto Bound = [&](Wide Factor, Wide Constant) {
    Value &C = D.Constraints.emplace_back();
    C.Linear[Of] = Factor;
    C.Constant = Constant;
  };
  Bound(1, -Old.Lo);
  if (Old.bounded())
    Bound(-1, Old.Hi);
  D.Ranges[Of] = {0, Divisor - 1};
  return allValues([&](Value &To) {
    const Wide Factor = To.Linear[Of] * Sign;
    if (tooLarge(Factor))
      return false;
    To.Linear[Of] = Factor;
    To.Linear[Quotient] += multiply(Factor, Divisor);
    To.Constant -= multiply(Factor, V.Constant);
    return !tooLarge(To.Linear[Quotient]) && !tooLarge(To.Constant);
  });
}

/// Returns C without the unknowns whose coefficients are not multiples of N, if an equivalent
/// constraint remains: N * M + R >= 0 is M + k >= 0 if floor(R / N) is k for all values of R.
static std::optional<Value> inMultiples(const Value &C, Wide N, const Box &Ranges) {
  Value Multiples, Rest;
  for (unsigned U = 0; U < Unknowns; ++U)
    if (C.Linear[U] % N == 0)
      Multiples.Linear[U] = C.Linear[U] / N;
    else
      Rest.Linear[U] = C.Linear[U];
  Rest.Constant = C.Constant;
  const Range R = boundsOf(Rest, Ranges);
  if (R.Lo <= -Infinity || R.Hi >= Infinity || floorDivide(R.Lo, N) != floorDivide(R.Hi, N))
    return std::nullopt;
  Multiples.Constant = floorDivide(R.Lo, N);
  return Multiples;
}

/// Drops remainders from constraints that only depend on the corresponding quotients, such as a
/// quotient by a multiple of the divisor.
void Solver::coarsen(bool &Changed) {
  for (Value &C : D.Constraints)
    for (unsigned U = 0; U < Unknowns && C.Products.empty(); ++U) {
      const Wide N = C.Linear[U] < 0 ? -C.Linear[U] : C.Linear[U];
      if (N < 2)
        continue;
      if (std::optional<Value> Coarse = inMultiples(C, N, D.Ranges)) {
        C = std::move(*Coarse);
        Changed = true;
      }
    }
}

/// Replaces the dividend of one quotient by its remainder, if there is one. The smallest divisor
/// goes first, because others may be multiples of it.
bool Solver::divide(bool &Changed) {
  struct Division {
    Wide Divisor;
    size_t Least, Most;
    unsigned Quotient, Of;
  };
  std::optional<Division> Best;
  for (size_t Least = 0; Least < D.Constraints.size(); ++Least)
    for (size_t Most = 0; Most < D.Constraints.size(); ++Most) {
      const Value &V = D.Constraints[Least];
      const std::optional<Wide> Last = mostOf(V, D.Constraints[Most]);
      if (!Last || (Best && Best->Divisor <= *Last + 1))
        continue;
      for (unsigned Q = 0; Q < Unknowns; ++Q) {
        const Mask Others = V.unknowns() & ~(Mask(1) << Q);
        if (V.Linear[Q] != -(*Last + 1) || (Divided >> Q & 1) || !std::has_single_bit(Others))
          continue;
        const auto Of = static_cast<unsigned>(std::countr_zero(Others));
        if ((V.Linear[Of] == 1 || V.Linear[Of] == -1) && areNotInProducts(Others))
          Best = {*Last + 1, Least, Most, Q, Of};
      }
    }
  if (!Best)
    return true;
  Divided |= Mask(1) << Best->Quotient;
  Changed = true;
  return replaceByRemainder(Best->Least, Best->Most, Best->Quotient, Best->Of);
}

/// Substitutes B + Distance for A.
bool Solver::replaceBySum(unsigned A, unsigned B, Wide Distance) {
  Range &Of = D.Ranges[B];
  Of.Lo = std::max(Of.Lo, D.Ranges[A].Lo - Distance);
  if (D.Ranges[A].bounded())
    Of.Hi = std::min(Of.Hi, D.Ranges[A].Hi - Distance);
  D.Ranges[A] = {0, 0};
  return allValues([&](Value &To) {
    const Wide Factor = std::exchange(To.Linear[A], 0);
    To.Linear[B] += Factor;
    To.Constant += multiply(Factor, Distance);
    return !tooLarge(To.Linear[B]) && !tooLarge(To.Constant);
  });
}

/// Unites two unknowns A and B if 0 <= n * (A - B) + R <= Most leaves one value of A - B.
bool Solver::unite(bool &Changed) {
  for (const Value &V : D.Constraints)
    for (const Value &Other : D.Constraints) {
      const std::optional<Wide> Most = mostOf(V, Other);
      for (unsigned A = 0; Most && A < Unknowns; ++A)
        for (unsigned B = 0; B < Unknowns; ++B) {
          const Wide N = V.Linear[A];
          if (N <= 0 || V.Linear[B] != -N || !areNotInProducts(Mask(1) << A | Mask(1) << B))
            continue;
          Value Rest = V;
          Rest.Linear[A] = Rest.Linear[B] = 0;
          const Range R = boundsOf(Rest, D.Ranges);
          if (R.Lo <= -Infinity || R.Hi >= Infinity)
            continue;
          const Wide Distance = -floorDivide(R.Hi, N);
          if (Distance != floorDivide(*Most - R.Lo, N))
            continue;
          Changed = true;
          return replaceBySum(A, B, Distance);
        }
    }
  return true;
}

bool Solver::simplify() {
  for (bool Changed = true; Changed && !D.empty();) {
    Changed = false;
    if (!clip(Changed))
      return false;
    if (D.empty())
      return true;
    if (!fixKnown(Changed) || !startAtZero() || !multiplyFree(Changed) || !merge(Changed))
      return false;
    if (Changed)
      continue;
    narrow(D);
    if (D.empty())
      return true;
    coarsen(Changed);
    if (Changed)
      continue;
    if (!divide(Changed) || (!Changed && !unite(Changed)))
      return false;
  }
  return true;
}

std::optional<Solver> Solver::split() {
  for (size_t I = 0; I < D.Constraints.size(); ++I) {
    const Value &C = D.Constraints[I];
    for (unsigned U = 0; U < Unknowns; ++U) {
      const Range &All = D.Ranges[U];
      if (C.Linear[U] == 0 || (C.inProducts() >> U & 1) || !All.bounded() || All.extent() < 2)
        continue;
      Box Others = D.Ranges;
      Wide &End = C.Linear[U] < 0 ? Others[U].Hi : Others[U].Lo;
      const Wide Last = End;
      End += C.Linear[U] < 0 ? -1 : 1;
      if (boundsOf(C, Others).Lo < 0)
        continue;
      Solver One = *this;
      One.D.Ranges[U] = {Last, Last};
      D.Ranges = Others;
      D.Constraints.erase(D.Constraints.begin() + static_cast<ptrdiff_t>(I));
      return One;
    }
  }
  return std::nullopt;
}

} // namespace gmprof::form
