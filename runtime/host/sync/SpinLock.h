//===- SpinLock.h - A lock that signal handlers can take --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lock that is held for a short time, with signals blocked: handlers that interrupt the thread
// may take the lock too. SIGSEGV stays unblocked; its handler takes care of the lock itself
// (FaultHandler.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_SPINLOCK_H
#define GMPROF_HOST_SYNC_SPINLOCK_H

#include "host/core/RealSystem.h"
#include <atomic>
#include <csignal>
#include <sched.h>

namespace gmprof::host {

/// Blocks all signals but SIGSEGV.
inline void blockSignals(sigset_t &Before) {
  sigset_t All;
  sigfillset(&All);
  sigdelset(&All, SIGSEGV);
  realSystem().pthread_sigmask(SIG_SETMASK, &All, &Before);
}

inline void restoreSignals(const sigset_t &Before) {
  realSystem().pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

class SpinLock {
public:
  class Guard {
  public:
    explicit Guard(SpinLock &L) : L(L) {
      blockSignals(Before);
      L.lock();
    }
    ~Guard() {
      L.unlock();
      restoreSignals(Before);
    }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

  private:
    SpinLock &L;
    sigset_t Before;
  };

  /// Takes the lock. The caller has blocked signals.
  void lock() {
    while (Held.test_and_set(std::memory_order_acquire))
      sched_yield();
  }
  void unlock() { Held.clear(std::memory_order_release); }

private:
  std::atomic_flag Held = ATOMIC_FLAG_INIT;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_SPINLOCK_H
