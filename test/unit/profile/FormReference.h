//===- FormReference.h - Enumerates the accesses of closed forms *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes every access of a closed form one by one, as the reference of its evaluation.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_PROFILE_FORMREFERENCE_H
#define GMPROF_TEST_UNIT_PROFILE_FORMREFERENCE_H

#include "FormWriter.h"
#include "profile/ClosedForm.h"
#include "profile/ElementCounts.h"
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace gmprof::test {

using Counts = std::vector<uint64_t>;

/// Returns the counts of the form's accesses; Progressions receives their number.
inline Counts countsOf(const ClosedForm &F, const FormLaunch &L, unsigned Bytes, uint64_t Elements,
                       unsigned Shift = 2, uint64_t *Total = nullptr,
                       unsigned *Progressions = nullptr) {
  ElementCounts C(0, Elements, Shift);
  unsigned N = 0;
  EXPECT_TRUE(forEachProgression(F, L, [&](const Progression &P) {
    C.add(P, Bytes);
    ++N;
  }));
  if (Total)
    *Total = C.total();
  if (Progressions)
    *Progressions = N;
  return C.finish();
}

//===----------------------------------------------------------------------===//
// Reference: every thread, block and iteration
//===----------------------------------------------------------------------===//

/// The values of all unknowns in one access, by factor.
struct Point {
  const FormLaunch &L;
  const ClosedForm &F;
  std::map<uint32_t, int64_t> Unknowns;

  int64_t factor(uint32_t Factor) const {
    if (Factor >= GMPROF_FACTOR_DERIVED) {
      const FormDerived &D = F.Derived[Factor - GMPROF_FACTOR_DERIVED];
      int64_t A = value(D.A);
      if (D.Kind == GMPROF_DERIVED_NOT_NEGATIVE)
        return A >= 0;
      int64_t B = value(D.B);
      return (A - ((A % B) + B) % B) / B;
    }
    if (Factor >= GMPROF_FACTOR_PARAMETER)
      return L.Parameters[Factor - GMPROF_FACTOR_PARAMETER];
    if (Factor >= GMPROF_FACTOR_NTID_X && Factor <= GMPROF_FACTOR_NTID_Z)
      return L.Block[Factor - GMPROF_FACTOR_NTID_X];
    if (Factor >= GMPROF_FACTOR_NCTAID_X && Factor <= GMPROF_FACTOR_NCTAID_Z)
      return L.Grid[Factor - GMPROF_FACTOR_NCTAID_X];
    return Unknowns.at(Factor);
  }
  int64_t value(const FormPolynomial &P) const {
    int64_t Sum = 0;
    for (const FormTerm &T : P) {
      int64_t Product = T.Coefficient;
      for (uint32_t Factor : T.Factors)
        Product *= factor(Factor);
      Sum += Product;
    }
    return Sum;
  }
};

/// Number of iterations that the reference tries; loops must be shorter.
constexpr int64_t MaxIterations = 40;

inline void everyIteration(Point &P, unsigned Loop, const std::function<void(const Point &)> &Do) {
  if (Loop == P.F.Loops) {
    bool Satisfied = true;
    for (const FormConstraint &C : P.F.Constraints)
      Satisfied = Satisfied && (P.value(C.Value) >= 0 ||
                                (C.Loop && P.Unknowns[GMPROF_FACTOR_LOOP + *C.Loop] == 0));
    if (Satisfied)
      Do(P);
    return;
  }
  for (int64_t K = 0; K < MaxIterations; ++K) {
    P.Unknowns[GMPROF_FACTOR_LOOP + Loop] = K;
    everyIteration(P, Loop + 1, Do);
  }
}

inline void everyAccess(const ClosedForm &F, const FormLaunch &L,
                        const std::function<void(const Point &)> &Do) {
  Point P{L, F, {}};
  std::array<uint32_t, 6> Size = {L.Block[0], L.Block[1], L.Block[2],
                                  L.Grid[0],  L.Grid[1],  L.Grid[2]};
  constexpr uint32_t Factor[] = {GMPROF_FACTOR_TID_X,   GMPROF_FACTOR_TID_Y,
                                 GMPROF_FACTOR_TID_Z,   GMPROF_FACTOR_CTAID_X,
                                 GMPROF_FACTOR_CTAID_Y, GMPROF_FACTOR_CTAID_Z};
  uint64_t Threads = 1;
  for (uint32_t S : Size)
    Threads *= S;
  for (uint64_t T = 0; T < Threads; ++T) {
    uint64_t Rest = T;
    for (unsigned D = 0; D < 6; ++D, Rest /= Size[D - 1])
      P.Unknowns[Factor[D]] = static_cast<int64_t>(Rest % Size[D]);
    if (L.OnlyBlock &&
        (P.Unknowns[CtaidX] != (*L.OnlyBlock)[0] || P.Unknowns[CtaidY] != (*L.OnlyBlock)[1] ||
         P.Unknowns[GMPROF_FACTOR_CTAID_Z] != (*L.OnlyBlock)[2]))
      continue;
    if (L.OnlyThread &&
        (P.Unknowns[TidX] != (*L.OnlyThread)[0] || P.Unknowns[TidY] != (*L.OnlyThread)[1] ||
         P.Unknowns[GMPROF_FACTOR_TID_Z] != (*L.OnlyThread)[2]))
      continue;
    everyIteration(P, 0, Do);
  }
}

inline Counts referenceCounts(const ClosedForm &F, const FormLaunch &L, unsigned Bytes,
                              uint64_t Elements, unsigned Shift, uint64_t &Total) {
  Counts C(Elements);
  Total = 0;
  everyAccess(F, L, [&](const Point &P) {
    int64_t Address = P.value(F.Address);
    for (int64_t E = Address >> Shift; E <= (Address + int64_t(Bytes) - 1) >> Shift; ++E) {
      ++Total;
      if (E >= 0 && E < static_cast<int64_t>(Elements))
        ++C[static_cast<size_t>(E)];
    }
  });
  return C;
}

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_PROFILE_FORMREFERENCE_H
