//===- OwnThread.h - Threads beside a program's own -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signals are for the threads that were there before, be they the program's or one that waits for
// it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_OWNTHREAD_H
#define GMPROF_PROFILE_OWNTHREAD_H

#include <atomic>
#include <csignal>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gmprof {

/// While there is one, threads that are started get no signals, nor does this one.
class SignalsBlocked {
  sigset_t Before;

public:
  SignalsBlocked() {
    sigset_t All;
    sigfillset(&All);
    pthread_sigmask(SIG_SETMASK, &All, &Before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &Before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;
};

/// Throws std::system_error if there are no more threads to be had.
template <typename Callable> std::thread startOwnThread(Callable &&Do) {
  const SignalsBlocked Blocked;
  return std::thread(std::forward<Callable>(Do));
}

/// The program's threads come before this one, and before those that it starts from here on.
inline void lowerOwnPriority() {
  constexpr int Lower = 10;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), Lower);
}

/// The last thing that a thread does whose process is about to end: moves it to the processor where
/// the first one did this. The system cleans up behind a thread later and where it ended, and the
/// driver waits for that when the process ends: 14 ms longer where 24 ended on all processors, and
/// no longer where they did on one (docs/observations.md).
inline void endWithOthers() {
  static std::atomic<int> First = -1;
  int None = -1;
  First.compare_exchange_strong(None, ::sched_getcpu());
  cpu_set_t Only;
  CPU_ZERO(&Only);
  CPU_SET(static_cast<size_t>(First.load()), &Only);
  ::sched_setaffinity(0, sizeof(Only), &Only); // it stays where it is if that is not allowed
}

} // namespace gmprof

#endif // GMPROF_PROFILE_OWNTHREAD_H
