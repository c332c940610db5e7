//===- ClosedForm.h - What a launch accesses, computed ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closed form (GmprofFormDesc in gmprof/abi.h) says what all threads of a launch
// access at one site, as a polynomial of the launch and its iterations. Here it is
// read, bound to a launch, and turned into progressions: a base address and for
// each dimension a stride and an extent. None of this ever looks at a single
// access. With the launch's values in, the unknowns are thread and block index and
// the loops' iterations; then, until nothing changes:
//
//  * b is merged into a, whose extent is E, where b's coefficient is E times a's
//    in the address and in all constraints: threadIdx.x + blockDim.x * blockIdx.x
//    becomes one index, and a grid-stride loop goes on from there.
//  * A constraint of one unknown clips its range: a guard, a trip count.
//  * A constraint that always holds, or that another one implies, is dropped.
//  * An unknown that nothing depends on multiplies the number of accesses.
//  * A quotient q of i by n, 0 <= i - n * q < n, has its remainder r in the place of i, which
//    is n * q + r: then r has a range, and q another one.
//  * Two unknowns are one, where constraints leave them only one distance.
//  * A constraint that can fail for the last value of an unknown alone splits the launch in two:
//    that value, and all others.
//
// What no constraint couples is a dimension of a progression. What remains coupled
// (triangular loops, products of two unknowns) is enumerated, over as few values as
// possible, and the rest stays closed. Where that takes more than EnumerationLimit
// values, the form is not evaluable, and the launch has to count the accesses.
//
// A constraint that always holds in a loop's first iteration splits the launch in
// two: the first iteration, without it, and the others. This is seldom needed: a
// guard in front of the loop mostly says the same.
//
// (The paper, GMProf, CCGrid'12, IV.A, stops at accesses whose number and address
// do not depend on the launch.)
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_CLOSEDFORM_H
#define GMPROF_PROFILE_CLOSEDFORM_H

#include "gmprof/abi.h"
#include "profile/Result.h"
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace gmprof {

/// A sum of coefficients times products of factors (enum GmprofFactor).
struct FormTerm {
  int64_t Coefficient = 0;
  std::vector<uint32_t> Factors;
};
using FormPolynomial = std::vector<FormTerm>;

/// A number that the launch determines.
struct FormDerived {
  GmprofDerived Kind = GMPROF_DERIVED_QUOTIENT;
  FormPolynomial A, B; ///< of dimensions, parameters and derived unknowns before it
};

struct FormConstraint {
  std::optional<unsigned> Loop; ///< in whose iteration 0 it holds in any case
  FormPolynomial Value;         ///< holds where >= 0
};

struct FormCondition {
  unsigned Constraints = 0; ///< the first ones, to which it refers
  int64_t Min = 0, Max = 0;
  FormPolynomial Value;
};

struct ClosedForm {
  std::vector<FormDerived> Derived;
  FormPolynomial Address;
  unsigned Loops = 0;
  std::vector<FormConstraint> Constraints;
  std::vector<FormCondition> Conditions;
};

/// Words of a kernel with ParamCount parameters. What comes out is valid.
Result<ClosedForm> decodeClosedForm(std::span<const int64_t> Words, unsigned ParamCount);

/// What a form depends on.
struct FormLaunch {
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  std::span<const int64_t> Parameters;              ///< of the kernel
  std::optional<std::array<uint32_t, 3>> OnlyBlock; ///< what this block accesses
};

/// Accesses at Base + t1 * Stride1 + t2 * Stride2 + … bytes for each t from 0 to
/// its Extent - 1, Times each.
struct Progression {
  struct Dimension {
    int64_t Stride = 0; ///< bytes, not 0
    uint64_t Extent = 1;

    bool operator==(const Dimension &) const = default;
  };
  int64_t Base = 0;
  std::vector<Dimension> Dimensions;
  uint64_t Times = 1;

  bool operator==(const Progression &) const = default;
};

inline constexpr uint64_t EnumerationLimit = uint64_t(1) << 20;
/// No launch has more accesses at one site than this; others are not evaluable.
inline constexpr uint64_t AccessLimit = uint64_t(1) << 60;

/// Whether the form describes the launch: its conditions hold, as far as intervals
/// can tell, and it is evaluable.
bool holds(const ClosedForm &Form, const FormLaunch &Launch);

/// Whether there is an access at all, for a form that holds.
bool accessesAny(const ClosedForm &Form, const FormLaunch &Launch);

/// Calls Emit with progressions that together are the accesses; false if the form
/// is not evaluable, before any call.
bool forEachProgression(const ClosedForm &Form, const FormLaunch &Launch,
                        const std::function<void(const Progression &)> &Emit);

/// The unknowns of a form whose launch is known: thread and block index, x, y, z each, and
/// the loops' iterations.
inline constexpr unsigned BlockUnknowns = 3, LoopUnknowns = 6;
inline constexpr unsigned FormUnknowns = LoopUnknowns + GMPROF_FORM_LOOPS;

/// A polynomial of these.
struct BoundPolynomial {
  struct Product {
    int64_t Coefficient = 0;
    std::vector<uint8_t> Factors; ///< two or more, sorted
  };
  int64_t Constant = 0;
  std::array<int64_t, FormUnknowns> Linear = {};
  std::vector<Product> Products;
};

/// A form with the launch's values in, as FormConstraint and ClosedForm say.
struct BoundForm {
  struct Constraint {
    std::optional<unsigned> Loop;
    BoundPolynomial Value;
  };
  BoundPolynomial Address;
  unsigned Loops = 0;
  std::vector<Constraint> Constraints;
  bool Empty = false; ///< there is no access
  /// No iteration has a larger number.
  std::array<int64_t, GMPROF_FORM_LOOPS> LastIteration = {};
  int64_t LowestAddress = 0, HighestAddress = 0; ///< between which all are
};

/// Nothing if a number gets too large: within the launch's dimensions and the loops' last
/// iterations no part of a polynomial is beyond 2^61.
std::optional<BoundForm> bindForm(const ClosedForm &Form, const FormLaunch &Launch);

} // namespace gmprof

#endif // GMPROF_PROFILE_CLOSEDFORM_H
