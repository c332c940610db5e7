//===- WatchLock.h - The lock of watched memory -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lock guards the watched memory (WatchedRegions.h) and its uses (HostUses.h). Code that holds
// it must not touch the heap: its pages may be protected, and the handler takes the lock.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_WATCHLOCK_H
#define GMPROF_HOST_SYNC_WATCHLOCK_H

#include "host/sync/SpinLock.h"

namespace gmprof::host {

class WatchLock {
public:
  class Guard;
  static SpinLock Lock;

  /// Hold the lock during a fork: from the first to the second, in parent and child.
  static void beforeFork() GMPROF_UNCHECKED_LOCKS;
  static void afterFork() GMPROF_UNCHECKED_LOCKS;

private:
  static thread_local constinit bool InFork; ///< this thread holds Lock
  static sigset_t BeforeFork;
};

/// Holds the lock for a short time. Blocks signals meanwhile, as the program's handlers could
/// fault.
class GMPROF_LOCK_GUARD WatchLock::Guard {
public:
  explicit Guard(bool InHandler = false) GMPROF_ACQUIRES(Lock) GMPROF_UNCHECKED_LOCKS
      : InHandler(InHandler) {
    // Fork handlers of other libraries may fault while this thread holds the lock.
    if (InFork)
      return;
    if (!InHandler)
      blockSignals(Before);
    Lock.lock();
  }
  ~Guard() GMPROF_RELEASES() GMPROF_UNCHECKED_LOCKS {
    if (InFork)
      return;
    Lock.unlock();
    if (!InHandler)
      restoreSignals(Before);
  }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

private:
  const bool InHandler;
  sigset_t Before;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_WATCHLOCK_H
