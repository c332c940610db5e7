//===- TaskTest.cpp - Asynchronous work and its order ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Tasks.h"
#include <gtest/gtest.h>
#include <latch>

using namespace gmprof::cpu::api;

TEST(Tasks, RunAfterTheirDependencies) {
  Scheduler &S = scheduler();
  std::latch Gate{1};
  std::vector<int> Order;
  TaskRef First = S.submit([&] { Gate.wait(), Order.push_back(1); }, {});
  TaskRef Second = S.submit([&] { Order.push_back(2); }, std::vector{First});
  TaskRef Third = S.submit([&] { Order.push_back(3); }, std::vector{First, Second});
  EXPECT_FALSE(First->done());
  EXPECT_FALSE(Third->done());
  Gate.count_down();
  Third->wait();
  EXPECT_EQ(Order, (std::vector{1, 2, 3}));
  EXPECT_TRUE(First->done() && Second->done());
}

TEST(Tasks, WithoutOrderRunAtTheSameTime) {
  // Each waits for the other, so both must run at the same time.
  std::latch Both{2};
  TaskRef A = scheduler().submit([&] { Both.arrive_and_wait(); }, {});
  TaskRef B = scheduler().submit([&] { Both.arrive_and_wait(); }, {});
  A->wait();
  B->wait();
}

TEST(Tasks, BriefOnesNeedNoWorker) {
  bool Ran = false;
  TaskRef Now = scheduler().submitBrief([&] { Ran = true; }, {});
  EXPECT_TRUE(Now->done());
  EXPECT_TRUE(Ran);
  TaskRef Nothing = scheduler().submitBrief({}, std::vector{Now, TaskRef()});
  EXPECT_TRUE(Nothing->done());
}

TEST(Tasks, LongChainsOfBriefOnesDoNotNest) {
  std::latch Gate{1};
  TaskRef Last = scheduler().submit([&] { Gate.wait(); }, {});
  int Count = 0;
  for (int I = 0; I != 200000; ++I)
    Last = scheduler().submitBrief([&] { ++Count; }, std::vector{Last});
  Gate.count_down();
  Last->wait();
  EXPECT_EQ(Count, 200000);
}

TEST(Tasks, DrainReportsRemainingWork) {
  std::latch Gate{1};
  TaskRef T = scheduler().submit([&] { Gate.wait(); }, {});
  EXPECT_FALSE(scheduler().drain(0));
  Gate.count_down();
  T->wait();
  EXPECT_TRUE(scheduler().drain(60));
}
