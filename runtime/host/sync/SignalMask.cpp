//===- SignalMask.cpp - Signal masks of the program -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/SignalMask.h"
#include "host/core/RealSystem.h"

namespace gmprof::host {

sigset_t SignalMask::real(const sigset_t &Of) {
  sigset_t Real = Of;
  if (sigismember(&Of, SIGSEGV)) {
    sigdelset(&Real, SIGSEGV);
    sigaddset(&Real, Mark);
  } else {
    sigdelset(&Real, Mark);
  }
  return Real;
}

void SignalMask::toProgram(sigset_t &Mask) {
  if (sigismember(&Mask, Mark))
    sigaddset(&Mask, SIGSEGV);
}

int SignalMask::set(int How, const sigset_t *New, sigset_t *Old) {
  sigset_t Real;
  if (New)
    Real = real(*New);
  const int Error = realSystem().pthread_sigmask(How, New ? &Real : nullptr, Old);
  if (Error == 0 && Old)
    toProgram(*Old);
  return Error;
}

void SignalMask::unblock() {
  sigset_t Now;
  realSystem().pthread_sigmask(SIG_SETMASK, nullptr, &Now);
  if (!sigismember(&Now, SIGSEGV))
    return;
  const sigset_t Instead = real(Now);
  realSystem().pthread_sigmask(SIG_SETMASK, &Instead, nullptr);
}

} // namespace gmprof::host
