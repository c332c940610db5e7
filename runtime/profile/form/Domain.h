//===- Domain.h - The values that constraints leave -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds a form to a launch, and describes by ranges and constraints which values of the unknowns
// make an access.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_FORM_DOMAIN_H
#define GMPROF_PROFILE_FORM_DOMAIN_H

#include "profile/form/Value.h"
#include <optional>
#include <vector>

namespace gmprof::form {

/// Substitutes a launch's values into polynomials.
class Binder {
public:
  Binder(const ClosedForm &Form, const FormLaunch &Launch) : Launch(Launch) {
    for (const FormDerived &D : Form.Derived)
      Valid = Valid && derive(D);
  }
  /// Returns nothing if a number exceeds Limit or the launch has too few parameters.
  std::optional<Value> bind(const FormPolynomial &P) const;
  Box box() const;
  bool valid() const { return Valid; }

private:
  bool derive(const FormDerived &D);
  std::optional<Wide> known(uint32_t Factor) const;

  const FormLaunch &Launch;
  std::vector<Wide> Derived;
  bool Valid = true;
};

inline bool isEmpty(const Box &Ranges) {
  return std::any_of(Ranges.begin(), Ranges.end(), [](const Range &R) { return R.empty(); });
}

/// The values of the unknowns within Ranges for which all Constraints are >= 0.
struct Domain {
  Box Ranges;
  std::vector<Value> Constraints;

  bool empty() const { return isEmpty(Ranges); }
};

/// Limit of the parts that one launch is split into.
inline constexpr size_t MaxParts = 64;

/// Returns true if C >= 0 holds in all of D, by the ranges or because one constraint of D implies
/// it.
bool isImplied(const Value &C, const Domain &D);

/// Returns the launch's domains under the first Count constraints; nothing if a number gets too
/// large or there are too many parts.
std::optional<std::vector<Domain>> domains(const ClosedForm &Form, const Binder &Bind,
                                           size_t Count);

/// Narrows the ranges by the constraints.
void narrow(Domain &D);

/// Returns true if V <= Max is proven for all of D, which must be narrowed: by the ranges, or
/// because V plus positive multiples of up to `Constraints` constraints, taken from index From on,
/// is at most Max. Three suffice for the border guard of a stencil, one per dimension.
bool isAtMost(const Value &V, Wide Max, const Domain &D, unsigned Constraints = 3, size_t From = 0);

} // namespace gmprof::form

#endif // GMPROF_PROFILE_FORM_DOMAIN_H
