//===- CloneWorkerTest.cpp - Makes clones while the program runs ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/CloneWorker.h"
#include <gmock/gmock.h>
#include <latch>

using namespace gmprof::host;
using testing::ElementsAre;

namespace {

/// Returns the launches of a code that was launched so often.
std::shared_ptr<CodeLaunches> launched(int Times) {
  auto Launches = std::make_shared<CodeLaunches>(0);
  for (int I = 0; I < Times; ++I)
    Launches->next();
  return Launches;
}

using Job = CloneJobFor<int>;

std::shared_ptr<Job> job(std::function<int()> Work, int Launches = 1) {
  return std::make_shared<Job>(launched(Launches), std::move(Work));
}

TEST(CloneWorker, RunsTheJobThatWasLaunchedMostOftenFirst) {
  std::latch Added(1), Last(1);
  std::vector<int> Order;
  CloneWorker Worker;
  const auto Note = [&](int Number) {
    return [&, Number] {
      Order.push_back(Number);
      return Number;
    };
  };
  const std::shared_ptr<Job> First = job([&] {
    Added.wait();
    return 7;
  });
  Worker.add(First);
  Worker.add(job(Note(1), 1));
  Worker.add(job(Note(2), 3));
  Worker.add(job(Note(3), 3));
  Worker.add(job(
      [&] {
        Last.count_down();
        return 0;
      },
      0));
  EXPECT_FALSE(First->done());
  Added.count_down();
  Last.wait();
  EXPECT_THAT(Order, ElementsAre(2, 3, 1));
  EXPECT_TRUE(First->done());
  EXPECT_EQ(First->result(), 7);
}

TEST(CloneWorker, DropsWhatWaitsAndInterruptsWhatRuns) {
  std::latch Runs(1), Interrupted(1);
  CloneWorker Worker;
  const std::shared_ptr<Job> Running = job([&] {
    Runs.count_down();
    Interrupted.wait();
    return 0;
  });
  const std::shared_ptr<Job> Waiting = job([] { return 0; });
  Worker.add(Running);
  Runs.wait();
  Worker.add(Waiting);
  EXPECT_EQ(Worker.finish([&] { Interrupted.count_down(); }), 2u);
  EXPECT_FALSE(Waiting->done());
  EXPECT_EQ(Worker.finish([] { FAIL(); }), 0u);
}

TEST(CloneWorker, RunsNothingOnceItHasFinished) {
  CloneWorker Worker;
  EXPECT_EQ(Worker.finish([] {}), 0u);
  const std::shared_ptr<Job> Late = job([] { return 0; });
  Worker.add(Late);
  EXPECT_FALSE(Late->done());
}

TEST(CloneWorker, NeedNotHaveRunAnything) {
  CloneWorker Worker;
  EXPECT_EQ(Worker.finish([] { FAIL(); }), 0u);
}

} // namespace
