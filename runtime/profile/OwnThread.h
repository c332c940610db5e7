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

#include <csignal>
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

} // namespace gmprof

#endif // GMPROF_PROFILE_OWNTHREAD_H
