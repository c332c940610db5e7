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

#include <csignal>
#include <thread>
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

} // namespace gmprof

#endif // GMPROF_PROFILE_OWNTHREAD_H
