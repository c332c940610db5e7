//===- Workers.cpp - Worker threads ---------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Workers.h"
#include "cpu/engine/Launch.h"
#include "profile/Mutex.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <thread>

namespace gmprof::cpu {

static unsigned availableCores() {
  cpu_set_t Set;
  if (sched_getaffinity(0, sizeof(Set), &Set) == 0)
    return std::max(1, CPU_COUNT(&Set));
  return std::max(1u, std::thread::hardware_concurrency());
}

unsigned numWorkers() {
  static const unsigned Number = [] {
    const char *Text = getenv("GMPROF_CPU_THREADS");
    long Wanted = Text ? strtol(Text, nullptr, 10) : 0;
    return Wanted > 0 ? unsigned(Wanted) : availableCores();
  }();
  return Number;
}

namespace {

/// Launch that accepts helpers.
struct Call {
  Launch *L;
  uint64_t Wanted; ///< helpers that may still join
  unsigned Inside = 0;
};

class Pool {
public:
  void run(Launch &L, uint64_t MaxHelpers) {
    const uint64_t Helpers = std::min<uint64_t>(MaxHelpers, numWorkers() - 1);
    if (Helpers == 0)
      return L.work();
    Call Mine{&L, Helpers};
    {
      LockGuard Lock(Mutex);
      startThreads();
      Calls.push_back(&Mine);
    }
    for (uint64_t I = 0; I < Helpers; ++I)
      Wake.notify_one();
    L.work();
    WaitingLock Lock(Mutex);
    Mine.Wanted = 0;
    std::erase(Calls, &Mine);
    while (Mine.Inside != 0)
      Lock.wait(Left);
  }

private:
  void startThreads() GMPROF_REQUIRES(Mutex) {
    if (Started)
      return;
    Started = true;
    // The program's signals go to its own threads.
    sigset_t All, Old;
    sigfillset(&All);
    for (int Signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
      sigdelset(&All, Signal);
    pthread_sigmask(SIG_BLOCK, &All, &Old);
    for (unsigned I = 1; I < numWorkers(); ++I)
      std::thread([this] { help(); }).detach();
    pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  }

  [[noreturn]] void help() {
    WaitingLock Lock(Mutex);
    while (true) {
      auto Found = std::find_if(Calls.begin(), Calls.end(), [](Call *C) { return C->Wanted > 0; });
      if (Found == Calls.end()) {
        Lock.wait(Wake);
        continue;
      }
      Call &C = **Found;
      --C.Wanted;
      ++C.Inside;
      Lock.unlock();
      C.L->work();
      Lock.lock();
      if (--C.Inside == 0)
        Left.notify_all();
    }
  }

  gmprof::Mutex Mutex;
  std::condition_variable Wake, Left;
  std::deque<Call *> Calls GMPROF_GUARDED_BY(Mutex);
  bool Started GMPROF_GUARDED_BY(Mutex) = false;
};

} // namespace

void runOnWorkers(Launch &L, uint64_t MaxWorkers) {
  static auto *ThePool = new Pool; // threads are never joined
  ThePool->run(L, MaxWorkers - 1);
}

} // namespace gmprof::cpu
