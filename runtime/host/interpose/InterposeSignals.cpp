//===- InterposeSignals.cpp - Signals and threads of the C library --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes the functions of the C library for signals, and for threads (InterposeSystem.cpp).
//
//===----------------------------------------------------------------------===//

#include "host/interpose/SystemCalls.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/ProgramHandler.h"
#include "host/sync/ThreadStacks.h"
#include <cerrno>

using namespace gmprof::host;

namespace gmprof::host {
namespace {

sighandler_t setHandler(int Signal, sighandler_t New, int Flags) {
  struct sigaction Action = {}, Old = {};
  Action.sa_handler = New;
  Action.sa_flags = Flags;
  sigemptyset(&Action.sa_mask);
  if (!(Flags & SA_NODEFER))
    sigaddset(&Action.sa_mask, Signal);
  return ProgramHandler::sigaction(Signal, &Action, &Old) == 0 ? Old.sa_handler : SIG_ERR;
}

constexpr int BsdFlags = SA_RESTART, SystemVFlags = SA_RESETHAND | SA_NODEFER;

} // namespace
} // namespace gmprof::host

#define GMPROF_SYSTEM_SIGACTION(Name)                                                              \
  GMPROF_INTERPOSE int Name(int Signal, const struct sigaction *New, struct sigaction *Old) {      \
    if (!FaultHandler::prepared())                                                                 \
      return realSystem().Name(Signal, New, Old);                                                  \
    touches(GMPROF_CALLER, New, Old);                                                              \
    return ProgramHandler::sigaction(Signal, New, Old);                                            \
  }
GMPROF_SYSTEM_SIGACTION(sigaction)
GMPROF_SYSTEM_SIGACTION(__sigaction)

#define GMPROF_SYSTEM_SIGNAL(Name, Flags)                                                          \
  GMPROF_INTERPOSE sighandler_t Name(int Signal, sighandler_t New) {                               \
    return FaultHandler::prepared() && Signal == SIGSEGV ? setHandler(Signal, New, Flags)          \
                                                         : realSystem().Name(Signal, New);         \
  }
GMPROF_SYSTEM_SIGNAL(signal, BsdFlags)
GMPROF_SYSTEM_SIGNAL(ssignal, BsdFlags)
GMPROF_SYSTEM_SIGNAL(bsd_signal, BsdFlags)
GMPROF_SYSTEM_SIGNAL(sysv_signal, SystemVFlags)
GMPROF_SYSTEM_SIGNAL(__sysv_signal, SystemVFlags)

GMPROF_INTERPOSE int pthread_sigmask(int How, const sigset_t *New, sigset_t *Old) {
  if (!FaultHandler::prepared())
    return realSystem().pthread_sigmask(How, New, Old);
  touches(GMPROF_CALLER, New, Old);
  return SignalMask::set(How, New, Old);
}

GMPROF_INTERPOSE int sigprocmask(int How, const sigset_t *New, sigset_t *Old) {
  const int Error = pthread_sigmask(How, New, Old);
  if (Error == 0)
    return 0;
  errno = Error;
  return -1;
}

GMPROF_SYSTEM(int, sigsuspend, (const sigset_t *Mask), (WaitMask(Mask).get()),
              touches(Caller, Mask))
GMPROF_SYSTEM(int, __sigsuspend, (const sigset_t *Mask), (WaitMask(Mask).get()),
              touches(Caller, Mask))

GMPROF_INTERPOSE int sigaltstack(const stack_t *New, stack_t *Old) {
  if (!FaultHandler::prepared())
    return realSystem().sigaltstack(New, Old);
  touches(GMPROF_CALLER, New, Old);
  const int Result = ThreadStacks::setAlternate(New, Old);
  // No signal is delivered if the kernel cannot write to the alternate stack.
  if (Result == 0 && New && !(New->ss_flags & SS_DISABLE))
    staysUnseen(New->ss_sp, New->ss_size);
  return Result;
}

GMPROF_INTERPOSE int pthread_create(pthread_t *Thread, const pthread_attr_t *Attributes,
                                    void *(*Routine)(void *), void *Argument) {
  if (!FaultHandler::prepared())
    return realSystem().pthread_create(Thread, Attributes, Routine, Argument);
  return ThreadStacks::createThread(Thread, Attributes, Routine, Argument);
}
