//===- ElementUseTest.cpp - Use of objects' elements ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandMadeElements.h"
#include <cmath>

using namespace gmprof;
using namespace gmprof::test;

static constexpr auto Reads = GMPROF_COUNTER_READS;
using Slices = std::vector<AccessSlice>;

TEST(ElementUse, ByClosedForms) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, fromParameter());
  uint32_t X = H.allocate(400);
  H.launch(X, 32, 10); // elements 10 to 41
  H.launch(X, 32, 60); // elements 60 to 91
  ElementUse U = H.onlyUse();
  EXPECT_EQ(U.Object, X);
  EXPECT_EQ(U.Elements, 100u);
  EXPECT_EQ(U.Accessed, 64u);
  EXPECT_EQ(U.Gaps, 3u);
  EXPECT_EQ(U.LargestGap, (ElementRun{42, 18}));
  EXPECT_DOUBLE_EQ(U.fragmentation(), 0.5);
  EXPECT_EQ(U.Unseen, "");
  EXPECT_FALSE(U.Sampled);
  EXPECT_EQ(U.Launches, 2u);
  EXPECT_EQ(U.LaunchesProfiled, 2u);
  EXPECT_EQ(U.Slices, (Slices{{1, 1, 32}, {2, 2, 32}}));
  ASSERT_EQ(U.Frequencies.size(), 1u);
  EXPECT_EQ(U.Frequencies[0].Variation.Value, 0);
  EXPECT_EQ(U.Frequencies[0].Elements, 32u);
  ASSERT_EQ(U.OfSlices.size(), 1u);
  EXPECT_EQ(U.OfSlices[0].Slices, 2u);
  EXPECT_EQ(U.OfSlices[0].Variation.Value, 0);
}

// Copies use the data they read, not the data they write. For slices, both count.
TEST(ElementUse, CopiesUseTheElementsTheyRead) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_STORE, 7, fromParameter());
  uint32_t X = H.allocate(400);
  H.T.copyTo(X);
  H.launch(X, 10, 0);
  EXPECT_EQ(H.onlyUse().Accessed, 10u);
  EXPECT_EQ(H.onlyUse().Slices, (Slices{{1, 2, 100}}));
  H.T.Apis.back().Kind = profile::ApiKind::Launch;
  H.T.copyFrom(X);
  H.T.Apis.back().Accesses[0].Offset = 200;
  H.T.Apis.back().Accesses[0].Bytes = 41; // the last byte is in element 60
  EXPECT_EQ(H.onlyUse().Accessed, 21u);
}

TEST(ElementUse, ObjectsWithoutKernelsAreLeftOut) {
  HandMadeElements H;
  H.variable("x");
  uint32_t X = H.allocate(400);
  H.T.copyFrom(X);
  EXPECT_TRUE(H.uses().empty());
}

TEST(ElementUse, CountsOfOneLaunchAndClosedFormsAddUp) {
  // Elements 0 to 3 are stored once, and loaded as often as the data demands.
  HandMadeElements H;
  uint32_t V = H.variable("x");
  H.form(V, GMPROF_ACCESS_STORE, 7, fromParameter());
  H.site(V, GMPROF_ACCESS_LOAD, 8);
  uint32_t X = H.allocate(24);
  const uint64_t Context = H.launch(X, 4, 0).Context;
  H.counts(1, Reads, {4, 0, 0, 4, 5}).Context = Context;
  ElementUse U = H.onlyUse();
  EXPECT_EQ(U.Accessed, 5u);
  EXPECT_EQ(U.LargestGap, (ElementRun{5, 1}));
  ASSERT_EQ(U.Frequencies.size(), 1u);
  const ElementFrequencies &F = U.Frequencies[0]; // 5 1 1 5 5
  EXPECT_EQ(F.Elements, 5u);
  EXPECT_DOUBLE_EQ(F.Mean.Value, 3.4);
  EXPECT_EQ(F.Min, 1);
  EXPECT_EQ(F.Max.Value, 5);
  EXPECT_DOUBLE_EQ(F.Variation.Value, std::sqrt(3.84) / 3.4);
  EXPECT_EQ(U.Sampled, false);
  EXPECT_EQ(U.Unseen, "");
}

TEST(ElementUse, ThresholdsMakeLowerBounds) {
  HandMadeElements H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 8);
  uint32_t X = H.allocate(16);
  const uint64_t Context = H.launch(X, 4, 0, false).Context;
  H.counts(1, Reads, {192, 192, 1, 1}, {1, 1, 0, 0}).Context = Context;
  ElementUse U = H.onlyUse();
  ASSERT_EQ(U.Frequencies.size(), 1u);
  EXPECT_TRUE(U.Frequencies[0].Variation.AtLeast);
  EXPECT_DOUBLE_EQ(U.Frequencies[0].Variation.Value, 95.5 / 96.5);
}

TEST(ElementUse, CountsOfSeveralContextsSayNothingOfOneLaunch) {
  HandMadeElements H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 8);
  uint32_t X = H.allocate(16);
  H.launch(X, 4, 0, false);
  H.launch(X, 4, 0, false);
  H.counts(1, Reads, {1, 1, 0, 0}, {}, 1);
  H.counts(1, Reads, {0, 0, 1, 1}, {}, 1);
  ElementUse U = H.onlyUse();
  EXPECT_EQ(U.Accessed, 4u);
  EXPECT_TRUE(U.Frequencies.empty());
  EXPECT_EQ(U.Slices, (Slices{{1, 2, 4}})); // each launch may have accessed any of them
  // Launches with contexts form two slices.
  H.P.Global[0].Context = 1;
  H.P.Global[1].Context = 2;
  U = H.onlyUse();
  EXPECT_EQ(U.Slices, (Slices{{1, 1, 2}, {2, 2, 2}}));
  EXPECT_EQ(U.Frequencies.size(), 1u);
}

TEST(ElementUse, WiderCountersCoverSeveralElements) {
  HandMadeElements H;
  uint32_t V = H.variable("x");
  H.form(V, GMPROF_ACCESS_STORE, 7, fromParameter());
  H.site(V, GMPROF_ACCESS_LOAD, 8);
  uint32_t X = H.allocate(40);
  const uint64_t Context = H.launch(X, 1, 9).Context;
  profile::GlobalCounts &C = H.counts(1, Reads, {0, 1, 0});
  C.Context = Context;
  C.ElementShift = 3;
  EXPECT_EQ(H.onlyUse().Accessed, 3u); // elements 2, 3 and 9
}

// Definition 3.9 applies to one API: launches that access different, overlapping parts are each
// even.
TEST(ElementUse, LaunchesAreNotAddedUp) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, fromParameter());
  uint32_t X = H.allocate(400);
  for (uint32_t I = 0; I < 10; ++I)
    H.launch(X, 100 - I, I);
  ElementUse U = H.onlyUse();
  ASSERT_EQ(U.Frequencies.size(), 1u);
  EXPECT_EQ(U.Frequencies[0].Variation.Value, 0);
  EXPECT_EQ(U.Slices.size(), 1u);
}

// Each row of a triangle is summed over j: column k is read by k + 1 threads.
TEST(ElementUse, LaunchesThatAccessTheSameAreLookedAtOnce) {
  HandMadeElements H;
  uint32_t V = H.variable("x");
  H.site(V, GMPROF_ACCESS_LOAD, 7);
  H.form(V, GMPROF_ACCESS_LOAD, 8, fromParameter());
  uint32_t X = H.allocate(16);
  const auto Launch = [&](int64_t Form, const std::vector<uint64_t> &Counted) {
    const uint64_t Context = H.launch(X, 2, Form).Context;
    H.counts(H.T.Objects[X].Id, Reads, Counted).Context = Context;
  };
  Launch(0, {1, 1, 2, 2});
  Launch(0, {1, 1, 2, 2});
  Launch(2, {1, 1, 2, 2}); // 1 1 3 3, by the closed form
  Launch(0, {1, 1, 2, 8}); // 2 2 2 8, by the counts
  Launch(0, {1, 1, 2, 8});
  ElementUse U = H.onlyUse();
  ASSERT_EQ(U.Frequencies.size(), 1u);
  EXPECT_EQ(U.Frequencies[0].Api, 4u); // the first of equal ones
  EXPECT_EQ(U.Frequencies[0].Max.Value, 8);
  EXPECT_DOUBLE_EQ(U.Frequencies[0].Variation.Value, std::sqrt(6.75) / 3.5);
}

TEST(ElementUse, TriangularAccessIsUneven) {
  HandMadeElements H;
  ClosedForm F; // x[j], for j from 0 to the thread's index
  F.Loops = 1;
  F.Address = {{4, {loop(0)}}};
  F.Constraints = {{0, {{1, {TidX}}, {-1, {loop(0)}}}}};
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, F);
  H.launch(H.allocate(4 * 64), 64, 0);
  ElementUse U = H.onlyUse();
  ASSERT_EQ(U.Frequencies.size(), 1u);
  // 64, 63, … 1: mean 32.5, variance (64^2 - 1) / 12
  EXPECT_DOUBLE_EQ(U.Frequencies[0].Variation.Value, std::sqrt(4095.0 / 12) / 32.5);
  EXPECT_EQ(U.Frequencies[0].Max.Value, 64);
  EXPECT_EQ(U.Accessed, 64u);
}

// The border of a grid is read less often; a larger grid is more even.
TEST(ElementUse, BordersOfAStencilAreEvenEnough) {
  HandMadeElements H;
  uint32_t V = H.variable("x");
  for (int64_t Shift : {-1, 0, 1}) {
    ClosedForm F;
    F.Address = plus(scaled(globalIndex(), 4), {{4 * (Shift + 1), {}}});
    H.form(V, GMPROF_ACCESS_LOAD, 7, F);
  }
  H.launch(H.allocate(4 * 1026), 1024, 0);
  ElementUse U = H.onlyUse();
  ASSERT_EQ(U.Frequencies.size(), 1u);
  EXPECT_GT(U.Frequencies[0].Variation.Value, 0.03);
  EXPECT_LT(U.Frequencies[0].Variation.Value, 0.05); // 1 2 3 3 … 3 2 1
  EXPECT_EQ(U.Accessed, 1026u);
}

TEST(ElementUse, SlicesOfSeveralStreamsMayBeUsedAtTheSameTime) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_LOAD, 7, fromParameter());
  uint32_t X = H.allocate(400);
  for (int I = 0; I < 2; ++I) {
    H.launches(1, 1, 50, {1}, {0, 0, 50 * I}).LaunchesCounted = 1;
    H.call(X, 1 + uint64_t(I));
  }
  EXPECT_TRUE(H.onlyUse().Slices.empty());
}

// Each of 10,000 launches stores a slice of 256 MiB.
TEST(ElementUse, ManyLaunchesOnALargeObject) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_STORE, 7, [] {
    ClosedForm F; // x[6000 * parameter 2 + i]
    F.Address = scaled(plus(globalIndex(), {{6000, {parameter(2)}}}), 4);
    return F;
  }());
  uint32_t X = H.allocate(uint64_t(256) << 20);
  for (int64_t I = 0; I < 10000; ++I) {
    H.launches(1, 6, 1000, {1}, {0, 0, I}).LaunchesCounted = 1;
    H.call(X);
  }
  ElementUse U = H.onlyUse();
  EXPECT_EQ(U.Accessed, 60000000u);
  EXPECT_EQ(U.LargestGap, (ElementRun{60000000, 7108864}));
  ASSERT_EQ(U.Slices.size(), 10000u);
  EXPECT_EQ(U.Slices[9999].Elements, 6000u);
}

// Two launches on 512 MiB, each of which accesses one of 4096 elements by closed form, and counted
// elements: the first launch around element 2^23, where a stretch ends, the second the last three
// elements.
TEST(ElementUse, LargeObjectsAreTheSameForAnyNumberOfThreads) {
  constexpr uint64_t Elements = uint64_t(1) << 27, Border = uint64_t(1) << 23;
  HandMadeElements H;
  const uint32_t V = H.variable("x");
  H.site(V, GMPROF_ACCESS_LOAD, 7);
  ClosedForm F; // x[4096 * i + parameter 2]
  F.Address = scaled(plus(scaled(globalIndex(), 4096), {{1, {parameter(2)}}}), 4);
  H.form(V, GMPROF_ACCESS_LOAD, 8, F);
  const uint32_t X = H.allocate(4 * Elements);
  const auto Launch = [&](int64_t Form, uint64_t First, const std::vector<uint64_t> &Sums) {
    profile::GlobalContext &C =
        H.launches(1, Elements / 4096 / 1024, 1024, {H.T.Objects[X].Id}, {0, 0, Form});
    C.LaunchesCounted = 1;
    H.call(X);
    profile::GlobalCounts &R = H.counts(H.T.Objects[X].Id, Reads, Sums);
    R.FirstElement = First;
    R.Context = C.Context;
  };
  std::vector<uint64_t> OneAndThree(2000);
  for (size_t I = 0; I < OneAndThree.size(); ++I)
    OneAndThree[I] = I % 2 == 0 ? 1 : 3;
  Launch(0, Border - 1000, OneAndThree); // the form accesses 2^23 too
  Launch(2000, Elements - 3, {5, 5, 5});
  constexpr uint64_t ByForm = Elements / 4096;
  constexpr uint64_t First = ByForm + 1999, Second = ByForm + 3;
  for (size_t Threads : {1, 2, 8}) {
    const ElementUse U = H.onlyUse(Threads);
    EXPECT_EQ(U.Accessed, First + Second);
    // After each form access except 2^23, and after the counted elements there.
    EXPECT_EQ(U.Gaps, 2 * ByForm);
    EXPECT_EQ(U.LargestGap, (ElementRun{2001, 2095}));
    EXPECT_EQ(U.Slices, (Slices{{1, 1, First}, {2, 2, Second}}));
    EXPECT_EQ(U.Unseen, "");
    // For the first launch: 1, but 3 for 1000 elements and 2 for one.
    ASSERT_EQ(U.Frequencies.size(), 1u);
    EXPECT_EQ(U.Frequencies[0].Api, 1u);
    EXPECT_EQ(U.Frequencies[0].Elements, First);
    EXPECT_EQ(U.Frequencies[0].Max.Value, 3);
    const double Sum = First + 2 * 1000 + 1, Squares = First + 8 * 1000 + 3;
    EXPECT_DOUBLE_EQ(U.Frequencies[0].Mean.Value, Sum / First);
    EXPECT_DOUBLE_EQ(U.Frequencies[0].Variation.Value,
                     std::sqrt(First * Squares / (Sum * Sum) - 1));
    ASSERT_EQ(U.OfSlices.size(), 1u);
    const double OfSecond = Second + 4 * 3;
    EXPECT_NEAR(U.OfSlices[0].Variation.Value, (Sum - OfSecond) / (Sum + OfSecond), 1e-12);
  }
}

TEST(ElementUse, DamageAnywhereInALargeObjectIsReported) {
  HandMadeElements H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 7);
  const uint32_t X = H.allocate(uint64_t(512) << 20);
  H.launch(X, 32, 0);
  const uint64_t Context = H.P.GlobalContexts.back().Context;
  for (uint64_t I = 0; I < 100; ++I) {
    profile::GlobalCounts &R = H.counts(H.T.Objects[X].Id, Reads, {1, 0, 1}, {}, I == 0 ? 1 : 0);
    R.FirstElement = I << 20;
    R.Context = Context;
  }
  for (bool Damaged : {false, true})
    for (size_t Threads : {1, 2, 8}) {
      H.P.Global[70].Compressed.resize(H.P.Global[70].Compressed.size() - (Damaged ? 1 : 0));
      const ElementUse U = H.onlyUse(Threads);
      EXPECT_EQ(U.Accessed, Damaged ? 198u : 200u);
      EXPECT_EQ(U.Unseen, Damaged ? "some counts are damaged" : "");
    }
}

// Records with too many runs are read again for slices.
TEST(ElementUse, SlicesOfManyRuns) {
  constexpr uint64_t Elements = 2'000'000;
  HandMadeElements H;
  H.site(H.variable("x"), GMPROF_ACCESS_LOAD, 7);
  const uint32_t X = H.allocate(4 * Elements);
  std::vector<uint64_t> Sums(Elements / 2);
  for (size_t I = 0; I < Sums.size(); I += 2)
    Sums[I] = 1;
  const auto Launch = [&](uint64_t First, const std::vector<uint64_t> &Of) {
    const uint64_t Context = H.launch(X, 32, 0).Context;
    profile::GlobalCounts &R = H.counts(H.T.Objects[X].Id, Reads, Of);
    R.FirstElement = First;
    R.Context = Context;
  };
  Launch(0, Sums);
  Launch(Elements / 2, std::vector<uint64_t>(Elements / 2, 3));
  const auto Expected = Slices{{1, 1, Elements / 4}, {2, 2, Elements / 2}};
  EXPECT_EQ(H.onlyUse().Slices, Expected);
  // 500,000 runs are more than half of the limit.
  Launch(Elements - 1, {3});
  EXPECT_EQ(H.onlyUse().Slices, (Slices{{1, 1, Elements / 4}, {2, 3, Elements / 2}}));
  const double Early = 0.25 * Elements, Late = 1.5 * Elements + 3;
  EXPECT_DOUBLE_EQ(H.onlyUse().OfSlices.at(0).Variation.Value, (Late - Early) / (Late + Early));
  for (int I = 0; I < 2; ++I)
    Launch(0, Sums);
  EXPECT_TRUE(H.onlyUse().Slices.empty()); // 1,500,002 runs
}

// Many objects, each alive for one launch.
TEST(ElementUse, ManyObjects) {
  HandMadeElements H;
  H.form(H.variable("x"), GMPROF_ACCESS_STORE, 7, fromParameter());
  constexpr uint32_t Number = 20000;
  for (uint32_t I = 0; I < Number; ++I) {
    const uint32_t X = H.allocate(400);
    H.launch(X, 10 + I % 50, 0);
    H.T.release(X);
  }
  const std::vector<ElementUse> Uses = H.uses();
  ASSERT_EQ(Uses.size(), Number);
  EXPECT_EQ(Uses[Number - 1].Accessed, 10u + (Number - 1) % 50);
  EXPECT_EQ(Uses[Number - 1].Launches, 1u);
  EXPECT_EQ(Uses[Number - 1].Unseen, "");
}
