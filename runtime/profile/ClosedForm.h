//===- ClosedForm.h - Evaluates closed forms of accesses --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closed form (GmprofFormDesc in gmprof/abi.h) describes, as a polynomial of launch and
// iterations, the accesses of all threads of a launch at one site. This file decodes closed forms,
// binds them to a launch, and converts them to progressions: a base address and, per dimension, a
// stride and an extent. No step enumerates single accesses. With the launch's values substituted,
// the unknowns are thread index, block index and loop iterations. The following rules apply until
// nothing changes:
//
//  * An unknown b merges into a, whose extent is E, if b's coefficient is E times a's in the
//    address and in all constraints: threadIdx.x + blockDim.x * blockIdx.x becomes one index, which
//    a grid-stride loop extends.
//  * A constraint of one unknown narrows its range: a guard, a trip count.
//  * A constraint that always holds or is implied by another one is dropped.
//  * An unknown that nothing depends on multiplies the number of accesses.
//  * For a quotient q of i by n, 0 <= i - n * q < n, the remainder r replaces i = n * q + r; r has
//    a range, and q may have one.
//  * Two unknowns become one if constraints leave a single difference between them.
//  * A constraint that fails only for the last value of an unknown splits the launch in two: that
//    value, and all others.
//
// Unknowns that no constraint couples become dimensions of a progression. Coupled unknowns
// (triangular loops, products of two unknowns) are enumerated over as few values as possible. If
// that takes more than EnumerationLimit values, the form is not evaluable, and the launch has to
// count the accesses.
//
// A constraint that always holds in a loop's first iteration splits the launch into the first
// iteration, without the constraint, and the others. Mostly a guard in front of the loop already
// implies it.
//
// (GMProf, CCGrid'12, Section IV.A covers only accesses whose number and address do not depend on
// the launch.)
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

/// A term of a polynomial: coefficient times product of factors (enum GmprofFactor).
struct FormTerm {
  int64_t Coefficient = 0;
  std::vector<uint32_t> Factors;
};
using FormPolynomial = std::vector<FormTerm>;

/// A number that the launch determines.
struct FormDerived {
  GmprofDerived Kind = GMPROF_DERIVED_QUOTIENT;
  FormPolynomial A, B; ///< of dimensions, parameters and earlier derived values
};

struct FormConstraint {
  std::optional<unsigned> Loop; ///< loop whose iteration 0 satisfies the constraint in any case
  FormPolynomial Value;         ///< the constraint is Value >= 0
};

struct FormCondition {
  unsigned Constraints = 0; ///< number of leading constraints that the condition assumes
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

/// Decodes and validates the form words of a kernel with ParamCount parameters.
Result<ClosedForm> decodeClosedForm(std::span<const int64_t> Words, unsigned ParamCount);

/// The launch values that a form depends on.
struct FormLaunch {
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  std::span<const int64_t> Parameters;              ///< values of the kernel's parameters
  std::optional<std::array<uint32_t, 3>> OnlyBlock; ///< restricts the evaluation to this block
  /// Restricts it to this thread of each block.
  std::optional<std::array<uint32_t, 3>> OnlyThread = std::nullopt;
};

/// Accesses at Base + t1 * Stride1 + t2 * Stride2 + … bytes for each t in [0, Extent), repeated
/// Times times.
struct Progression {
  struct Dimension {
    int64_t Stride = 0; ///< in bytes, not 0
    uint64_t Extent = 1;

    bool operator==(const Dimension &) const = default;
  };
  int64_t Base = 0;
  std::vector<Dimension> Dimensions;
  uint64_t Times = 1;

  bool operator==(const Progression &) const = default;
};

inline constexpr uint64_t EnumerationLimit = uint64_t(1) << 20;
/// Maximum number of accesses of a launch at one site; forms beyond it are not evaluable.
inline constexpr uint64_t AccessLimit = uint64_t(1) << 60;

/// Returns true if the form describes the launch: it is evaluable, and interval arithmetic proves
/// its conditions.
bool holds(const ClosedForm &Form, const FormLaunch &Launch);

/// Returns true if a form that holds makes at least one access.
bool accessesAny(const ClosedForm &Form, const FormLaunch &Launch);

/// Calls Emit with progressions that together are the accesses. Returns false, before any call, if
/// the form is not evaluable.
bool forEachProgression(const ClosedForm &Form, const FormLaunch &Launch,
                        const std::function<void(const Progression &)> &Emit);

/// Unknowns of a form bound to a launch: threadIdx.xyz, blockIdx.xyz, then loop iterations.
inline constexpr unsigned BlockUnknowns = 3, LoopUnknowns = 6;
inline constexpr unsigned FormUnknowns = LoopUnknowns + GMPROF_FORM_LOOPS;

/// A polynomial of so many unknowns, once the launch's values are substituted.
template <unsigned Unknowns> struct PolynomialOf {
  struct Product {
    int64_t Coefficient = 0;
    std::vector<uint8_t> Factors; ///< two or more, sorted
  };
  int64_t Constant = 0;
  std::array<int64_t, Unknowns> Linear = {};
  std::vector<Product> Products;
};
/// A polynomial of the bound form's unknowns.
using BoundPolynomial = PolynomialOf<FormUnknowns>;

/// A form with the launch's values substituted; see FormConstraint and ClosedForm.
struct BoundForm {
  struct Constraint {
    std::optional<unsigned> Loop;
    BoundPolynomial Value;
  };
  BoundPolynomial Address;
  unsigned Loops = 0;
  std::vector<Constraint> Constraints;
  bool Empty = false; ///< no access is made
  /// Upper bound of the iteration number of each loop.
  std::array<int64_t, GMPROF_FORM_LOOPS> LastIteration = {};
  int64_t LowestAddress = 0, HighestAddress = 0; ///< bounds of all addresses
};

/// Binds a form to a launch. Returns nothing if a number gets too large: within the launch's
/// dimensions and the loops' last iterations, no partial sum of a polynomial exceeds 2^61.
std::optional<BoundForm> bindForm(const ClosedForm &Form, const FormLaunch &Launch);

} // namespace gmprof

#endif // GMPROF_PROFILE_CLOSEDFORM_H
