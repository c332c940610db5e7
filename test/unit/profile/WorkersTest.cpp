//===- WorkersTest.cpp - Tests of threads that share work -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Workers.h"
#include <gtest/gtest.h>
#include <set>

using namespace gmprof;

namespace {

TEST(Workers, DoEachPartOnce) {
  for (const size_t Most : {1, 2, 5}) {
    Workers Of(Most);
    for (const size_t Count : {0, 1, 3, 1000}) { // one run after the other, by the same threads
      std::vector<std::atomic<int>> Done(Count);
      Of.run(Count, [&](size_t I, size_t Thread) {
        ++Done[I];
        EXPECT_LT(Thread, Most);
      });
      for (const std::atomic<int> &Each : Done)
        ASSERT_EQ(Each, 1) << Most << " " << Count;
    }
  }
}

// The caller is thread 0 if it gets any work, and no two threads have the same number.
TEST(Workers, AThreadHasItsNumberForItself) {
  Workers Of(4);
  const std::thread::id Caller = std::this_thread::get_id();
  std::array<std::atomic<std::thread::id>, 4> Ids = {};
  for (unsigned Time = 0; Time < 100; ++Time)
    Of.run(50, [&](size_t, size_t Thread) {
      const std::thread::id Own = std::this_thread::get_id();
      EXPECT_EQ(Thread == 0, Own == Caller);
      std::thread::id Nobody;
      if (!Ids[Thread].compare_exchange_strong(Nobody, Own))
        EXPECT_EQ(Nobody, Own);
    });
}

TEST(Workers, NoMoreThanAskedFor) {
  Workers Of(4);
  const auto Numbers = [&](size_t Threads) {
    std::mutex Lock;
    std::set<size_t> All;
    Of.run(
        1000,
        [&](size_t, size_t Thread) {
          std::lock_guard Guard(Lock);
          All.insert(Thread);
        },
        Threads);
    return *All.rbegin();
  };
  Numbers(4);
  EXPECT_EQ(Numbers(1), 0U);
  EXPECT_LE(Numbers(2), 1U);
}

// Each of the two continues only when the other has arrived.
TEST(Workers, SeveralAtATime) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP();
  Workers Of(2);
  for (unsigned Time = 0; Time < 100; ++Time) {
    std::atomic<unsigned> Here = 0;
    Of.run(2, [&](size_t, size_t) {
      ++Here;
      while (Here != 2)
        std::this_thread::yield();
    });
    EXPECT_EQ(Here, 2U);
  }
}

} // namespace
