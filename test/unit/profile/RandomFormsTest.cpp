//===- RandomFormsTest.cpp - Random closed forms --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormReference.h"
#include <random>

using namespace gmprof;
using namespace gmprof::test;

namespace {

class RandomForm {
public:
  explicit RandomForm(uint32_t Seed) : Random(Seed) {
    for (unsigned D = 0; D < 3; ++D) {
      Launch.Block[D] = number(1, D == 0 ? 6 : 3);
      Launch.Grid[D] = number(1, D == 2 ? 1 : 3);
    }
    for (int64_t &P : Parameters)
      P = number(-4, 20);
    Launch.Parameters = Parameters;
    Form.Loops = static_cast<unsigned>(number(0, 2));
    if (number(0, 3) == 0)
      Form.Derived.push_back({GMPROF_DERIVED_QUOTIENT,
                              {{1, {parameter(0)}}, {number(-3, 3), {NTidX}}},
                              {{number(1, 5), {}}}});
    if (number(0, 3) == 0)
      Form.Derived.push_back({GMPROF_DERIVED_NOT_NEGATIVE, {{1, {parameter(1)}}, {-5, {}}}, {}});
    Form.Address = scaled(linear(), number(0, 1) ? 4 : number(1, 12));
    if (number(0, 9) == 0)
      Form.Address.push_back({4, {unknown(), unknown()}});
    for (unsigned K = 0; K < Form.Loops; ++K)
      Form.Constraints.push_back(tripCount(K));
    for (int64_t N = number(0, 2); N > 0; --N)
      Form.Constraints.push_back({std::nullopt, guard()});
    if (number(0, 3) == 0)
      Launch.OnlyBlock = {Launch.Grid[0] - 1, 0, 0};
    if (number(0, 3) == 0)
      Launch.OnlyThread = {Launch.Block[0] - 1, 0, 0};
    // Any address, so that some accesses lie outside of the object.
    Form.Address.push_back({number(-8, 60), {}});
  }

  ClosedForm Form;
  FormLaunch Launch;
  int64_t number(int64_t Low, int64_t High) {
    return std::uniform_int_distribution<int64_t>(Low, High)(Random);
  }

private:
  uint32_t unknown() {
    const uint32_t All[] = {TidX, TidY, GMPROF_FACTOR_TID_Z, CtaidX, CtaidY, loop(0), loop(1)};
    return All[number(0, 4 + Form.Loops)];
  }
  /// Returns typical and untypical index arithmetic.
  FormPolynomial linear() {
    FormPolynomial P;
    switch (number(0, 3)) {
    case 0:
      P = globalIndex();
      break;
    case 1:
      P = plus(globalIndex(), {{1, {parameter(0), TidY}}, {1, {parameter(0), NTidY, CtaidY}}});
      break;
    case 2:
      P = {{1, {TidX}}, {number(-7, 7), {CtaidX}}, {number(-3, 3), {TidY}}};
      break;
    default:
      P = {{number(-2, 2), {unknown()}}, {number(-9, 9), {unknown()}}};
    }
    if (number(0, 4) == 0)
      P = scaled(P, -1);
    for (size_t D = 0; D < Form.Derived.size(); ++D)
      P.push_back({number(-2, 2), {derived(static_cast<unsigned>(D))}});
    for (unsigned K = 0; K < Form.Loops; ++K)
      switch (number(0, 3)) {
      case 0:
        P.push_back({1, {NTidX, NCtaidX, loop(K)}}); // grid-stride
        break;
      case 1:
        P.push_back({number(-9, 9), {loop(K)}});
        break;
      case 2:
        P.push_back({1, {parameter(1), loop(K)}});
        break;
      default:
        break;
      }
    return P;
  }
  /// Returns the constraint of a loop that ends.
  FormConstraint tripCount(unsigned K) {
    FormPolynomial P = {{number(-3, 12), {}}};
    switch (number(0, 4)) {
    case 0:
      P.push_back({number(-1, 1), {unknownBefore(K)}}); // triangular
      break;
    case 1:
      P = plus(P, scaled(globalIndex(), -1));
      P.push_back({-1, {NTidX, NCtaidX, loop(K)}});
      return {number(0, 1) ? std::optional(K) : std::nullopt, P};
    case 2:
      P.push_back({1, {parameter(2)}});
      break;
    default:
      break;
    }
    P.push_back({-number(1, 4), {loop(K)}});
    return {number(0, 1) ? std::optional(K) : std::nullopt, P};
  }
  uint32_t unknownBefore(unsigned K) { return K > 0 ? loop(K - 1) : TidX; }
  FormPolynomial guard() {
    switch (number(0, 2)) {
    case 0:
      return plus({{number(-2, 20), {}}}, scaled(globalIndex(), -1));
    case 1:
      return {{number(-2, 3), {}}, {number(-2, 2), {unknown()}}, {number(-2, 2), {unknown()}}};
    default:
      return {{number(-1, 6), {}}, {-1, {unknown()}}};
    }
  }

  std::mt19937 Random;
  std::array<int64_t, 3> Parameters = {};
};

} // namespace

TEST(ClosedForm, RandomFormsCountAsEnumerationDoes) {
  unsigned Evaluated = 0, Accessing = 0;
  constexpr unsigned Tries = 3000;
  for (uint32_t Seed = 0; Seed < Tries; ++Seed) {
    RandomForm R(Seed);
    SCOPED_TRACE("seed " + std::to_string(Seed));
    const auto Shift = static_cast<unsigned>(R.number(0, 3));
    const auto Bytes = static_cast<unsigned>(R.number(0, 1) ? 4 : R.number(1, 17));
    const auto Elements = static_cast<uint64_t>(R.number(1, 200));
    ElementCounts C(0, Elements, Shift);
    if (!forEachProgression(R.Form, R.Launch, [&](const Progression &P) { C.add(P, Bytes); }))
      continue;
    ++Evaluated;
    uint64_t Total = 0;
    Counts Expected = referenceCounts(R.Form, R.Launch, Bytes, Elements, Shift, Total);
    ASSERT_EQ(C.total(), Total);
    ASSERT_EQ(C.finish(), Expected);
    Accessing += Total != 0;
    // Encode and decode again.
    Result<ClosedForm> Again = decodeClosedForm(wordsOf(R.Form), 3);
    ASSERT_TRUE(Again) << Again.error();
    ASSERT_EQ(wordsOf(*Again), wordsOf(R.Form));
  }
  // Most forms must be evaluable, and have accesses.
  EXPECT_GT(Evaluated, Tries * 9 / 10);
  EXPECT_GT(Accessing, Tries / 2);
}

TEST(ClosedForm, ConditionsThatHoldDoSoForEveryAccess) {
  unsigned Held = 0, True = 0;
  for (uint32_t Seed = 0; Seed < 1500; ++Seed) {
    RandomForm R(Seed);
    SCOPED_TRACE("seed " + std::to_string(Seed));
    FormPolynomial Value = R.Form.Address;
    const int64_t Min = R.number(-200, 0), Max = R.number(0, 400);
    bool Holds = true;
    everyAccess(R.Form, R.Launch, [&](const Point &P) {
      Holds = Holds && P.value(Value) >= Min && P.value(Value) <= Max;
    });
    R.Form.Conditions.push_back(
        {static_cast<unsigned>(R.Form.Constraints.size()), Min, Max, Value});
    True += Holds;
    if (!holds(R.Form, R.Launch))
      continue;
    ++Held;
    ASSERT_TRUE(Holds);
  }
  // A refusal is always allowed, but must be rare.
  EXPECT_GT(Held, True * 3 / 4);
}
