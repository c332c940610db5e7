//===- SizeLimitSignal.cpp - Blocks the file size signal ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/SizeLimitSignal.h"
#include <ctime>

namespace gmprof {

static sigset_t sizeLimit() {
  sigset_t Set;
  ::sigemptyset(&Set);
  ::sigaddset(&Set, SIGXFSZ);
  return Set;
}

NoSizeLimitSignal::NoSizeLimitSignal() {
  const sigset_t Set = sizeLimit();
  ::pthread_sigmask(SIG_BLOCK, &Set, &Before);
}

/// Discards a pending signal before unblocking it.
NoSizeLimitSignal::~NoSizeLimitSignal() {
  const sigset_t Set = sizeLimit();
  const timespec Now = {};
  if (!::sigismember(&Before, SIGXFSZ))
    ::sigtimedwait(&Set, nullptr, &Now);
  ::pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

} // namespace gmprof
