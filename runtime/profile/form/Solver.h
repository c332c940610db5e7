//===- Solver.h - Solves a part of a launch ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the accesses of a part of a launch into progressions: first simplifies as far as possible
// (Simplify.cpp), then enumerates the unknowns that remain coupled (Enumerate.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_FORM_SOLVER_H
#define GMPROF_PROFILE_FORM_SOLVER_H

#include "profile/form/Domain.h"
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace gmprof::form {

/// Solves one part of a launch by stepwise simplification.
class Solver {
public:
  Solver(Domain Part, Value Address) : D(std::move(Part)), Address(std::move(Address)) {}

  /// Simplifies as far as possible. Returns false if a number gets too large.
  bool simplify();
  /// Splits off one value of an unknown if that simplifies both parts; returns the part with it.
  std::optional<Solver> split();
  /// Chooses the unknowns to enumerate. Returns false if none or only too many values remain.
  bool plan();
  /// Returns the number of values to enumerate.
  Wide cost() const { return Cost; }
  void emit(const std::function<void(const Progression &)> &Emit) const;
  /// Returns true if emit() would emit anything.
  bool any() const;

private:
  template <typename Function> bool allValues(Function F);
  bool fixKnown(bool &Changed);
  bool clip(bool &Changed);
  bool startAtZero();
  bool multiplyFree(bool &Changed);
  bool merge(bool &Changed);
  bool canMerge(unsigned A, unsigned B) const;
  void coarsen(bool &Changed);
  bool divide(bool &Changed);
  bool replaceByRemainder(size_t Least, size_t Most, unsigned Quotient, unsigned Of);
  bool unite(bool &Changed);
  bool replaceBySum(unsigned A, unsigned B, Wide Distance);
  bool areNotInProducts(Mask These) const;
  bool choose();
  bool isEnough(Mask Enumerated) const;
  void emitFrom(size_t Depth, const Domain &Part, const Value &At,
                const std::function<void(const Progression &)> &Emit) const;
  void settle(Domain &Part, size_t Depth) const;
  template <typename Callable>
  bool enumerate(size_t Depth, const Domain &Part, const Callable &Use) const;
  template <typename Callable> bool enumerateLast(const Domain &Part, const Callable &Use) const;
  void emitRest(const Box &Ranges, const Value &At,
                const std::function<void(const Progression &)> &Emit) const;
  bool anyFrom(size_t Depth, const Domain &Part) const;

  Domain D;
  Value Address;
  Wide Times = 1, Cost = 1;
  Mask Divided = 0; ///< quotients that divide() has handled
  std::vector<unsigned> Enumerated;
};

template <typename Function> bool Solver::allValues(Function F) {
  return F(Address) && std::all_of(D.Constraints.begin(), D.Constraints.end(), F);
}

} // namespace gmprof::form

#endif // GMPROF_PROFILE_FORM_SOLVER_H
