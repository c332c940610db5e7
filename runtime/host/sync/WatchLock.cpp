//===- WatchLock.cpp - The lock of watched memory -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/WatchLock.h"

namespace gmprof::host {

constinit SpinLock WatchLock::Lock;
thread_local constinit bool WatchLock::InFork = false;
sigset_t WatchLock::BeforeFork;

void WatchLock::beforeFork() {
  if (InFork)
    return; // two users asked to be called
  sigset_t Before;
  blockSignals(Before);
  Lock.lock();
  BeforeFork = Before;
  InFork = true;
}

void WatchLock::afterFork() {
  if (!InFork)
    return;
  InFork = false;
  const sigset_t Mask = BeforeFork;
  Lock.unlock();
  restoreSignals(Mask);
}

} // namespace gmprof::host
