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
  CloneTime Time(10, 2, Begin);
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
  CloneTime Time(10, 2, Begin);
  Time.add(seconds(30));
  EXPECT_NE(Time.exceeded(Begin + seconds(119)), "");
  EXPECT_EQ(Time.exceeded(Begin + seconds(120)), "");
}

TEST(CloneTime, LaunchesWaitForTheFirstKernelsAndForTheFirstSeconds) {
  CloneTime Time(10, 2);
  EXPECT_TRUE(Time.launchesWait(1000));
  Time.add(seconds(2));
  EXPECT_TRUE(Time.launchesWait(7)); // for the eighth kernel
  EXPECT_FALSE(Time.launchesWait(8));
}

TEST(CodeLaunches, NumbersLaunchesAndCountsClonesByProfile) {
  CodeLaunches Launches(2);
  EXPECT_EQ(Launches.next().Profiled, 1u);
  EXPECT_EQ(Launches.next().Profiled, 2u);
  EXPECT_EQ(Launches.count(), 2u);
  Launches.cloneRan(1);
  EXPECT_EQ(Launches.clonesRun(0), 0u);
  EXPECT_EQ(Launches.clonesRun(1), 1u);
}

TEST(CodeLaunches, GivesTheNumberOfALaunchThatAwaitedAClone) {
  CodeLaunches Launches(0);
  EXPECT_EQ(Launches.next().Profiled, 1u);
  Launches.awaitedClone();
  const CodeLaunches::Number Second = Launches.next();
  EXPECT_EQ(Second.All, 2u);
  EXPECT_EQ(Second.Profiled, 1u);
  EXPECT_EQ(Launches.next().Profiled, 2u);
}

} // namespace
