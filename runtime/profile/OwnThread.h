//===- OwnThread.h - Threads of GMProf in a program -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of GMProf block all signals, which belong to the program's threads or to the thread that
// waits for the program.
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

/// Blocks all signals in this thread, and in threads started meanwhile, for its lifetime.
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

/// Starts a thread with all signals blocked. Throws std::system_error if that fails.
template <typename Callable> std::thread startOwnThread(Callable &&Do) {
  const SignalsBlocked Blocked;
  return std::thread(std::forward<Callable>(Do));
}

/// Lowers the priority of this thread, and of threads that it starts afterwards.
inline void lowerOwnPriority() {
  constexpr int Lower = 10;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), Lower);
}

/// Moves a thread that is about to end, in a process that is about to end, to the processor of the
/// first thread that did so. The system cleans up after a thread later, on the processor where it
/// ended, and the driver waits for that at process exit: 24 threads that ended on all processors
/// delay the exit by 14 ms, and by nothing if they ended on one (docs/observations.md).
inline void endWithOthers() {
  static std::atomic<int> First = -1;
  int None = -1;
  First.compare_exchange_strong(None, ::sched_getcpu());
  cpu_set_t Only;
  CPU_ZERO(&Only);
  CPU_SET(static_cast<size_t>(First.load()), &Only);
  ::sched_setaffinity(0, sizeof(Only), &Only); // on failure the thread stays where it is
}

} // namespace gmprof

#endif // GMPROF_PROFILE_OWNTHREAD_H
