//===- SpinningMutex.h - A lock that is held for a moment -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Held for some ten nanoseconds by calls of all threads: to wait a little is shorter than to
// sleep, which also lets the other threads' calls queue up behind the one that sleeps.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SPINNINGMUTEX_H
#define GMPROF_PROFILE_SPINNINGMUTEX_H

#include <pthread.h>

namespace gmprof {

class SpinningMutex {
public:
  void lock() { pthread_mutex_lock(&Mutex); }
  void unlock() { pthread_mutex_unlock(&Mutex); }

private:
  pthread_mutex_t Mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_SPINNINGMUTEX_H
