//===- FormWriter.h - Writes words of closed forms --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_PROFILE_FORMWRITER_H
#define GMPROF_TEST_UNIT_PROFILE_FORMWRITER_H

#include "profile/ClosedForm.h"
#include <cstdint>
#include <vector>

namespace gmprof::test {

// Short names of factors for hand-written polynomials.
inline constexpr uint32_t TidX = GMPROF_FACTOR_TID_X, TidY = GMPROF_FACTOR_TID_Y;
inline constexpr uint32_t NTidX = GMPROF_FACTOR_NTID_X, NTidY = GMPROF_FACTOR_NTID_Y;
inline constexpr uint32_t CtaidX = GMPROF_FACTOR_CTAID_X, CtaidY = GMPROF_FACTOR_CTAID_Y;
inline constexpr uint32_t NCtaidX = GMPROF_FACTOR_NCTAID_X;
inline constexpr uint32_t loop(unsigned L) { return GMPROF_FACTOR_LOOP + L; }
inline constexpr uint32_t parameter(unsigned P) { return GMPROF_FACTOR_PARAMETER + P; }
inline constexpr uint32_t derived(unsigned D) { return GMPROF_FACTOR_DERIVED + D; }

inline void append(std::vector<int64_t> &To, const FormPolynomial &P) {
  To.push_back(static_cast<int64_t>(P.size()));
  for (const FormTerm &T : P) {
    To.push_back(T.Coefficient);
    To.push_back(static_cast<int64_t>(T.Factors.size()));
    To.insert(To.end(), T.Factors.begin(), T.Factors.end());
  }
}

/// Returns the form words of a kernel descriptor.
inline std::vector<int64_t> wordsOf(const ClosedForm &F) {
  std::vector<int64_t> Words;
  Words.push_back(static_cast<int64_t>(F.Derived.size()));
  for (const FormDerived &D : F.Derived) {
    Words.push_back(D.Kind);
    append(Words, D.A);
    append(Words, D.B);
  }
  append(Words, F.Address);
  Words.push_back(F.Loops);
  Words.push_back(static_cast<int64_t>(F.Constraints.size()));
  for (const FormConstraint &C : F.Constraints) {
    Words.push_back(C.Loop ? static_cast<int64_t>(*C.Loop) : -1);
    append(Words, C.Value);
  }
  Words.push_back(static_cast<int64_t>(F.Conditions.size()));
  for (const FormCondition &C : F.Conditions) {
    Words.push_back(C.Constraints);
    Words.push_back(C.Min);
    Words.push_back(C.Max);
    append(Words, C.Value);
  }
  return Words;
}

/// Returns Factor * P.
inline FormPolynomial scaled(FormPolynomial P, int64_t Factor) {
  for (FormTerm &T : P)
    T.Coefficient *= Factor;
  return P;
}

inline FormPolynomial plus(FormPolynomial A, const FormPolynomial &B) {
  A.insert(A.end(), B.begin(), B.end());
  return A;
}

/// Returns blockIdx.x * blockDim.x + threadIdx.x.
inline FormPolynomial globalIndex() { return {{1, {TidX}}, {1, {NTidX, CtaidX}}}; }

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_PROFILE_FORMWRITER_H
