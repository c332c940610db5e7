//===- Workers.cpp - Threads that share work ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Workers.h"
#include <csignal>
#include <system_error>

namespace gmprof {

Workers::~Workers() {
  {
    std::lock_guard Guard(Lock);
    Stops = true;
  }
  Changed.notify_all();
  for (std::thread &Each : Helpers)
    Each.join();
}

/// As many as can be had.
void Workers::start(size_t Wanted) {
  if (Helpers.size() + 1 >= Wanted)
    return;
  // To ask for it is slow.
  static const size_t Processors = std::max(std::thread::hardware_concurrency(), 1U);
  // Signals are for the threads that were there.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  try {
    while (Helpers.size() + 1 < std::min(Wanted, Processors))
      Helpers.emplace_back([this, Thread = Helpers.size() + 1] { help(Thread); });
  } catch (const std::system_error &) {
    Most = Helpers.size() + 1; // there are no more threads to be had
  }
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void Workers::share(size_t MostWanted, Shared New) {
  start(MostWanted);
  {
    std::lock_guard Guard(Lock);
    Work = New;
    Wanted = MostWanted;
    ++Number;
  }
  Changed.notify_all();
  New.Call(New.Of, 0);
  // Who has not begun by now would find nothing to do.
  std::unique_lock Guard(Lock);
  Work = {};
  Done.wait(Guard, [this] { return Helping == 0; });
}

void Workers::help(size_t Thread) {
  std::unique_lock Guard(Lock);
  for (uint64_t Helped = 0;;) {
    Changed.wait(Guard,
                 [&] { return Stops || (Work.Call && Number != Helped && Thread < Wanted); });
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
