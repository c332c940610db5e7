//===- ExpectedBenefitTest.cpp - Expected benefit of removing waits -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/ExpectedBenefit.h"
#include <gtest/gtest.h>

namespace gmprof::analysis {
namespace {

using enum CpuNodeKind;
constexpr auto Unnecessary = SyncProblem::UnnecessarySynchronization;
constexpr auto Misplaced = SyncProblem::MisplacedSynchronization;
constexpr auto Transfer = SyncProblem::UnnecessaryTransfer;
using Numbers = std::vector<uint64_t>;

CpuNode work(uint64_t Duration) { return {Work, Duration}; }
CpuNode launch(uint64_t Duration) { return {Launch, Duration}; }
CpuNode wait(uint64_t Duration) { return {Wait, Duration}; }
CpuNode needless(uint64_t Duration) { return {Wait, Duration, Unnecessary}; }

// Figure 4, first case: CWait0 takes 18; before the next wait the CPU works for 10 and launches for
// 8. The GPU can therefore be idle for 18, and the whole wait is saved.
TEST(ExpectedBenefit, LargeBenefit) {
  const CpuGraph G = {work(8), launch(2), needless(18), work(10), launch(8), wait(4), work(4)};
  EXPECT_EQ(expectedBenefit(G), (Numbers{0, 0, 18, 0, 0, 0, 0}));
}

// Figure 4, second case: the same wait, with only 1 and 2 before the next one, which takes the
// other 15 of the 18.
TEST(ExpectedBenefit, SmallBenefit) {
  CpuGraph G = {work(8), launch(2), needless(18), work(1), launch(2), wait(7), work(9)};
  EXPECT_EQ(expectedBenefit(G), (Numbers{0, 0, 3, 0, 0, 0, 0}));
  // The next wait then takes 7 + 15, of which its successor allows 9.
  G[5].Problem = Unnecessary;
  EXPECT_EQ(expectedBenefit(G), (Numbers{0, 0, 3, 0, 0, 9, 0}));
}

TEST(ExpectedBenefit, MovedWaitSavesTimeToFirstUse) {
  CpuGraph G = {launch(1), wait(20), work(50), wait(5)};
  G[1].Problem = Misplaced;
  G[1].FirstUse = 12;
  EXPECT_EQ(expectedBenefit(G), (Numbers{0, 12, 0, 0}));
  G[1].FirstUse = 50;
  EXPECT_EQ(expectedBenefit(G), (Numbers{0, 20, 0, 0}));
}

TEST(ExpectedBenefit, TransferSavesItsLaunch) {
  CpuGraph G = {launch(7), wait(3)};
  G[0].Problem = Transfer;
  EXPECT_EQ(expectedBenefit(G), (Numbers{7, 0}));
}

// Section 3.5.2: the unsaved time of the first wait is carried over the second one.
TEST(ExpectedBenefit, SequenceCarriesForward) {
  const CpuGraph G = {needless(18), work(3), needless(2), work(30), wait(1)};
  // 3 are saved before the second wait; 15 + 2 are carried, and fit into 30.
  EXPECT_EQ(sequenceBenefit(G, 0, 2), 20u);
  // Only the first wait is removed: the remaining wait takes the other 15.
  EXPECT_EQ(sequenceBenefit(G, 0, 0), 3u);
  // Single points carry nothing: 3, then min(30, 2 + 15).
  EXPECT_EQ(expectedBenefit(G), (Numbers{3, 0, 17, 0, 0}));
}

// Section 5.1, Figure 8: some problems of a sequence are solved.
TEST(ExpectedBenefit, PartOfASequence) {
  const CpuGraph G = {needless(18), work(3), needless(2), work(5), needless(9), work(30), wait(1)};
  // All: 3 and 5 while 18 + 2 are carried, then the remaining 12, and 9, within 30.
  EXPECT_EQ(sequenceBenefit(G, 0, 4), 29u);
  // The second wait stays, and takes the 15 that the first one did not save.
  EXPECT_EQ(sequenceBenefit(G, 0, 4, [](size_t I) { return I != 2; }), 3u + 9u);
  EXPECT_EQ(sequenceBenefit(G, 0, 4, [](size_t I) { return I == 2; }), 2u);
}

TEST(ExpectedBenefit, SequencesEndAtNeededWaits) {
  CpuGraph G = {needless(4), work(5),     launch(6), needless(3), work(1),
                wait(9),     needless(2), work(8),   wait(1)};
  G[2].Problem = Transfer;
  const std::vector<NodeSequence> S = sequences(G);
  ASSERT_EQ(S.size(), 1u); // a single problem is no sequence
  EXPECT_EQ(S[0].Problems, (std::vector<size_t>{0, 2, 3}));
  // 4 of 5, the transfer's 6, then 1 of 3.
  EXPECT_EQ(S[0].Benefit, 11u);
}

} // namespace
} // namespace gmprof::analysis
