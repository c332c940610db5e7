//===- GlobalMemoryUseTest.cpp --------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/GlobalMemoryUse.h"
#include "HandMadeGlobal.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

namespace {

constexpr auto Reads = GMPROF_COUNTER_READS, Writes = GMPROF_COUNTER_WRITES,
               Atomics = GMPROF_COUNTER_ATOMICS;

/// x[i] for i < parameter 2, where i is the global index.
ClosedForm guardedIndex() {
  ClosedForm F;
  F.Address = scaled(globalIndex(), 4);
  F.Constraints = {
      {std::nullopt, plus({{1, {parameter(2)}}, {-1, {}}}, scaled(globalIndex(), -1))}};
  return F;
}

KernelGlobalUse onlyUse(const profile::Profile &P) {
  std::vector<KernelGlobalUse> Uses = globalMemoryUse(P);
  EXPECT_EQ(Uses.size(), 1u);
  return Uses.empty() ? KernelGlobalUse() : std::move(Uses[0]);
}

/// Returns all numbers of one object, exactly.
std::string numbersOf(const GlobalObjectUse &O) {
  std::ostringstream Text;
  Text << std::hexfloat << O.Touched << ' ' << O.CountsOmitted << ' ' << O.Uncounted;
  for (const GlobalAccesses &A : O.Kinds) {
    for (const Bound &B : {A.Total, A.Min, A.Mean, A.Max})
      Text << ' ' << B.Value << ' ' << B.AtLeast;
    Text << ' ' << A.ByClosedForms << ' ' << A.Touched << ' ' << A.AtThreshold;
    for (const Bucket &B : A.Histogram)
      Text << ' ' << B.From << ' ' << B.To << ' ' << B.Elements;
  }
  for (const EqualElements &E : O.Counts)
    Text << ' ' << E.First << ' ' << E.Last << ' ' << E.Accesses[0] << ' ' << E.AtThreshold;
  return Text.str();
}

void expectEqual(const Bound &B, double Value, bool AtLeast = false) {
  EXPECT_DOUBLE_EQ(B.Value, Value);
  EXPECT_EQ(B.AtLeast, AtLeast);
}

} // namespace

TEST(GlobalMemoryUse, SaxpyByClosedForms) {
  // y[i] = a * x[i] + y[i], 1000 of 1024 elements, three launches
  HandMadeGlobal H;
  uint32_t X = H.variable("x"), Y = H.variable("y");
  H.form(X, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  H.form(Y, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  H.form(Y, GMPROF_ACCESS_STORE, 7, guardedIndex());
  uint64_t XObject = H.object("", 4096), YObject = H.object("", 4000);
  H.object("unreachable", 64);
  H.launches(3, 4, 256, {XObject, YObject}, {0, 0, 1000});
  KernelGlobalUse Use = onlyUse(H.P);
  EXPECT_EQ(Use.LaunchesSeen, 3u);
  EXPECT_EQ(Use.LaunchesProfiled, 3u);
  EXPECT_EQ(Use.LaunchesWithForms, 3u);
  EXPECT_EQ(Use.Outside, 0u);
  ASSERT_EQ(Use.Objects.size(), 2u);
  const GlobalObjectUse &A = Use.Objects[0];
  EXPECT_EQ(A.Object, XObject);
  EXPECT_EQ(A.Variables, std::vector<uint32_t>{X});
  EXPECT_EQ(A.ElementBytes, 4u);
  EXPECT_EQ(A.Elements, 1024u);
  EXPECT_EQ(A.Touched, 1000u);
  EXPECT_TRUE(A.Kinds[Reads].Possible);
  EXPECT_FALSE(A.Kinds[Writes].Possible);
  EXPECT_FALSE(A.Kinds[Atomics].Possible);
  expectEqual(A.Kinds[Reads].Total, 3000);
  expectEqual(A.Kinds[Reads].TotalEstimate, 3000);
  EXPECT_EQ(A.Kinds[Reads].StandardError, 0);
  EXPECT_EQ(A.Kinds[Reads].ByClosedForms, 3000);
  EXPECT_EQ(A.Kinds[Reads].Launches, 3u);
  expectEqual(A.Kinds[Reads].Min, 0);
  expectEqual(A.Kinds[Reads].Mean, 1000.0 / 1024);
  expectEqual(A.Kinds[Reads].Max, 1);
  ASSERT_EQ(A.Kinds[Reads].Histogram.size(), 2u);
  EXPECT_EQ(A.Kinds[Reads].Histogram[0].Elements, 24u);
  EXPECT_EQ(A.Kinds[Reads].Histogram[1].Elements, 1000u);
  ASSERT_EQ(A.Counts.size(), 1u);
  EXPECT_EQ(A.Counts[0].First, 0u);
  EXPECT_EQ(A.Counts[0].Last, 999u);
  EXPECT_EQ(A.Counts[0].Accesses, (std::array<double, 3>{3, 0, 0}));
  const GlobalObjectUse &B = Use.Objects[1];
  EXPECT_EQ(B.Touched, 1000u);
  expectEqual(B.Kinds[Reads].Mean, 1);
  expectEqual(B.Kinds[Writes].Mean, 1);
  expectEqual(B.total(), 6000);
}

TEST(GlobalMemoryUse, BuffersThatAreSwapped) {
  // out[i] = f(in[i]), with in and out swapped each time: every second launch reads each buffer.
  HandMadeGlobal H;
  uint32_t In = H.variable("in"), Out = H.variable("out");
  for (int64_t Shift : {-4, 4}) {
    ClosedForm F = guardedIndex();
    F.Address.push_back({Shift, {}});
    H.form(In, GMPROF_ACCESS_LOAD, 7, F);
  }
  H.form(Out, GMPROF_ACCESS_STORE, 7, guardedIndex());
  uint64_t A = H.object("", 400), B = H.object("", 400);
  H.launches(5, 1, 128, {A, B}, {0, 0, 100});
  H.launches(5, 1, 128, {B, A}, {0, 0, 100});
  KernelGlobalUse Use = onlyUse(H.P);
  ASSERT_EQ(Use.Objects.size(), 2u);
  for (const GlobalObjectUse &O : Use.Objects) {
    EXPECT_EQ(O.Variables, (std::vector<uint32_t>{In, Out}));
    EXPECT_EQ(O.Kinds[Reads].Launches, 5u);
    // in[-1] and in[100] are outside of the object.
    expectEqual(O.Kinds[Reads].Total, 5.0 * (2 * 100 - 2));
    expectEqual(O.Kinds[Reads].Min, 1);
    expectEqual(O.Kinds[Reads].Max, 2);
    EXPECT_EQ(O.Kinds[Writes].Launches, 5u);
    expectEqual(O.Kinds[Writes].Mean, 1);
    ASSERT_EQ(O.Counts.size(), 3u);
    EXPECT_EQ(O.Counts[1].First, 1u);
    EXPECT_EQ(O.Counts[1].Last, 98u);
    EXPECT_EQ(O.Counts[1].Accesses, (std::array<double, 3>{10, 5, 0}));
  }
  EXPECT_EQ(Use.Outside, 20u);
}

TEST(GlobalMemoryUse, CountersAndFormsAddUp) {
  // x[i] has a form, x[col[i]] has none; the pointer points to element 2 of the object.
  HandMadeGlobal H;
  uint32_t X = H.variable("x");
  H.form(X, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  H.site(X, GMPROF_ACCESS_LOAD, 8);
  uint64_t O = H.object("", 24);
  profile::GlobalContext &C = H.launches(2, 1, 32, {O}, {0, 0, 4});
  C.Offsets[0] = 8;
  C.LaunchesCounted = 2;
  C.Blocks = 2;
  C.Threads = 64;
  C.Outside = 3;
  C.CounterBytes = 24;
  C.ObjectBytes = 24;
  H.counts(O, Reads, {5, 0, 0, 1, 0, 0}, {}, 2);
  profile::GlobalCounts &Second = H.counts(O, Reads, {6, 7});
  Second.FirstElement = 4;
  KernelGlobalUse Use = onlyUse(H.P);
  EXPECT_EQ(Use.Outside, 3u);
  EXPECT_EQ(Use.CounterBytes, 24u);
  EXPECT_EQ(Use.ObjectBytes, 24u);
  EXPECT_EQ(Use.Blocks, 2u);
  EXPECT_EQ(Use.BlocksLaunched, 2u);
  ASSERT_EQ(Use.Objects.size(), 1u);
  const GlobalAccesses &A = Use.Objects[0].Kinds[Reads];
  expectEqual(A.Total, 5 + 1 + 6 + 7 + 8);
  EXPECT_EQ(A.ByClosedForms, 8);
  EXPECT_EQ(A.StandardError, 0);
  expectEqual(A.Max, 4.5);
  EXPECT_EQ(A.Touched, 5u);
  EXPECT_EQ(Use.Objects[0].Counts.size(), 5u);
}

TEST(GlobalMemoryUse, LaunchesThatTookTurnsAreScaled) {
  // Two of six launches had memory for the counters of x, four for those of y, and none for those
  // of z.
  HandMadeGlobal H;
  uint32_t X = H.variable("x"), Y = H.variable("y"), Z = H.variable("z");
  H.site(Z, GMPROF_ACCESS_LOAD, 8);
  H.site(X, GMPROF_ACCESS_LOAD, 8);
  H.site(Y, GMPROF_ACCESS_LOAD, 8);
  uint64_t XObject = H.object("", 8), YObject = H.object("", 8), ZObject = H.object("", 8);
  H.launches(6, 1, 32, {XObject, YObject, ZObject}, {0, 0, 4}).LaunchesCounted = 6;
  H.counts(XObject, Reads, {10, 4}, {}, 1);
  H.counts(XObject, Reads, {10, 0}, {}, 1);
  H.counts(YObject, Reads, {0, 4}, {}, 4);
  KernelGlobalUse Use = onlyUse(H.P);
  ASSERT_EQ(Use.Objects.size(), 3u);
  EXPECT_EQ(Use.Objects[2].Uncounted, "there was no device memory for its counters");
  expectEqual(Use.Objects[2].Kinds[Reads].Total, 0, /*AtLeast=*/true);
  expectEqual(Use.Objects[0].Kinds[Reads].Total, 60 + 12);
  expectEqual(Use.Objects[0].Kinds[Reads].Max, 10);
  expectEqual(Use.Objects[1].Kinds[Reads].Total, 6);
}

TEST(GlobalMemoryUse, FormsThatDoNotHoldAreNotAdded) {
  HandMadeGlobal H;
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, guardedIndex());
  uint64_t O = H.object("", 16);
  H.launches(1, 1, 32, {O}, {0, 0, 4}, /*ClosedForms=*/false);
  H.counts(O, Reads, {1, 1, 1, 1});
  KernelGlobalUse Use = onlyUse(H.P);
  EXPECT_EQ(Use.LaunchesWithForms, 0u);
  expectEqual(Use.Objects.at(0).Kinds[Reads].Total, 4);
  EXPECT_EQ(Use.Objects[0].Kinds[Reads].ByClosedForms, 0);
}

TEST(GlobalMemoryUse, SampledBlocksAreScaled) {
  // One block in 4 of 16 was counted; y has a closed form and needs no scaling.
  HandMadeGlobal H;
  uint32_t X = H.variable("x"), Y = H.variable("y");
  H.site(X, GMPROF_ACCESS_ATOMIC, 8);
  H.form(Y, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  uint64_t XObject = H.object("", 8), YObject = H.object("", 64 * 4);
  profile::GlobalContext &C = H.launches(1, 16, 4, {XObject, YObject}, {0, 0, 64});
  C.BlockSample = 4;
  C.LaunchesCounted = 1;
  C.Blocks = 4;
  H.counts(XObject, Atomics, {30, 10}).BlockSample = 4;
  // Two of these three launches are not profiled.
  profile::Launch Plain = H.P.Launches[0];
  Plain.Mode = log::LaunchMode::Plain;
  Plain.Context = 0;
  Plain.Times = 2;
  H.P.Launches.push_back(Plain);
  KernelGlobalUse Use = onlyUse(H.P);
  EXPECT_EQ(Use.BlockSample, 4u);
  EXPECT_EQ(Use.Blocks, 4u);
  EXPECT_EQ(Use.BlocksLaunched, 16u);
  const GlobalAccesses &A = Use.Objects.at(0).Kinds[Atomics];
  expectEqual(A.Total, 160);
  expectEqual(A.TotalEstimate, 480);
  // n = 4 of 16 blocks, n = 1 of 3 launches: 480 * sqrt(0.75 / 4 + (2 / 3) / 1)
  EXPECT_NEAR(A.StandardError, 480 * std::sqrt(0.1875 + 2.0 / 3), 1e-9);
  const GlobalAccesses &B = Use.Objects.at(1).Kinds[Reads];
  expectEqual(B.Total, 64);
  EXPECT_NEAR(B.StandardError, 192 * std::sqrt(2.0 / 3), 1e-9);
}

TEST(GlobalMemoryUse, ThresholdIsALowerBound) {
  HandMadeGlobal H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 8);
  uint64_t O = H.object("", 16);
  H.launches(2, 1, 32, {O});
  H.counts(O, Reads, {255, 255, 4, 0}, {1, 0, 0, 0}).Threshold = 255;
  H.counts(O, Reads, {0, 0, 4, 0}).Threshold = 255;
  const KernelGlobalUse Use = onlyUse(H.P);
  const GlobalAccesses &A = Use.Objects.at(0).Kinds[Reads];
  EXPECT_EQ(A.AtThreshold, 1u);
  expectEqual(A.Total, 518, true);
  expectEqual(A.Mean, 518.0 / 4 / 2, true);
  expectEqual(A.Max, 127.5, true);
  expectEqual(A.Min, 0);
  // 0, 4, 127.5, and elements at the threshold
  ASSERT_EQ(A.Histogram.front().Elements, 1u);
  EXPECT_TRUE(A.Histogram.back().AtThreshold);
  EXPECT_EQ(A.Histogram.back().From, 255);
  EXPECT_EQ(A.Histogram.back().Elements, 1u);
  ASSERT_EQ(Use.Objects[0].Counts.size(), 3u);
  EXPECT_TRUE(Use.Objects[0].Counts[0].AtThreshold);
  EXPECT_FALSE(Use.Objects[0].Counts[1].AtThreshold);
}

TEST(GlobalMemoryUse, StatesUnknownParts) {
  HandMadeGlobal H;
  uint32_t X = H.variable("x");
  H.form(X, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  uint32_t Skipped = H.site(X, GMPROF_ACCESS_STORE, 8, GMPROF_RULE_SKIPPED);
  H.desc().Sites[Skipped].GlobalReason = "inline assembly";
  uint64_t O = H.object("", 16);
  H.launches(1, 1, 4, {O}, {0, 0, 4});
  KernelGlobalUse Use = onlyUse(H.P);
  EXPECT_EQ(Use.Objects.at(0).Uncounted, "inline assembly");
  expectEqual(Use.Objects[0].Kinds[Reads].Total, 4, true);
  // Counts for elements beyond the object.
  H.counts(O, Writes, {1, 1, 1, 1, 1});
  EXPECT_EQ(onlyUse(H.P).Objects.at(0).Uncounted,
            "some counts are of elements that the object does not have");
  // A pointer to no known object.
  H.P.Global.clear();
  H.P.GlobalContexts[0].Objects[0] = 0;
  Use = onlyUse(H.P);
  EXPECT_TRUE(Use.Objects.empty());
  EXPECT_EQ(Use.Outside, 4u);
}

TEST(GlobalMemoryUse, HugeObjectsThatAreHardlyTouched) {
  // 2^36 elements: some at the front accessed by closed form, one far behind counted.
  HandMadeGlobal H;
  uint32_t X = H.variable("x");
  H.form(X, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  H.site(X, GMPROF_ACCESS_LOAD, 8);
  constexpr uint64_t N = uint64_t(1) << 36;
  uint64_t O = H.object("", N * 4);
  H.launches(1, 1, 32, {O}, {0, 0, 20});
  H.counts(O, Reads, {3}).FirstElement = N - 5;
  const KernelGlobalUse Use = onlyUse(H.P);
  const GlobalObjectUse &U = Use.Objects.at(0);
  expectEqual(U.Kinds[Reads].Total, 23);
  expectEqual(U.Kinds[Reads].Min, 0);
  expectEqual(U.Kinds[Reads].Max, 3);
  EXPECT_EQ(U.Touched, 21u);
  EXPECT_EQ(U.Kinds[Reads].Histogram.at(0).Elements, N - 21);
  ASSERT_EQ(U.Counts.size(), 2u);
  EXPECT_EQ(U.Counts[0].Last, 19u);
  EXPECT_EQ(U.Counts[1].First, N - 5);
}

TEST(GlobalMemoryUse, WindowsOfALargeObject) {
  // 2.5 million elements, read once except for the last of each million.
  HandMadeGlobal H;
  uint32_t X = H.variable("x");
  H.form(X, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  H.site(X, GMPROF_ACCESS_LOAD, 8);
  constexpr uint64_t N = 2500000;
  uint64_t O = H.object("", N * 4);
  H.launches(1, 10000, 250, {O}, {0, 0, N});
  std::vector<uint64_t> Sums(N);
  Sums[999999] = Sums[1999999] = 1;
  H.counts(O, Reads, Sums);
  const KernelGlobalUse Use = onlyUse(H.P);
  const GlobalObjectUse &U = Use.Objects.at(0);
  expectEqual(U.Kinds[Reads].Total, N + 2);
  EXPECT_EQ(U.Touched, N);
  ASSERT_EQ(U.Counts.size(), 5u);
  EXPECT_EQ(U.Counts[2].First, 1000000u);
  EXPECT_EQ(U.Counts[2].Last, 1999998u);
  EXPECT_EQ(U.Counts[3].Accesses[Reads], 2);
}

TEST(GlobalMemoryUse, LargeObjectsAreTheSameForAnyNumberOfThreads) {
  // 1 GiB: a closed form reads each element once; counters of every second block add 0, 1 or 2
  // accesses around element 2^23, where a stretch ends; the last five elements reach the threshold.
  HandMadeGlobal H;
  uint32_t X = H.variable("x");
  H.form(X, GMPROF_ACCESS_LOAD, 7, guardedIndex());
  H.site(X, GMPROF_ACCESS_LOAD, 8);
  constexpr uint64_t N = uint64_t(1) << 28, Border = uint64_t(1) << 23, Around = 99'999;
  uint64_t O = H.object("", N * 4);
  profile::GlobalContext &C = H.launches(1, N / 256, 256, {O}, {0, 0, N});
  C.LaunchesCounted = 1;
  C.BlockSample = 2;
  C.Blocks = N / 256 / 2;
  std::vector<uint64_t> Sums(2 * Around);
  for (size_t I = 0; I < Sums.size(); ++I)
    Sums[I] = (I + 1) % 3; // 1 2 0 1 2 0 …
  const auto Count = [&](uint64_t First, const std::vector<uint64_t> &Of,
                         const std::vector<uint32_t> &Capped) {
    profile::GlobalCounts &R = H.counts(O, Reads, Of, Capped, First == N - 5 ? 1 : 0);
    R.FirstElement = First;
    R.BlockSample = 2;
    R.Threshold = 7;
  };
  Count(N - 5, std::vector<uint64_t>(5, 7), std::vector<uint32_t>(5, 1));
  Count(Border - Around, Sums, {});
  for (size_t Threads : {1, 2, 8}) {
    const std::vector<KernelGlobalUse> Uses = globalMemoryUse(H.P, Threads);
    const GlobalObjectUse &U = Uses.at(0).Objects.at(0);
    EXPECT_EQ(U.Touched, N);
    expectEqual(U.Kinds[Reads].Total, double(N + 2 * 2 * Around + 2 * 5 * 7), true);
    EXPECT_EQ(U.Kinds[Reads].ByClosedForms, double(N));
    EXPECT_EQ(U.Kinds[Reads].AtThreshold, 5u);
    expectEqual(U.Kinds[Reads].Min, 1);
    expectEqual(U.Kinds[Reads].Max, 15, true);
    ASSERT_EQ(U.Kinds[Reads].Histogram.size(),
              5u); // 0, 1, 2 to 4 (3), 4 to 8 (5), at the threshold
    EXPECT_EQ(U.Kinds[Reads].Histogram[1].Elements, N - 5 - 2 * (2 * Around / 3));
    EXPECT_EQ(U.Kinds[Reads].Histogram[2].Elements, 2 * Around / 3);
    EXPECT_EQ(U.Kinds[Reads].Histogram[3].Elements, 2 * Around / 3);
    EXPECT_EQ(U.Kinds[Reads].Histogram[4].Elements, 5u);
    EXPECT_TRUE(U.CountsOmitted);
    ASSERT_EQ(U.Counts.size(), MaxRuns);
    EXPECT_EQ(U.Counts[0].Last, Border - Around - 1);
    EXPECT_EQ(U.Counts[MaxRuns - 1].First, Border - Around + MaxRuns - 2);
  }
  // The same with scales that are not exact in binary.
  H.P.GlobalContexts[0].Blocks = 350'001;
  const auto Numbers = [&](size_t Threads) {
    return numbersOf(globalMemoryUse(H.P, Threads).at(0).Objects.at(0));
  };
  const std::string OfOne = Numbers(1);
  EXPECT_EQ(Numbers(2), OfOne);
  EXPECT_EQ(Numbers(8), OfOne);
}

TEST(GlobalMemoryUse, DamageAnywhereInALargeObjectIsReported) {
  HandMadeGlobal H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 8);
  constexpr uint64_t N = uint64_t(1) << 28;
  uint64_t O = H.object("", N * 4);
  H.launches(1, 1, 32, {O});
  H.counts(O, Reads, {3});
  profile::GlobalCounts &Last = H.counts(O, Reads, {1});
  Last.FirstElement = N - 1;
  Last.Compressed.pop_back();
  for (size_t Threads : {1, 2, 8}) {
    const std::vector<KernelGlobalUse> Uses = globalMemoryUse(H.P, Threads);
    const GlobalObjectUse &U = Uses.at(0).Objects.at(0);
    EXPECT_EQ(U.Uncounted, "some counts are damaged");
    EXPECT_EQ(U.Touched, 1u);
    expectEqual(U.Kinds[Reads].Total, 3, true);
  }
}

TEST(GlobalMemoryUse, CountsOfLargerElementsAreOfAllTheirParts) {
  // Two launches count x in 4-byte elements, one in 8-byte elements; x has 20 bytes.
  HandMadeGlobal H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 8);
  uint64_t O = H.object("", 20);
  H.launches(1, 1, 32, {O});
  H.counts(O, Reads, {1, 2, 3, 4, 5});
  H.counts(O, Reads, {10, 20, 30}).ElementShift = 3;
  const KernelGlobalUse Use = onlyUse(H.P);
  const GlobalObjectUse &U = Use.Objects.at(0);
  EXPECT_EQ(U.ElementBytes, 4u);
  EXPECT_EQ(U.Uncounted, "");
  ASSERT_EQ(U.Counts.size(), 5u);
  for (size_t E = 0; E < 5; ++E)
    EXPECT_EQ(U.Counts[E].Accesses[Reads], (std::array{11, 12, 23, 24, 35}[E]));
}

TEST(GlobalMemoryUse, ManyElementsOfDifferentCounts) {
  // Reads at scattered addresses, in one record and, from the middle on, in a second one; writes to
  // single elements; and x[i] by a closed form in the first quarter.
  constexpr uint32_t Elements = 400000, Launches = 4;
  HandMadeGlobal H;
  uint32_t X = H.variable("x");
  H.site(X, GMPROF_ACCESS_LOAD, 7);
  H.site(X, GMPROF_ACCESS_STORE, 8);
  H.form(X, GMPROF_ACCESS_LOAD, 9, guardedIndex());
  uint64_t Object = H.object("", 4 * Elements);
  H.launches(Launches, Elements / 4 / 100, 100, {Object}, {0, 0, Elements / 4});
  H.P.GlobalContexts[0].LaunchesCounted = Launches;
  H.P.GlobalContexts[0].Blocks = uint64_t(Launches) * Elements / 4 / 100;
  std::vector<uint64_t> Read(Elements), ReadLater(Elements / 2), Written(Elements);
  std::array<uint64_t, 16> ByReads = {};
  uint64_t Touched = 0, AllReads = 0, AllWrites = 0, ElementsWritten = 0;
  for (uint32_t I = 0; I < Elements; ++I) {
    const uint32_t Random = I * 2654435761u ^ (I * 2654435761u) >> 13;
    Read[I] = Random >> 20 & 7;
    if (I >= Elements / 2)
      ReadLater[I - Elements / 2] = 3;
    Written[I] = I % 50000 == 0 ? 1000 : 0;
    const uint64_t Reads =
        Read[I] + (I >= Elements / 2 ? 3 : 0) + (I < Elements / 4 ? Launches : 0);
    ++ByReads[Reads];
    AllReads += Reads;
    AllWrites += Written[I];
    ElementsWritten += Written[I] != 0;
    Touched += Reads != 0 || Written[I] != 0;
  }
  H.counts(Object, Reads, Read, {}, Launches);
  H.counts(Object, Reads, ReadLater).FirstElement = Elements / 2;
  H.counts(Object, Writes, Written, {}, Launches);
  KernelGlobalUse Use = onlyUse(H.P);
  ASSERT_EQ(Use.Objects.size(), 1u);
  const GlobalObjectUse &O = Use.Objects[0];
  EXPECT_TRUE(O.CountsOmitted);
  EXPECT_EQ(O.Counts.size(), MaxRuns);
  EXPECT_EQ(O.Touched, Touched);
  expectEqual(O.Kinds[Reads].Total, static_cast<double>(AllReads));
  EXPECT_EQ(O.Kinds[Reads].ByClosedForms, Elements / 4 * Launches);
  EXPECT_EQ(O.Kinds[Reads].Touched, Elements - ByReads[0]);
  expectEqual(O.Kinds[Reads].Min, 0);
  expectEqual(O.Kinds[Reads].Max, 11.0 / Launches);
  expectEqual(O.Kinds[Writes].Total, static_cast<double>(AllWrites));
  EXPECT_EQ(O.Kinds[Writes].Touched, ElementsWritten);
  expectEqual(O.Kinds[Writes].Max, 1000.0 / Launches);
  // Per launch: 0, below 1, 1 to 2, 2 to 4.
  const auto Sum = [&](size_t First, size_t Last) {
    return std::accumulate(ByReads.begin() + First, ByReads.begin() + Last + 1, uint64_t(0));
  };
  ASSERT_EQ(O.Kinds[Reads].Histogram.size(), 4u);
  EXPECT_EQ(O.Kinds[Reads].Histogram[0].Elements, ByReads[0]);
  EXPECT_EQ(O.Kinds[Reads].Histogram[1].Elements, Sum(1, 3));
  EXPECT_EQ(O.Kinds[Reads].Histogram[2].Elements, Sum(4, 7));
  EXPECT_EQ(O.Kinds[Reads].Histogram[3].Elements, Sum(8, 15));
}
