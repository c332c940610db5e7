//===- CloneTimeTest.cpp - How long making clones may take ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/CloneTime.h"
#include "host/launch/CodeLaunches.h"
#include <gtest/gtest.h>

using namespace gmprof::host;
using std::chrono::seconds;

namespace {

TEST(CloneTime, AllowsItsSecondsEvenIfTheyAreTheWholeRun) {
  const CloneTime::Clock::time_point Begin;
  CloneTime Time(10, Begin);
  EXPECT_EQ(Time.exceeded(Begin + seconds(1)), "");
  Time.add(seconds(10));
  EXPECT_EQ(Time.exceeded(Begin + seconds(10)), "");
  Time.add(seconds(1));
  EXPECT_EQ(Time.exceeded(Begin + seconds(11)),
            "making clones took more than 10 s (--clone-seconds; the next run finds those that "
            "were made)");
}

TEST(CloneTime, AllowsAQuarterOfALongRun) {
  const CloneTime::Clock::time_point Begin;
  CloneTime Time(10, Begin);
  Time.add(seconds(30));
  EXPECT_NE(Time.exceeded(Begin + seconds(119)), "");
  EXPECT_EQ(Time.exceeded(Begin + seconds(120)), "");
}

TEST(CodeLaunches, NumbersLaunchesAndCountsClonesByProfile) {
  CodeLaunches Launches(2);
  EXPECT_EQ(Launches.next(), 1u);
  EXPECT_EQ(Launches.next(), 2u);
  Launches.cloneRan(1);
  EXPECT_EQ(Launches.clonesRun(0), 0u);
  EXPECT_EQ(Launches.clonesRun(1), 1u);
}

} // namespace
