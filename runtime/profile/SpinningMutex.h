//===- SpinningMutex.h - A mutex that spins first ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For locks that all threads hold for some ten nanoseconds: spinning is faster than sleeping, which
// also lets other threads queue up behind the sleeper.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SPINNINGMUTEX_H
#define GMPROF_PROFILE_SPINNINGMUTEX_H

#include "profile/Mutex.h"
#include <pthread.h>

namespace gmprof {

class GMPROF_LOCKABLE SpinningMutex {
public:
  void lock() GMPROF_ACQUIRES() { pthread_mutex_lock(&Mutex); }
  void unlock() GMPROF_RELEASES() { pthread_mutex_unlock(&Mutex); }

private:
  pthread_mutex_t Mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_SPINNINGMUTEX_H
