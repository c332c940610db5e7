//===- MutexTest.cpp - Tests of locks -------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Mutex.h"
#include "profile/SpinningMutex.h"
#include <barrier>
#include <gtest/gtest.h>
#include <thread>

namespace gmprof {
namespace {

template <typename Lockable> class LocksTest : public testing::Test {};
using AllLocks = testing::Types<Mutex, SharedMutex, SpinningMutex>;
TYPED_TEST_SUITE(LocksTest, AllLocks);

TYPED_TEST(LocksTest, OneThreadAtATimeHoldsThem) {
  constexpr unsigned Threads = 4, Times = 200;
  TypeParam Lock;
  unsigned Sum = 0;
  std::vector<std::thread> All;
  for (unsigned T = 0; T < Threads; ++T)
    All.emplace_back([&] {
      for (unsigned I = 0; I < Times; ++I) {
        const LockGuard Guard(Lock);
        const unsigned Before = Sum;
        std::this_thread::yield();
        Sum = Before + 1;
      }
    });
  for (std::thread &T : All)
    T.join();
  EXPECT_EQ(Sum, Threads * Times);
}

TEST(SharedLocks, AreHeldByReadersTogether) {
  SharedMutex Lock;
  std::barrier<> Both(2);
  unsigned Reached = 0;
  std::thread Other([&] {
    const SharedLockGuard Guard(Lock);
    Both.arrive_and_wait();
    Both.arrive_and_wait();
  });
  {
    const SharedLockGuard Guard(Lock);
    Both.arrive_and_wait(); // in both threads, the lock is held
    Reached = 1;
    Both.arrive_and_wait();
  }
  Other.join();
  EXPECT_EQ(Reached, 1u);
}

TEST(WaitingLocks, LetOthersInWhileTheyWait) {
  Mutex Lock;
  std::condition_variable Changed;
  int Value = 0;
  std::thread Other([&] {
    WaitingLock Guard(Lock);
    while (Value != 1)
      Guard.wait(Changed);
    Value = 2;
    Changed.notify_all();
  });
  WaitingLock Guard(Lock);
  Value = 1;
  Changed.notify_all();
  while (Value != 2)
    Guard.wait(Changed);
  Guard.unlock();
  Other.join();
  Guard.lock();
  EXPECT_EQ(Value, 2);
}

TEST(WaitingLocks, SayThatTheTimeHasCome) {
  Mutex Lock;
  std::condition_variable Never;
  WaitingLock Guard(Lock);
  EXPECT_FALSE(Guard.waitUntil(Never, std::chrono::steady_clock::now()));
}

} // namespace
} // namespace gmprof
