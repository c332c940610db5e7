//===- ElementCountsTest.cpp ----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ElementCounts.h"
#include <gtest/gtest.h>
#include <random>

using namespace gmprof;

using Counts = std::vector<uint64_t>;

/// Counts access by access.
static Counts reference(const std::vector<Progression> &All, unsigned Bytes, uint64_t First,
                        uint64_t Count, unsigned Shift) {
  Counts C(Count);
  for (const Progression &P : All) {
    std::vector<uint64_t> At(P.Dimensions.size());
    for (bool More = true; More;) {
      int64_t Address = P.Base;
      for (size_t D = 0; D < At.size(); ++D)
        Address += P.Dimensions[D].Stride * static_cast<int64_t>(At[D]);
      for (int64_t E = Address >> Shift; E <= (Address + int64_t(Bytes) - 1) >> Shift; ++E)
        if (E >= static_cast<int64_t>(First) && E < static_cast<int64_t>(First + Count))
          C[static_cast<size_t>(E) - First] += P.Times;
      More = false;
      for (size_t D = 0; D < At.size() && !More; ++D) {
        More = ++At[D] < P.Dimensions[D].Extent;
        if (!More)
          At[D] = 0;
      }
    }
  }
  return C;
}

static Counts counts(const std::vector<Progression> &All, unsigned Bytes, uint64_t First,
                     uint64_t Count, unsigned Shift) {
  ElementCounts C(First, Count, Shift);
  for (const Progression &P : All)
    C.add(P, Bytes);
  return C.finish();
}

static std::vector<CountRun> runs(const std::vector<Progression> &All, unsigned Bytes,
                                  uint64_t First, uint64_t Count, unsigned Shift) {
  ElementCounts C(First, Count, Shift);
  for (const Progression &P : All)
    C.add(P, Bytes);
  return C.finishRuns();
}

static std::vector<CountRun> runsOf(const Counts &All) {
  std::vector<CountRun> Runs;
  for (uint64_t Times : All) {
    if (Runs.empty() || Runs.back().Times != Times)
      Runs.push_back({0, Times});
    ++Runs.back().Elements;
  }
  return Runs;
}

TEST(ElementCounts, ManyOverlappingProgressions) {
  // Long progressions with equal strides share passes; short ones are added directly.
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Random(Seed);
    const auto Number = [&](int64_t Low, int64_t High) {
      return std::uniform_int_distribution<int64_t>(Low, High)(Random);
    };
    std::vector<Progression> All;
    for (int64_t Group = Number(1, 3); Group > 0; --Group) {
      const int64_t Strides[] = {Number(1, 30), Number(-90, -1), Number(1, 300)};
      const auto Dimensions = static_cast<size_t>(Number(0, 3));
      for (int64_t N = Number(1, 30); N > 0; --N) {
        Progression P{Number(-100, 2000), {}, static_cast<uint64_t>(Number(1, 5))};
        for (size_t D = 0; D < Dimensions; ++D)
          P.Dimensions.push_back({Strides[D], static_cast<uint64_t>(Number(1, 20))});
        All.push_back(P);
      }
    }
    const auto Bytes = static_cast<unsigned>(Number(1, 16)), Shift = unsigned(Number(0, 4));
    const auto First = static_cast<uint64_t>(Number(0, 200)), Count = uint64_t(Number(1, 1000));
    const Counts Expected = reference(All, Bytes, First, Count, Shift);
    ASSERT_EQ(counts(All, Bytes, First, Count, Shift), Expected) << "seed " << Seed;
    ASSERT_EQ(runs(All, Bytes, First, Count, Shift), runsOf(Expected)) << "seed " << Seed;
  }
}

TEST(ElementCounts, WindowsOfAnObjectAreItsCounts) {
  // Rows of 100 of a matrix of 128 columns, seen through windows of 1000 elements.
  const Progression P{4 * 3, {{4, 100}, {512, 64}, {4, 7}}, 2};
  Counts Whole = counts({P}, 8, 0, 8192, 2), Parts;
  for (uint64_t First = 0; First < 8192; First += 1000) {
    Counts Part = counts({P}, 8, First, std::min<uint64_t>(1000, 8192 - First), 2);
    Parts.insert(Parts.end(), Part.begin(), Part.end());
  }
  EXPECT_EQ(Parts, Whole);
  EXPECT_EQ(Whole, reference({P}, 8, 0, 8192, 2));
}

TEST(ElementCounts, HugeExtentsCostNothing) {
  // Every 16th of 2^30 elements, 2^20 times each, through a window.
  const Progression P{0, {{64, uint64_t(1) << 26}}, uint64_t(1) << 20};
  ElementCounts C(uint64_t(1) << 29, 32, 2);
  C.add(P, 4, 3);
  EXPECT_EQ(C.total(), uint64_t(3) << 46);
  Counts Expected(32);
  Expected[0] = Expected[16] = uint64_t(3) << 20;
  EXPECT_EQ(C.finish(), Expected);
}

TEST(ElementCounts, FewRunsTakeNoMemoryForElements) {
  // 2^40 elements, of which the first 2^39 are read twice, and the last one once.
  constexpr uint64_t Elements = uint64_t(1) << 40;
  EXPECT_EQ(
      runs({{0, {{4, Elements / 2}}, 2}, {4 * int64_t(Elements - 1), {}, 1}}, 4, 0, Elements, 2),
      (std::vector<CountRun>{{Elements / 2, 2}, {Elements / 2 - 1, 0}, {1, 1}}));
}

TEST(ElementCounts, NothingAdded) { EXPECT_EQ(counts({}, 4, 0, 3, 2), Counts(3)); }
