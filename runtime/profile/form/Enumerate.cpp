//===- Enumerate.cpp - Enumerates coupled unknowns ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/form/Solver.h"
#include <algorithm>
#include <bit>

namespace gmprof::form {

/// Returns true if the rest has a closed form once the unknowns in Enumerated have values.
bool Solver::isEnough(Mask Enumerated) const {
  const auto Single = [&](const Value &V, bool IsConstraint) {
    for (const Value::Product &P : V.Products)
      if (std::count_if(P.Factors.begin(), P.Factors.end(),
                        [&](uint8_t U) { return !(Enumerated >> U & 1); }) > 1)
        return false;
    return !IsConstraint || std::popcount(V.unknowns() & ~Enumerated) <= 1;
  };
  return Single(Address, false) && std::all_of(D.Constraints.begin(), D.Constraints.end(),
                                               [&](const Value &V) { return Single(V, true); });
}

/// Chooses the set of unknowns to enumerate that has the fewest values; returns false beyond
/// EnumerationLimit.
bool Solver::choose() {
  Mask Coupled = Address.inProducts();
  for (const Value &C : D.Constraints)
    Coupled |= C.unknowns();
  Wide Best = Infinity;
  Mask BestSet = 0;
  for (Mask Set = Coupled;; Set = (Set - 1) & Coupled) {
    Wide Values = 1;
    for (unsigned U = 0; U < Unknowns; ++U)
      if (Set >> U & 1)
        Values = multiply(Values, D.Ranges[U].bounded() ? D.Ranges[U].extent() : Infinity);
    if (Values < Best && isEnough(Set)) {
      Best = Values;
      BestSet = Set;
    }
    if (Set == 0)
      break;
  }
  Cost = Best;
  for (unsigned U = 0; U < Unknowns; ++U)
    if (BestSet >> U & 1)
      Enumerated.push_back(U);
  return Best <= Wide(EnumerationLimit);
}

bool Solver::plan() {
  if (D.empty()) {
    Cost = 0;
    return true;
  }
  Wide Accesses = Times;
  for (const Range &R : D.Ranges)
    Accesses = R.bounded() ? multiply(Accesses, R.extent()) : Infinity;
  return Accesses <= Wide(AccessLimit) &&
         allValues([&](const Value &V) { return !tooLarge(magnitude(V, D.Ranges)); }) && choose();
}

/// Narrows Ranges by C, which has at most one unknown and no products.
static void clipTo(Box &Ranges, const Value &C) {
  const auto *In = std::find_if(C.Linear.begin(), C.Linear.end(), [](Wide L) { return L != 0; });
  Range &R = Ranges[In == C.Linear.end() ? 0 : static_cast<size_t>(In - C.Linear.begin())];
  if (In == C.Linear.end())
    R.Hi = C.Constant < 0 ? R.Lo - 1 : R.Hi;
  else if (*In < 0)
    R.Hi = std::min(R.Hi, floorDivide(C.Constant, -*In));
  else
    R.Lo = std::max(R.Lo, -floorDivide(C.Constant, *In));
}

namespace {

/// A constraint without products in U and at most one other unknown.
struct Line {
  Line(const Value &C, unsigned U) : Constant(C.Constant), OfU(C.Linear[U]) {
    for (unsigned Each = 0; Each < Unknowns; ++Each)
      if (Each != U && C.Linear[Each] != 0) {
        Other = Each;
        OfOther = C.Linear[Each];
      }
  }
  /// Narrows the range of the other unknown for U = At.
  void clipTo(Box &Ranges, Wide At) const {
    const Wide Rest = Constant + OfU * At;
    Range &R = Ranges[Other];
    if (OfOther == 0)
      R.Hi = Rest < 0 ? R.Lo - 1 : R.Hi;
    else if (OfOther < 0)
      R.Hi = std::min(R.Hi, floorDivide(Rest, -OfOther));
    else
      R.Lo = std::max(R.Lo, -floorDivide(Rest, OfOther));
  }

  Wide Constant, OfU, OfOther = 0;
  unsigned Other = 0; ///< the only unknown beside U
};

} // namespace

/// Turns constraints without enumerated unknowns from Depth on into ranges, and removes them.
void Solver::settle(Domain &Part, size_t Depth) const {
  Mask Left = 0;
  for (size_t I = Depth; I < Enumerated.size(); ++I)
    Left |= Mask(1) << Enumerated[I];
  std::erase_if(Part.Constraints, [&](const Value &C) {
    const bool Settled = Left == 0 || (C.unknowns() & Left) == 0;
    if (Settled)
      clipTo(Part.Ranges, C);
    return Settled;
  });
}

/// Calls Use(domain, value) for each value of the unknown at Depth, as long as Use returns true.
/// Returns false if Use did.
template <typename Callable>
bool Solver::enumerate(size_t Depth, const Domain &Part, const Callable &Use) const {
  const unsigned U = Enumerated[Depth];
  // Reuse one Domain's memory for all values.
  Domain Inner;
  for (Wide I = D.Ranges[U].Lo; I <= D.Ranges[U].Hi; ++I) {
    Inner = Part;
    Inner.Ranges[U] = {0, 0};
    // plan() has checked that no number gets too large within the ranges.
    bool Fits = true;
    for (Value &C : Inner.Constraints)
      Fits = fix(C, U, I) && Fits;
    settle(Inner, Depth + 1);
    if (Fits && !Inner.empty() && !Use(Inner, I))
      return false;
  }
  return true;
}

/// Does the same for the last enumerated unknown; only ranges are left to pass to Use.
template <typename Callable>
bool Solver::enumerateLast(const Domain &Part, const Callable &Use) const {
  if (std::any_of(Part.Constraints.begin(), Part.Constraints.end(),
                  [](const Value &C) { return !C.Products.empty(); }))
    return enumerate(Enumerated.size() - 1, Part,
                     [&](const Domain &Inner, Wide I) { return Use(Inner.Ranges, I); });
  const unsigned U = Enumerated.back();
  std::vector<Line> Lines;
  for (const Value &C : Part.Constraints)
    Lines.emplace_back(C, U);
  for (Wide I = D.Ranges[U].Lo; I <= D.Ranges[U].Hi; ++I) {
    Box Ranges = Part.Ranges;
    Ranges[U] = {0, 0};
    for (const Line &L : Lines)
      L.clipTo(Ranges, I);
    if (!isEmpty(Ranges) && !Use(Ranges, I))
      return false;
  }
  return true;
}

void Solver::emit(const std::function<void(const Progression &)> &Emit) const {
  Domain All = D;
  settle(All, 0);
  if (Enumerated.empty())
    emitRest(All.Ranges, Address, Emit);
  else
    emitFrom(0, All, Address, Emit);
}

bool Solver::any() const {
  Domain All = D;
  settle(All, 0);
  return Enumerated.empty() ? !All.empty() : anyFrom(0, All);
}

void Solver::emitFrom(size_t Depth, const Domain &Part, const Value &At,
                      const std::function<void(const Progression &)> &Emit) const {
  Value Here;
  const auto Fixed = [&](Wide I) {
    Here = At;
    return fix(Here, Enumerated[Depth], I);
  };
  if (Depth + 1 == Enumerated.size())
    enumerateLast(Part, [&](const Box &Ranges, Wide I) {
      if (Fixed(I))
        emitRest(Ranges, Here, Emit);
      return true;
    });
  else
    enumerate(Depth, Part, [&](const Domain &Inner, Wide I) {
      if (Fixed(I))
        emitFrom(Depth + 1, Inner, Here, Emit);
      return true;
    });
}

/// Emits the progression of a box; At has no products.
void Solver::emitRest(const Box &Ranges, const Value &At,
                      const std::function<void(const Progression &)> &Emit) const {
  if (isEmpty(Ranges))
    return;
  Progression P;
  Wide Base = At.Constant, Count = Times;
  for (unsigned U = 0; U < Unknowns; ++U) {
    const Range &R = Ranges[U];
    Base += At.Linear[U] * R.Lo;
    if (R.extent() == 1)
      continue;
    if (At.Linear[U] == 0)
      Count *= R.extent();
    else
      P.Dimensions.push_back(
          {static_cast<int64_t>(At.Linear[U]), static_cast<uint64_t>(R.extent())});
  }
  P.Base = static_cast<int64_t>(Base);
  P.Times = static_cast<uint64_t>(Count);
  Emit(P);
}

bool Solver::anyFrom(size_t Depth, const Domain &Part) const {
  if (Depth + 1 == Enumerated.size())
    return !enumerateLast(Part, [](const Box &, Wide) { return false; });
  return !enumerate(Depth, Part,
                    [&](const Domain &Inner, Wide) { return !anyFrom(Depth + 1, Inner); });
}

} // namespace gmprof::form
