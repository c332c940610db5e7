//===- WorkersTest.cpp - Tests of threads that share work -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Workers.h"
#include "profile/OwnThread.h"
#include <gtest/gtest.h>
#include <sched.h>
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

/// Counts threads that ended.
struct Ends {
  std::atomic<unsigned> &Of;
  ~Ends() {
    ++Of;
    Of.notify_all();
  }
};

cpu_set_t processorsOfThread() {
  cpu_set_t All;
  CPU_ZERO(&All);
  ::sched_getaffinity(0, sizeof(All), &All);
  return All;
}

int countOf(cpu_set_t Processors) { return CPU_COUNT(&Processors); }

// Threads that end because their owner is destroyed keep their processors.
TEST(Workers, EndOnOneProcessorWhenTheyAreDismissed) {
  const int Processors = countOf(processorsOfThread());
  if (Processors < 2)
    GTEST_SKIP();
  static int AtTheEnd = 0;
  struct NotesProcessors {
    ~NotesProcessors() { AtTheEnd = countOf(processorsOfThread()); }
  };
  const auto Begin = [](size_t) { thread_local const NotesProcessors Own; };
  {
    Workers Of(2, Begin);
    Of.start();
  }
  EXPECT_EQ(AtTheEnd, Processors);
  Workers Of(2, Begin);
  Of.start();
  Of.dismiss();
  Of.join();
  EXPECT_EQ(AtTheEnd, 1);
}

TEST(Workers, EndWhereOthersDo) {
  const cpu_set_t All = processorsOfThread();
  if (countOf(All) < 2)
    GTEST_SKIP();
  std::set<int> Begins, Ends;
  for (size_t Processor = 0; Processor < CPU_SETSIZE; ++Processor)
    if (CPU_ISSET(Processor, &All))
      std::thread([&] {
        cpu_set_t Own;
        CPU_ZERO(&Own);
        CPU_SET(Processor, &Own);
        ASSERT_EQ(::sched_setaffinity(0, sizeof(Own), &Own), 0);
        Begins.insert(::sched_getcpu());
        endWithOthers();
        Ends.insert(::sched_getcpu());
      }).join();
  EXPECT_EQ(Begins.size(), static_cast<size_t>(countOf(All)));
  EXPECT_EQ(Ends.size(), 1U);
}

// Dismissed threads end while the owner keeps working.
TEST(Workers, Dismissed) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP();
  std::atomic<unsigned> Ended = 0;
  Workers Of(2);
  std::atomic<unsigned> Here = 0;
  Of.run(2, [&](size_t, size_t Thread) {
    if (Thread != 0)
      thread_local const Ends Own{Ended};
    ++Here;
    while (Here != 2)
      std::this_thread::yield();
  });
  Of.dismiss();
  Ended.wait(0);
  const std::thread::id Caller = std::this_thread::get_id();
  unsigned Done = 0;
  Of.run(3, [&](size_t, size_t Thread) {
    EXPECT_EQ(Thread, 0U);
    EXPECT_EQ(std::this_thread::get_id(), Caller);
    ++Done;
  });
  EXPECT_EQ(Done, 3U);
}

} // namespace
