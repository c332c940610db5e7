//===- Workers.cpp - Threads that share work ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Workers.h"
#include "profile/OwnThread.h"
#include <system_error>

namespace gmprof {

Workers::~Workers() {
  stop(/*ProcessEnds=*/false);
  join();
}

void Workers::dismiss() {
  allow(1);
  stop(/*ProcessEnds=*/true);
}

void Workers::stop(bool ProcessEnds) {
  {
    std::lock_guard Guard(Lock);
    Stops = true;
    EndsSoon = EndsSoon || ProcessEnds;
  }
  Changed.notify_all();
}

void Workers::join() {
  for (std::thread &Each : Helpers) // a thread comes before those it has started
    if (Each.joinable())
      Each.join();
}

/// Starts helpers until there are Wanted threads, or as many as the system allows.
void Workers::startUpTo(size_t Wanted) {
  // Cached: hardware_concurrency() is slow.
  static const size_t Processors = std::max(std::thread::hardware_concurrency(), 1U);
  Wanted = std::min(Wanted, Processors);
  if (Started >= Wanted)
    return;
  Helpers.resize(std::max(Helpers.size(), Most - 1));
  const SignalsBlocked Blocked;
  for (size_t Thread = Started; Thread < std::min(Wanted, 2 * Started); ++Thread)
    start(Thread, Wanted);
  Started = Wanted;
}

/// Starts a helper, which starts its own helpers in turn (a binary tree).
void Workers::start(size_t Thread, size_t Wanted) {
  try {
    Helpers[Thread - 1] = std::thread([this, Thread, Wanted] {
      for (const size_t Next : {2 * Thread, 2 * Thread + 1})
        if (Next < Wanted)
          start(Next, Wanted);
      if (Begin)
        Begin(Thread);
      help(Thread);
    });
  } catch (const std::system_error &) {
    return; // the system has no more threads
  }
}

void Workers::share(size_t MostWanted, Shared New) {
  startUpTo(MostWanted);
  {
    std::lock_guard Guard(Lock);
    Work = New;
    Wanted = MostWanted;
    ++Number;
  }
  Changed.notify_all();
  New.Call(New.Of, 0);
  // Helpers that start after this point would find no work.
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
      break;
    Helped = Number;
    const Shared Now = Work;
    ++Helping;
    Guard.unlock();
    Now.Call(Now.Of, Thread);
    Guard.lock();
    if (--Helping == 0)
      Done.notify_one();
  }
  const bool WithOthers = EndsSoon;
  Guard.unlock();
  if (WithOthers)
    endWithOthers();
}

} // namespace gmprof
