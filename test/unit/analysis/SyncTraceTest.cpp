//===- SyncTraceTest.cpp --------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches the calls of two runs. Each letter is a call; a digit switches the thread.
//
//===----------------------------------------------------------------------===//

#include "TestCallsOfSync.h"
#include <gtest/gtest.h>

using namespace gmprof::test;

namespace {

struct Matched : CallMatch {
  Matched(const std::string &From, const std::string &To)
      : CallMatch(match(callsOf(From), callsOf(To))) {}

  static TestSyncCalls callsOf(const std::string &Text) {
    TestSyncCalls Calls;
    for (char C : Text)
      if (C >= '0' && C <= '9')
        Calls.Thread = static_cast<uint32_t>(C - '0');
      else
        Calls.call(CallKind::EventRecorded, std::string(1, C), 10);
    return Calls;
  }
  static CallMatch match(const TestSyncCalls &From, const TestSyncCalls &To) {
    return matchCalls(From, buildSyncTrace(From), To, buildSyncTrace(To));
  }
};

constexpr uint32_t X = None; ///< no such call
using Places = std::vector<uint32_t>;

TEST(MatchCallsTest, TheSame) {
  const Matched M("abab", "abab");
  EXPECT_TRUE(M.Equal);
  EXPECT_EQ(M.To, (Places{0, 1, 2, 3}));
  EXPECT_EQ(M.SameUntil, (Places{X, X, X, X}));
  EXPECT_EQ(M.Missing + M.Additional, 0u);
}

TEST(MatchCallsTest, OneMoreAtTheEnd) {
  const Matched M("abc", "abcd");
  EXPECT_FALSE(M.Equal);
  EXPECT_EQ(M.To, (Places{0, 1, 2}));
  EXPECT_EQ(M.SameUntil, (Places{2, 2, 2}));
  EXPECT_EQ(M.Missing, 0u);
  EXPECT_EQ(M.Additional, 1u);
  EXPECT_EQ(M.FirstDifference, 3u);
  EXPECT_EQ(M.Api, "d");
}

TEST(MatchCallsTest, AnEarlyEnd) {
  const Matched M("abcd", "ab");
  EXPECT_EQ(M.To, (Places{0, 1, X, X}));
  EXPECT_EQ(M.SameUntil, (Places{1, 1, 2, 3}));
  EXPECT_EQ(M.Missing, 2u);
  EXPECT_EQ(M.FirstDifference, 2u);
  EXPECT_EQ(M.Api, "c");
}

// The third "a" does not match the second one, because the following calls differ.
TEST(MatchCallsTest, AnotherRoundInTheMiddle) {
  const Matched M("abxabyab", "abxabzabyab");
  EXPECT_EQ(M.To, (Places{0, 1, 2, 3, 4, 8, 9, 10}));
  EXPECT_EQ(M.SameUntil, (Places{4, 4, 4, 4, 4, X, X, X}));
  EXPECT_EQ(M.Missing, 0u);
  EXPECT_EQ(M.Additional, 3u);
}

TEST(MatchCallsTest, AnotherCallInTheMiddle) {
  const Matched M("abcde", "abxde");
  EXPECT_EQ(M.To, (Places{0, 1, X, 3, 4}));
  EXPECT_EQ(M.SameUntil, (Places{1, 1, 2, X, X}));
  EXPECT_EQ(M.Missing, 1u);
  EXPECT_EQ(M.Additional, 1u);
  EXPECT_EQ(M.FirstDifference, 2u);
}

// Calls in the middle match by call site and order.
TEST(MatchCallsTest, OtherOrderInTheMiddle) {
  const Matched M("abcd", "acbd");
  EXPECT_FALSE(M.Equal);
  EXPECT_EQ(M.To, (Places{0, 2, 1, 3}));
  EXPECT_EQ(M.SameUntil, (Places{0, 1, 2, X}));
  EXPECT_EQ(M.Missing + M.Additional, 0u);
  EXPECT_EQ(M.FirstDifference, 1u);
}

// The order and interleaving of threads are random.
TEST(MatchCallsTest, ThreadsInterleaveOtherwise) {
  const Matched M("1ab2xy1c2z", "2x1a2y1b2z1c");
  EXPECT_TRUE(M.Equal);
  EXPECT_EQ(M.To, (Places{1, 3, 0, 2, 5, 4}));
}

TEST(MatchCallsTest, MatchesMostSimilarThreads) {
  const Matched M("1abc2abx", "1abxy2abcd");
  EXPECT_EQ(M.To, (Places{4, 5, 6, 0, 1, 2}));
  EXPECT_EQ(M.Additional, 2u);
  EXPECT_EQ(M.FirstDifference, 6u);
}

TEST(MatchCallsTest, AThreadLess) {
  const Matched M("1ab2xy", "1xy");
  EXPECT_EQ(M.To, (Places{X, X, 0, 1}));
  EXPECT_EQ(M.Missing, 2u);
  EXPECT_EQ(M.FirstDifference, 0u);
}

TEST(MatchCallsTest, AThreadMore) {
  const Matched M("1ab", "2xy1ab");
  EXPECT_FALSE(M.Equal);
  EXPECT_EQ(M.To, (Places{2, 3}));
  EXPECT_EQ(M.SameUntil, (Places{X, X}));
  EXPECT_EQ(M.Additional, 2u);
  EXPECT_EQ(M.Api, "x");
}

//===----------------------------------------------------------------------===//
// Waits in runs with different calls
//===----------------------------------------------------------------------===//

/// Rounds of a copy and a wait; Uses tells in which rounds the copy is used. The run ends
/// afterwards unless More.
TestSyncCalls rounds(const std::vector<bool> &Uses, bool More = false) {
  TestSyncCalls Calls;
  for (bool Used : Uses) {
    const uint32_t Copy =
        Calls.give(CallKind::Copy, "cudaMemcpyAsync", 10, Calls.Now, Calls.Now + 50);
    Calls.wait(CallKind::DeviceSynchronized, "cudaDeviceSynchronize", 100);
    if (Used)
      Calls.use(Copy);
    Calls.work(1000);
  }
  if (More)
    Calls.call(CallKind::EventRecorded, "cudaEventRecord", 10);
  return Calls;
}

SyncSite waitsOf(const TestSyncCalls &Trace, const TestSyncCalls &Memory) {
  SyncRuns Runs;
  Runs.Trace = &Trace;
  Runs.Memory = &Memory;
  for (const SyncSite &Site : syncProblems(Runs).Sites)
    if (Site.Explicit)
      return Site;
  return {};
}

TEST(OtherCallsTest, AllIsJudgedWhereTheyAreTheSame) {
  const SyncSite Site = waitsOf(rounds({true, false, false}), rounds({true, false, false}));
  EXPECT_EQ(Site.Needed, 1u);
  EXPECT_EQ(Site.Unnecessary, 2u);
  EXPECT_EQ(Site.NotSeen, 0u);
}

TEST(OtherCallsTest, TheLastWaitBeforeAnEarlyEndIsNot) {
  const SyncSite Site = waitsOf(rounds({true, false, true, false}), rounds({true, false, false}));
  EXPECT_EQ(Site.Needed, 1u);
  EXPECT_EQ(Site.Unnecessary, 1u);
  EXPECT_EQ(Site.NotSeen, 2u);
}

TEST(OtherCallsTest, UseCountsWhateverFollows) {
  const SyncSite Site = waitsOf(rounds({true, true}), rounds({true, true}, /*More=*/true));
  EXPECT_EQ(Site.Needed, 2u);
  EXPECT_EQ(Site.NotSeen, 0u);
}

TEST(OtherCallsTest, MissingUseBeforeAnExtraCallProvesNothing) {
  const SyncSite Site = waitsOf(rounds({false, false}), rounds({false, false}, /*More=*/true));
  EXPECT_EQ(Site.Unnecessary, 1u);
  EXPECT_EQ(Site.NotSeen, 1u);
}

/// Findings say if only instrumented code was watched.
TEST(OtherCallsTest, WatchedByCodeAlone) {
  TestSyncCalls Calls;
  const uint32_t Copy =
      Calls.give(CallKind::Copy, "cudaMemcpyAsync", 10, Calls.Now, Calls.Now + 50);
  Calls.wait(CallKind::DeviceSynchronized, "cudaDeviceSynchronize", 100);
  Calls.use(Copy, gmprof::log::UseKind::OnlyByCode);
  const SyncSite Site = waitsOf(Calls, Calls);
  EXPECT_EQ(Site.Unnecessary, 1u);
  EXPECT_EQ(Site.UnnecessaryByCode, 1u);
  EXPECT_EQ(Site.Needed, 0u);
}

} // namespace
