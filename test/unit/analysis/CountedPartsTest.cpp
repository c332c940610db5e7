//===- CountedPartsTest.cpp - Reads an object's counts by windows ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/CountedParts.h"
#include <gtest/gtest.h>
#include <map>

using namespace gmprof;
using namespace gmprof::analysis;
using profile::GlobalCounts;

namespace {

GlobalCounts record(uint64_t First, const std::vector<uint64_t> &Sums, unsigned Shift = 2,
                    const std::vector<uint32_t> &Capped = {}) {
  GlobalCounts R;
  R.FirstElement = First;
  R.Elements = Sums.size();
  R.ElementShift = Shift;
  R.ThresholdReached = !Capped.empty();
  R.Compressed = compressCounts(Sums, Capped);
  return R;
}

/// Contents of a window: element, sum, and whether the sum reached the threshold.
using Seen = std::vector<std::tuple<uint64_t, uint64_t, bool>>;

/// The records must outlive the result.
CountedRecords sorted(std::initializer_list<std::pair<const GlobalCounts *, double>> Records,
                      uint64_t Elements) {
  CountedRecords All(Elements, 2);
  for (const auto &[R, Scale] : Records)
    EXPECT_TRUE(All.add(*R, Scale));
  All.sort();
  return All;
}

Seen seen(CountedParts &Of, uint64_t First, uint64_t End) {
  EXPECT_TRUE(Of.open(First, End));
  Seen All;
  for (const CountedPart *P : Of.opened()) {
    PartRuns Runs(*P);
    for (uint64_t E = First; E < End; ++E)
      if (const CountedAlike &Here = Runs.from(E); Here.Sum != 0)
        All.emplace_back(E, Here.Sum, Here.Capped);
  }
  return All;
}

TEST(CountedParts, AreOpenOnlyWhereTheWindowHasPart) {
  const GlobalCounts Late = record(25, {7, 8}), Early = record(8, {1, 2, 3, 4}, 2, {0, 0, 1, 0});
  const CountedRecords Records = sorted({{&Late, 1}, {&Early, 1}}, 40);
  ASSERT_EQ(Records.all().size(), 2u);
  EXPECT_EQ(Records.all()[0].Of, &Early);
  EXPECT_EQ(Records.all()[0].End, 12u);
  CountedParts Of(Records);
  EXPECT_EQ(seen(Of, 0, 10), (Seen{{8, 1, false}, {9, 2, false}}));
  EXPECT_EQ(seen(Of, 10, 20), (Seen{{10, 3, true}, {11, 4, false}})); // the rest of the record
  EXPECT_EQ(seen(Of, 20, 30), (Seen{{25, 7, false}, {26, 8, false}}));
  ASSERT_EQ(Of.opened().size(), 1u);
  EXPECT_EQ(Of.opened()[0]->Of, &Late);
  EXPECT_EQ(seen(Of, 30, 40), Seen());
  EXPECT_TRUE(Of.opened().empty());
}

TEST(CountedParts, AreReadFromAnyWindowOn) {
  // Short ends before Long, and Damaged before the window.
  const GlobalCounts Long = record(0, std::vector<uint64_t>(20, 3)), Short = record(2, {1, 2}),
                     Late = record(18, {4, 5, 6});
  GlobalCounts Damaged = record(1, {9});
  Damaged.Compressed.pop_back();
  const CountedRecords Records = sorted({{&Late, 1}, {&Short, 1}, {&Damaged, 1}, {&Long, 1}}, 30);
  EXPECT_EQ(Records.endingBehind(0), 0u);
  EXPECT_EQ(Records.endingBehind(19), 0u);
  EXPECT_EQ(Records.endingBehind(20), 3u);
  EXPECT_EQ(Records.endingBehind(21), 4u);
  CountedParts FromTen(Records, 10), FromTwenty(Records, 20), FromThree(Records, 3);
  EXPECT_EQ(seen(FromTen, 10, 12), (Seen{{10, 3, false}, {11, 3, false}}));
  EXPECT_EQ(seen(FromTen, 18, 20),
            (Seen{{18, 3, false}, {19, 3, false}, {18, 4, false}, {19, 5, false}}));
  EXPECT_EQ(seen(FromTwenty, 20, 30), (Seen{{20, 6, false}}));
  EXPECT_EQ(seen(FromThree, 3, 5), (Seen{{3, 3, false}, {4, 3, false}, {3, 2, false}}));
}

TEST(CountedParts, LargerElementsCountAllTheirParts) {
  // Elements of 16 bytes, four object elements each; the object ends within the last one.
  const GlobalCounts Wide = record(1, {5, 6}, 4);
  const CountedRecords Records = sorted({{&Wide, 2.5}}, 10);
  CountedParts Of(Records);
  EXPECT_EQ(seen(Of, 0, 6), (Seen{{4, 5, false}, {5, 5, false}}));
  EXPECT_EQ(seen(Of, 6, 10), (Seen{{6, 5, false}, {7, 5, false}, {8, 6, false}, {9, 6, false}}));
  EXPECT_EQ(Of.opened()[0]->Scale, 2.5);
}

TEST(CountedParts, ManyEqualPartsAreMerged) {
  const GlobalCounts Bytes = record(0, {1, 2, 3, 200}), Late = record(3, {100, 1}),
                     Words = record(2, {70'000, 0, 4}), Last = record(4, {5}),
                     Capped = record(1, {9}, 2, {1}), Wide = record(0, {6}, 4),
                     Large = record(0, {uint64_t(1) << 40});
  const auto Scales = [](const CountedParts &Of) {
    std::vector<double> Found;
    for (const CountedPart *P : Of.opened())
      Found.push_back(P->Scale);
    return Found;
  };
  const CountedRecords OfThree =
      sorted({{&Bytes, 1.5}, {&Late, 1.5}, {&Words, 1.5}, {&Last, 2}}, 6);
  CountedParts Three(OfThree);
  ASSERT_TRUE(Three.open(0, 6));
  EXPECT_EQ(Scales(Three), (std::vector{1.5, 1.5, 1.5, 2.0})); // three are too few to merge
  const CountedRecords OfFour =
      sorted({{&Bytes, 1.5}, {&Late, 1.5}, {&Words, 1.5}, {&Last, 1.5}}, 6);
  CountedParts Four(OfFour);
  EXPECT_EQ(seen(Four, 0, 3), // two begin in this window
            (Seen{{0, 1, false}, {1, 2, false}, {2, 3, false}, {2, 70'000, false}}));
  EXPECT_EQ(seen(Four, 3, 6), (Seen{{3, 300, false}, {4, 10, false}}));
  EXPECT_EQ(Scales(Four), (std::vector{1.5}));
  // Records with larger elements, with capped counts or with wide sums are not merged.
  const CountedRecords OfAll = sorted(
      {{&Bytes, 1}, {&Late, 1}, {&Words, 1}, {&Last, 1}, {&Capped, 1}, {&Wide, 1}, {&Large, 1}}, 6);
  CountedParts All(OfAll);
  EXPECT_EQ(seen(All, 1, 5), (Seen{{1, 6, false},
                                   {2, 6, false},
                                   {3, 6, false},
                                   {1, 9, true},
                                   {1, 2, false},
                                   {2, 70'003, false},
                                   {3, 300, false},
                                   {4, 10, false}}));
}

TEST(CountedParts, RefuseDamagedRecords) {
  const GlobalCounts Outside = record(9, {1, 2});
  GlobalCounts Damaged = record(3, {1, 2});
  Damaged.Compressed.pop_back();
  CountedRecords Records(10, 2);
  EXPECT_FALSE(Records.add(Outside));
  EXPECT_TRUE(Records.add(Damaged));
  Records.sort();
  CountedParts Of(Records);
  EXPECT_FALSE(Of.open(0, 10));
  EXPECT_TRUE(Of.opened().empty());
}

TEST(Alike, FindsTheDifferingPart) {
  std::vector<uint64_t> Sums(5000);
  for (size_t I = 0; I < Sums.size(); ++I)
    Sums[I] = I % 2;
  const GlobalCounts Each = record(100, Sums), Same = record(0, std::vector<uint64_t>(6000, 4)),
                     Capped = record(100, Sums, 2, std::vector<uint32_t>(5000)),
                     Wide = record(50, Sums, 3);
  for (const GlobalCounts *First : {&Each, &Capped, &Wide}) {
    const CountedRecords Records = sorted({{First, 1}, {&Same, 1}}, 10100);
    CountedParts Of(Records);
    ASSERT_TRUE(Of.open(0, 10100));
    std::vector<PartRuns> Parts;
    for (const CountedPart *P : Of.opened())
      Parts.emplace_back(*P);
    const auto At = [&](uint64_t E, uint64_t End) {
      Alike Here(E, End);
      for (PartRuns &P : Parts)
        Here.end(P.from(E).End, &P);
      return Here;
    };
    EXPECT_EQ(At(0, 6000).number(), 100u);
    EXPECT_EQ(At(0, 6000).varying(), nullptr); // the first 100 elements are constant
    const Alike Here = At(200, 6000);
    EXPECT_EQ(Here.number(), First == &Wide ? 2u : 1u);
    if (First != &Each) {
      EXPECT_EQ(Here.varying(), nullptr); // not a part of plain single-element sums
      continue;
    }
    ASSERT_NE(Here.varying(), nullptr);
    EXPECT_EQ(Here.varying()->from(200).Sum, 0u);
    EXPECT_EQ(Here.numberByOthers(), 4900u); // up to the end of the part
    EXPECT_EQ(At(201, 4000).numberByOthers(), 3799u);
    EXPECT_EQ(At(3100, 4000).varying(), nullptr); // only 900 elements
    std::map<uint64_t, uint64_t> Values;
    Here.varying()->forEachSum(201, 204,
                               [&](uint64_t Sum, uint64_t Number) { Values[Sum] += Number; });
    EXPECT_EQ(Values, (std::map<uint64_t, uint64_t>{{0, 1}, {1, 2}}));
  }
}

} // namespace
