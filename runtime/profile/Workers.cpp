//===- Workers.cpp - Threads that share work ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Workers.h"
#include "profile/Mutex.h"
#include "profile/OwnThread.h"
#include <system_error>

namespace gmprof {

Workers::~Workers() {
  {
    LockGuard Guard(Lock);
    Stops = true;
  }
  Changed.notify_all();
  for (std::thread &Each : Helpers)
    Each.join();
}

/// Starts helpers until there are Wanted threads, or as many as the system allows.
void Workers::startUpTo(size_t Wanted) {
  // Cached: hardware_concurrency() is slow.
  static const size_t Processors = std::max(std::thread::hardware_concurrency(), 1U);
  Wanted = std::min(Wanted, Processors);
  if (Started >= Wanted)
    return;
  const SignalsBlocked Blocked;
  const size_t First = std::exchange(Started, Wanted); // a failure is not tried again
  try {
    for (size_t Thread = First; Thread < Wanted; ++Thread)
      Helpers.emplace_back([this, Thread] { help(Thread); });
  } catch (const std::system_error &) {
    return; // the system has no more threads
  }
}

void Workers::share(size_t MostWanted, Shared New) {
  startUpTo(MostWanted);
  {
    LockGuard Guard(Lock);
    Work = New;
    Wanted = MostWanted;
    ++Number;
  }
  Changed.notify_all();
  New.Call(New.Of, 0);
  // Helpers that start after this point would find no work.
  WaitingLock Guard(Lock);
  Work = {};
  while (Helping != 0)
    Guard.wait(Done);
}

void Workers::help(size_t Thread) {
  WaitingLock Guard(Lock);
  for (uint64_t Helped = 0;;) {
    while (!Stops && (!Work.Call || Number == Helped || Thread >= Wanted))
      Guard.wait(Changed);
    if (Stops)
      return;
    Helped = Number;
    const Shared Now = Work;
    ++Helping;
    Guard.unlock();
    Now.Call(Now.Of, Thread);
    Guard.lock();
    if (--Helping == 0)
      Done.notify_one();
  }
}

} // namespace gmprof
