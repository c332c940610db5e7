//===- ClosedFormTest.cpp - Worked closed forms ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormReference.h"
#include <random>

using namespace gmprof;
using namespace gmprof::test;

TEST(ClosedForm, GuardedIndexIsOneProgression) {
  // if (i < n) x[i]
  ClosedForm F;
  F.Address = scaled(globalIndex(), 4);
  F.Constraints = {
      {std::nullopt, plus({{1, {parameter(0)}}, {-1, {}}}, scaled(globalIndex(), -1))}};
  std::array<int64_t, 1> N = {1000};
  FormLaunch L{{4, 1, 1}, {256, 1, 1}, N, {}};
  unsigned Progressions = 0;
  Counts C = countsOf(F, L, 4, 1000, 2, nullptr, &Progressions);
  EXPECT_EQ(C, Counts(1000, 1));
  EXPECT_EQ(Progressions, 1u);
}

/// for (i = global index; i < n; i += all threads) x[i]
static ClosedForm gridStride() {
  ClosedForm F;
  FormPolynomial Index = plus(globalIndex(), {{1, {NTidX, NCtaidX, loop(0)}}});
  FormPolynomial Left = {{1, {parameter(0)}}, {-1, {}}};
  F.Address = scaled(Index, 4);
  F.Loops = 1;
  F.Constraints = {{std::nullopt, plus(Left, scaled(globalIndex(), -1))},
                   {0, plus(Left, scaled(Index, -1))}};
  F.Conditions = {{2, INT32_MIN, INT32_MAX, Index}};
  return F;
}

TEST(ClosedForm, GridStrideLoopIsOneProgression) {
  for (int64_t Size : {1, 100, 512, 513, 100000000}) {
    std::array<int64_t, 1> N = {Size};
    FormLaunch L{{4, 1, 1}, {128, 1, 1}, N, {}};
    EXPECT_TRUE(holds(gridStride(), L));
    std::vector<Progression> All;
    ASSERT_TRUE(
        forEachProgression(gridStride(), L, [&](const Progression &P) { All.push_back(P); }));
    ASSERT_EQ(All.size(), 1u) << Size;
    EXPECT_EQ(All[0].Base, 0);
    EXPECT_EQ(All[0].Times, 1u);
    if (Size == 1)
      EXPECT_TRUE(All[0].Dimensions.empty());
    else
      EXPECT_EQ(All[0].Dimensions.at(0).Extent, static_cast<uint64_t>(Size));
  }
}

TEST(ClosedForm, GridStrideLoopWithoutGuardRunsOnceAtLeast) {
  // do x[i] while ((i += all threads) < n): 8 threads, n = 20.
  ClosedForm F = gridStride();
  F.Constraints.erase(F.Constraints.begin());
  std::array<int64_t, 1> N = {20};
  FormLaunch L{{2, 1, 1}, {4, 1, 1}, N, {}};
  EXPECT_EQ(countsOf(F, L, 4, 24), [] {
    Counts C(24, 1);
    std::fill(C.begin() + 20, C.end(), 0);
    return C;
  }());
  N[0] = 3;
  Counts Expected(24);
  std::fill(Expected.begin(), Expected.begin() + 8, 1);
  EXPECT_EQ(countsOf(F, L, 4, 24), Expected);
}

TEST(ClosedForm, MatrixMultiplicationReadsEachElementNTimes) {
  // row = 16 * blockIdx.y + threadIdx.y, k < n: A[row * n + k], B[k * n + column].
  constexpr int64_t N = 64;
  std::array<int64_t, 1> Parameters = {N};
  FormLaunch L{{4, 4, 1}, {16, 16, 1}, Parameters, {}};
  const uint32_t Size = parameter(0);
  ClosedForm A;
  A.Loops = 1;
  A.Address = {{4, {TidY, Size}}, {4, {NTidY, CtaidY, Size}}, {4, {loop(0)}}};
  A.Constraints = {{0, {{1, {Size}}, {-1, {}}, {-1, {loop(0)}}}}};
  ClosedForm B = A, C = A;
  B.Address = {{4, {Size, loop(0)}}, {4, {TidX}}, {4, {NTidX, CtaidX}}};
  C.Address = {{4, {TidY, Size}}, {4, {NTidY, CtaidY, Size}}, {4, {TidX}}, {4, {NTidX, CtaidX}}};
  C.Constraints.clear();
  C.Loops = 0;
  unsigned Progressions = 0;
  EXPECT_EQ(countsOf(A, L, 4, N * N, 2, nullptr, &Progressions), Counts(N * N, N));
  EXPECT_EQ(Progressions, 1u);
  EXPECT_EQ(countsOf(B, L, 4, N * N, 2, nullptr, &Progressions), Counts(N * N, N));
  EXPECT_EQ(Progressions, 1u);
  EXPECT_EQ(countsOf(C, L, 4, N * N), Counts(N * N, 1));
  // One block reads 16 rows of A, each element 16 times.
  L.OnlyBlock = {2, 1, 0};
  Counts Rows(N * N);
  std::fill(Rows.begin() + 16 * N, Rows.begin() + 32 * N, 16);
  EXPECT_EQ(countsOf(A, L, 4, N * N), Rows);
  // One thread of it reads one row once: row 16 * 1 + 3.
  L.OnlyThread = {5, 3, 0};
  Counts Row(N * N);
  std::fill(Row.begin() + 19 * N, Row.begin() + 20 * N, 1);
  EXPECT_EQ(countsOf(A, L, 4, N * N), Row);
}

TEST(ClosedForm, TriangularLoopIsEnumeratedByRows) {
  // for (j = 0; j <= i; ++j) a[i * n + j], i the global index.
  constexpr int64_t N = 96;
  std::array<int64_t, 1> Parameters = {N};
  ClosedForm F;
  F.Loops = 1;
  F.Address = {{4, {parameter(0), TidX}}, {4, {parameter(0), NTidX, CtaidX}}, {4, {loop(0)}}};
  F.Constraints = {{0, plus(globalIndex(), {{-1, {loop(0)}}})}};
  Counts Expected(N * N);
  for (int64_t I = 0; I < N; ++I)
    for (int64_t J = 0; J <= I; ++J)
      Expected[static_cast<size_t>(I * N + J)] = 1;
  unsigned Progressions = 0;
  FormLaunch L{{3, 1, 1}, {32, 1, 1}, Parameters, {}};
  EXPECT_EQ(countsOf(F, L, 4, N * N, 2, nullptr, &Progressions), Expected);
  EXPECT_EQ(Progressions, static_cast<unsigned>(N));
}

TEST(ClosedForm, QuotientOfThreadIndex) {
  // x[threadIdx.x / 8], 8 k <= tid <= 8 k + 7; 20 threads.
  ClosedForm F;
  F.Loops = 1;
  F.Address = {{4, {loop(0)}}};
  F.Constraints = {{std::nullopt, {{1, {TidX}}, {-8, {loop(0)}}}},
                   {std::nullopt, {{7, {}}, {-1, {TidX}}, {8, {loop(0)}}}}};
  FormLaunch L{{1, 1, 1}, {20, 1, 1}, {}, {}};
  EXPECT_EQ(countsOf(F, L, 4, 4), (Counts{8, 8, 4, 0}));
}

/// Adds the constraints 0 <= A - Divisor * loop(K) < Divisor.
void addQuotient(ClosedForm &F, const FormPolynomial &A, const FormPolynomial &Divisor,
                 unsigned K) {
  FormPolynomial Remainder = A;
  for (FormTerm T : Divisor) {
    T.Coefficient = -T.Coefficient;
    T.Factors.push_back(loop(K));
    Remainder.push_back(T);
  }
  F.Constraints.push_back({std::nullopt, Remainder});
  F.Constraints.push_back({std::nullopt, plus(plus(Divisor, scaled(Remainder, -1)), {{-1, {}}})});
}

TEST(ClosedForm, RandomQuotientsCountAsEnumerationDoes) {
  unsigned Accessing = 0;
  for (uint32_t Seed = 0; Seed < 2000; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    std::mt19937 Random(Seed);
    const auto Number = [&](int64_t Low, int64_t High) {
      return std::uniform_int_distribution<int64_t>(Low, High)(Random);
    };
    ClosedForm F;
    F.Loops = 2;
    // An index, ascending or descending; its quotient; and a quotient of that, of the remainder, or
    // of the index.
    const FormPolynomial Index =
        plus(scaled(globalIndex(), Number(0, 3) ? 1 : -1), {{Number(-3, 12), {}}});
    const int64_t Divisor = Number(2, 7);
    const FormPolynomial Remainder = plus(Index, {{-Divisor, {loop(0)}}});
    const FormPolynomial Parts[] = {{{1, {loop(0)}}}, Remainder, Index};
    addQuotient(F, Index, {{Divisor, {}}}, 0);
    addQuotient(F, Parts[Number(0, 2)], {{Number(2, 7), {}}}, 1);
    if (Number(0, 1))
      F.Constraints.push_back({std::nullopt, plus({{Number(0, 30), {}}}, scaled(Index, -1))});
    F.Address = plus(scaled(Remainder, Number(-4, 8)), scaled(Index, Number(-1, 2)));
    F.Address.push_back({Number(-9, 20), {loop(0)}});
    F.Address.push_back({Number(-9, 20), {loop(1)}});
    FormLaunch L{{static_cast<uint32_t>(Number(1, 4)), 1, 1},
                 {static_cast<uint32_t>(Number(1, 9)), 1, 1},
                 {},
                 {}};
    uint64_t Total = 0, Expected = 0;
    const Counts Reference = referenceCounts(F, L, 4, 100, 2, Expected);
    ASSERT_EQ(countsOf(F, L, 4, 100, 2, &Total), Reference);
    ASSERT_EQ(Total, Expected);
    Accessing += Total != 0;
  }
  EXPECT_GT(Accessing, 1000u);
}

TEST(ClosedForm, RemaindersOfAnIndexStayClosed) {
  // Splits an index < m * s * n into (index / s / n, index / n % s, index % n), as kernels on
  // tensors do; accesses x[(i * 2 s + j) * n + k] of 2 m s n elements.
  ClosedForm F;
  F.Loops = 4;
  const FormPolynomial Index = globalIndex(), S = {{1, {parameter(1)}}}, N = {{1, {parameter(2)}}};
  F.Constraints = {{std::nullopt, plus({{1, {parameter(0), parameter(1), parameter(2)}}, {-1, {}}},
                                       scaled(Index, -1))}};
  addQuotient(F, Index, S, 0);
  addQuotient(F, {{1, {loop(0)}}}, N, 1); // i
  addQuotient(F, Index, N, 2);
  addQuotient(F, {{1, {loop(2)}}}, S, 3);
  // 8 i s n + 4 (index / n - s * (index / n / s)) * n + 4 (index - n * (index / n))
  F.Address = plus(scaled(Index, 4), {{8, {parameter(1), parameter(2), loop(1)}},
                                      {-4, {parameter(1), parameter(2), loop(3)}}});
  unsigned Progressions = 0;
  for (const std::array<int64_t, 3> &Sizes :
       {std::array<int64_t, 3>{4, 8, 16}, std::array<int64_t, 3>{3, 5, 7}}) {
    const auto [M, Half, Row] = Sizes;
    Counts Expected(static_cast<size_t>(2 * M * Half * Row));
    for (int64_t I = 0; I < M * Half * Row; ++I)
      ++Expected[static_cast<size_t>((I / Half / Row * 2 * Half + I / Row % Half) * Row + I % Row)];
    const FormLaunch L{{16, 1, 1}, {32, 1, 1}, Sizes, {}};
    EXPECT_EQ(countsOf(F, L, 4, Expected.size(), 2, nullptr, &Progressions), Expected);
    EXPECT_EQ(Progressions, 1u);
  }
  // Enumeration would take 2^29 values.
  const std::array<int64_t, 3> Large = {1024, 512, 1024};
  const FormLaunch L{{1 << 21, 1, 1}, {256, 1, 1}, Large, {}};
  ASSERT_TRUE(holds(F, L));
  Progressions = 0;
  uint64_t Accesses = 0;
  EXPECT_TRUE(forEachProgression(F, L, [&](const Progression &P) {
    ++Progressions;
    uint64_t Count = P.Times;
    for (const Progression::Dimension &D : P.Dimensions)
      Count *= D.Extent;
    Accesses += Count;
  }));
  EXPECT_EQ(Progressions, 1u);
  EXPECT_EQ(Accesses, uint64_t(1) << 29);
}

TEST(ClosedForm, RandomQuotientsByMultiplesOfADivisorStayClosed) {
  for (uint32_t Seed = 0; Seed < 500; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    std::mt19937 Random(Seed);
    const auto Number = [&](int64_t Low, int64_t High) {
      return std::uniform_int_distribution<int64_t>(Low, High)(Random);
    };
    std::array<int64_t, 3> Divisors = {Number(2, 4), 0, 0};
    Divisors[1] = Divisors[0] * Number(2, 4);
    Divisors[2] = Divisors[1] * Number(2, 4);
    std::shuffle(Divisors.begin(), Divisors.end(), Random);
    const FormLaunch L{{static_cast<uint32_t>(Number(1, 8)), 1, 1},
                       {static_cast<uint32_t>(Number(1, 64)), 1, 1},
                       {},
                       {}};
    const int64_t OfIndex = Number(0, 3);
    // Some forms guard the index, some a quotient, as kernels with several threads per item do.
    const int64_t Guarded = Number(-1, 2), Below = Number(1, 30);
    ClosedForm F;
    F.Loops = 3;
    F.Address = scaled(globalIndex(), 4 * OfIndex);
    std::array<int64_t, 3> Factors;
    for (unsigned K = 0; K < 3; ++K) {
      Factors[K] = Number(0, 9);
      addQuotient(F, globalIndex(), {{Divisors[K], {}}}, K);
      F.Address.push_back({4 * Factors[K], {loop(K)}});
    }
    const FormPolynomial Guard =
        Guarded < 0 ? globalIndex() : FormPolynomial{{1, {loop(static_cast<unsigned>(Guarded))}}};
    F.Constraints.push_back({std::nullopt, plus({{Below - 1, {}}}, scaled(Guard, -1))});
    Counts Expected(16384);
    for (int64_t I = 0; I < int64_t(L.Grid[0]) * L.Block[0]; ++I) {
      int64_t Element = OfIndex * I;
      for (unsigned K = 0; K < 3; ++K)
        Element += Factors[K] * (I / Divisors[K]);
      if ((Guarded < 0 ? I : I / Divisors[static_cast<size_t>(Guarded)]) < Below)
        ++Expected[static_cast<size_t>(Element)];
    }
    unsigned Progressions = 0;
    ASSERT_EQ(countsOf(F, L, 4, Expected.size(), 2, nullptr, &Progressions), Expected);
    EXPECT_LE(Progressions, 4u); // whole items, and the remainder by each divisor
  }
}

TEST(ClosedForm, ThreadsOfAnItemByMultiplesOfADivisorAreOneProgression) {
  // 36 threads for each of 65,536 items of 4 matrices of 3 x 3: item i / 36, matrix i % 36 / 9, row
  // i % 9 / 3, in rows of 24 bytes; matrices have 72 bytes, items 320.
  ClosedForm F;
  F.Loops = 3;
  F.Address = {{24, {loop(0)}}, {32, {loop(2)}}};
  addQuotient(F, globalIndex(), {{36, {}}}, 2);
  F.Constraints.push_back({std::nullopt, {{-1, {}}, {-1, {loop(2)}}, {1, {parameter(0)}}}});
  addQuotient(F, globalIndex(), {{9, {}}}, 1);
  addQuotient(F, globalIndex(), {{3, {}}}, 0);
  const std::array<int64_t, 1> Parameters = {65536};
  const FormLaunch L{{65536, 1, 1}, {128, 1, 1}, Parameters, {}};
  ASSERT_TRUE(holds(F, L));
  std::vector<Progression> All;
  EXPECT_TRUE(forEachProgression(F, L, [&](const Progression &P) { All.push_back(P); }));
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Base, 0);
  EXPECT_EQ(All[0].Times, 3u); // the columns of a row
  std::map<int64_t, uint64_t> Dimensions;
  for (const Progression::Dimension &D : All[0].Dimensions)
    Dimensions[D.Stride] = D.Extent;
  EXPECT_EQ(Dimensions, (std::map<int64_t, uint64_t>{{24, 12}, {320, 65536}}));
}

TEST(ClosedForm, WideAccessesAndNegativeStrides) {
  // float4 loads of floats, from the end to the start: x[4 * (63 - tid)]
  ClosedForm F;
  F.Address = {{16 * 63, {}}, {-16, {TidX}}};
  FormLaunch L{{1, 1, 1}, {64, 1, 1}, {}, {}};
  unsigned Progressions = 0;
  EXPECT_EQ(countsOf(F, L, 16, 256, 2, nullptr, &Progressions), Counts(256, 1));
  EXPECT_EQ(Progressions, 1u);
  // Bytes of an object of 4-byte elements: each element is touched 4 times.
  ClosedForm Bytes;
  Bytes.Address = {{1, {TidX}}};
  EXPECT_EQ(countsOf(Bytes, L, 1, 16), Counts(16, 4));
}

TEST(ClosedForm, AccessesOutsideTheObjectAreOnlyInTheTotal) {
  // x[tid - 2] of 4 elements.
  ClosedForm F;
  F.Address = {{-8, {}}, {4, {TidX}}};
  FormLaunch L{{1, 1, 1}, {10, 1, 1}, {}, {}};
  uint64_t Total = 0;
  EXPECT_EQ(countsOf(F, L, 4, 4, 2, &Total), Counts(4, 1));
  EXPECT_EQ(Total, 10u);
}

TEST(ClosedForm, ProductOfUnknownsIsEnumerated) {
  // x[blockIdx.x * k], k < 4
  ClosedForm F;
  F.Loops = 1;
  F.Address = {{4, {CtaidX, loop(0)}}};
  F.Constraints = {{0, {{3, {}}, {-1, {loop(0)}}}}};
  FormLaunch L{{3, 1, 1}, {2, 1, 1}, {}, {}};
  EXPECT_EQ(countsOf(F, L, 4, 7), (Counts{12, 2, 4, 2, 2, 0, 2}));
}

TEST(ClosedForm, TooMuchToEnumerateIsNotEvaluable) {
  // x[blockIdx.x * k] with 2^21 blocks and iterations; then an endless loop
  ClosedForm F;
  F.Address = {{4, {CtaidX, loop(0)}}};
  F.Loops = 1;
  F.Constraints = {{0, {{1 << 21, {}}, {-1, {loop(0)}}}}};
  FormLaunch L{{1 << 21, 1, 1}, {1, 1, 1}, {}, {}};
  EXPECT_FALSE(holds(F, L));
  EXPECT_FALSE(forEachProgression(F, L, [](const Progression &) { FAIL(); }));
  F.Constraints.clear();
  L.Grid[0] = 1;
  EXPECT_FALSE(holds(F, L));
}

TEST(ClosedForm, ConditionsDecideOnTheLaunch) {
  // int i = blockIdx.x * blockDim.x + threadIdx.x, guarded by i < n.
  ClosedForm F;
  F.Address = scaled(globalIndex(), 4);
  F.Constraints = {
      {std::nullopt, plus({{1, {parameter(0)}}, {-1, {}}}, scaled(globalIndex(), -1))}};
  F.Conditions = {{0, INT32_MIN, INT32_MAX, globalIndex()}};
  std::array<int64_t, 1> N = {1000};
  EXPECT_TRUE(holds(F, {{1 << 21, 1, 1}, {1024, 1, 1}, N, {}})) << "2^31 threads";
  EXPECT_FALSE(holds(F, {{(1 << 21) + 1, 1, 1}, {1024, 1, 1}, N, {}})) << "the index wraps";
  F.Conditions[0].Constraints = 1; // restricted to points behind the guard
  EXPECT_TRUE(holds(F, {{(1 << 21) + 1, 1, 1}, {1024, 1, 1}, N, {}}));
}

TEST(ClosedForm, KnowsWhetherThereIsAnAccess) {
  // p[i * i], taken where n <= i * i < m.
  ClosedForm F;
  F.Address = {{4, {TidX, TidX}}};
  F.Constraints = {{std::nullopt, {{1, {TidX, TidX}}, {-1, {parameter(0)}}}},
                   {std::nullopt, {{1, {parameter(1)}}, {-1, {}}, {-1, {TidX, TidX}}}}};
  std::array<int64_t, 2> P = {17, 26};
  const FormLaunch L{{3, 1, 1}, {8, 1, 1}, P, {}};
  EXPECT_TRUE(accessesAny(F, L)) << "25";
  P = {17, 25};
  EXPECT_FALSE(accessesAny(F, L)) << "no square between 16 and 25";
  P = {50, 100};
  EXPECT_FALSE(accessesAny(F, L)) << "there are eight threads";
}

TEST(ClosedForm, DerivedValues) {
  // x[(n / 4) * tid] where 4 is a parameter too, taken only if n >= 8
  ClosedForm F;
  F.Derived = {{GMPROF_DERIVED_QUOTIENT, {{1, {parameter(0)}}}, {{1, {parameter(1)}}}},
               {GMPROF_DERIVED_NOT_NEGATIVE, {{1, {parameter(0)}}, {-8, {}}}, {}}};
  F.Address = {{4, {derived(0), TidX}}};
  F.Constraints = {{std::nullopt, {{1, {derived(1)}}, {-1, {}}}}};
  std::array<int64_t, 2> P = {9, 4};
  FormLaunch L{{1, 1, 1}, {3, 1, 1}, P, {}};
  EXPECT_EQ(countsOf(F, L, 4, 5), (Counts{1, 0, 1, 0, 1}));
  P = {7, 4};
  EXPECT_EQ(countsOf(F, L, 4, 5), Counts(5, 0));
  P = {9, 0};
  EXPECT_FALSE(holds(F, L)) << "division by zero";
}

//===----------------------------------------------------------------------===//
// Form words
//===----------------------------------------------------------------------===//

TEST(ClosedForm, DamagedWordsAreRefused) {
  ClosedForm F = gridStride();
  F.Derived = {{GMPROF_DERIVED_QUOTIENT, {{1, {parameter(0)}}}, {{2, {}}}}};
  const std::vector<int64_t> Words = wordsOf(F);
  ASSERT_TRUE(decodeClosedForm(Words, 1));
  for (size_t N = 0; N < Words.size(); ++N)
    EXPECT_FALSE(decodeClosedForm(std::span(Words).first(N), 1)) << N;
  std::vector<int64_t> Longer = Words;
  Longer.push_back(0);
  Result<ClosedForm> R = decodeClosedForm(Longer, 1);
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error(), "a closed form is invalid: words are left over");
  EXPECT_FALSE(decodeClosedForm(Words, 0)) << "the kernel has no parameter";
  // Any word may have any value: decoding must not crash, and accepted forms must be evaluable.
  std::array<int64_t, 1> N = {100};
  for (size_t I = 0; I < Words.size(); ++I)
    for (int64_t With : {int64_t(-1), int64_t(0), int64_t(1), int64_t(3), int64_t(16), int64_t(99),
                         INT64_MAX, INT64_MIN, int64_t(1) << 40}) {
      std::vector<int64_t> Damaged = Words;
      Damaged[I] = With;
      if (Result<ClosedForm> Form = decodeClosedForm(Damaged, 1))
        holds(*Form, {{2, 1, 1}, {32, 1, 1}, N, {}});
    }
}

TEST(ClosedForm, LoopsThatItDoesNotHave) {
  ClosedForm F;
  F.Address = {{4, {loop(1)}}};
  F.Loops = 1;
  Result<ClosedForm> R = decodeClosedForm(wordsOf(F), 0);
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error(), "a closed form is invalid: it has a factor of a loop that it does not have");
}
