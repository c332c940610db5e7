//===- FaultHandler.h - Handles SIGSEGV beside the program ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HostWatch.h needs SIGSEGV, and so may the program. The program is to notice nothing:
//
// * One handler is installed, which asks HostWatch first. All other faults are the program's:
//   it is called as the kernel would have called it, on the stack where the kernel would
//   have, with the signal frame and the mask that it would have found. So it can return,
//   jump out, throw or walk the stack.
// * A fault while SIGSEGV is blocked ends a process. So no thread ever blocks it: where the
//   program does, another signal is blocked in its place, as a mark. The kernel takes care of
//   marks as of all signals: when handlers return, in jumps that restore masks, in contexts
//   and new threads. A fault of the program's own where the mark is set ends the process.
// * Each thread has an alternate stack, if not one of the program's: a thread's own may be too
//   small for the handler, or be what is watched. Of that only the signal's frame is
//   used; the rest runs on stacks that are there for it.
//
// The handler neither allocates nor takes locks that the program's code can hold.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_FAULTHANDLER_H
#define GMPROF_HOST_SYNC_FAULTHANDLER_H

#include <csignal>
#include <cstdint>
#include <pthread.h>

namespace gmprof::host {

class FaultHandler {
public:
  /// Whether a fault is none of the program's: the access is to be tried again.
  using Watcher = bool (*)(const siginfo_t &Info, void *Context);

  /// This process will have faults of its own. Called before the program begins.
  static void prepare(Watcher Asked);
  static bool prepared();
  /// Takes SIGSEGV, and learns of this thread what onStack() asks.
  static void install();

  /// The program's calls.
  static int sigaction(int Signal, const struct sigaction *New, struct sigaction *Old);
  static int threadMask(int How, const sigset_t *New, sigset_t *Old);
  static int alternateStack(const stack_t *New, stack_t *Old);
  static int createThread(pthread_t *Thread, const pthread_attr_t *Attributes,
                          void *(*Routine)(void *), void *Argument);
  /// Whether the address is in the function that createThread() begins threads with.
  static bool beginsThread(uint64_t Address);
  /// What is blocked in the place of this mask.
  static sigset_t real(const sigset_t &Program);

  /// Whether the memory is a thread's stack.
  static bool onStack(uint64_t Begin, uint64_t End);

private:
  static void handle(int Signal, siginfo_t *Info, void *Context);
};

/// For one access that may fault by itself, because it follows addresses that nobody
/// has checked: false if it did.
bool guardedFromFaults(void (*Function)(void *), void *Argument);

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_FAULTHANDLER_H
