//===- FaultHandler.h - Handles SIGSEGV beside the program ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HostWatch.h and the program may both need SIGSEGV. FaultHandler hides its own use from the
// program:
//
// * One handler is installed, which asks HostWatch first. All other faults go to the program's
//   handler, which is called as the kernel would call it: on the same stack, with the same signal
//   frame and mask. It can therefore return, jump out, throw or walk the stack.
// * A fault while SIGSEGV is blocked ends a process. Therefore no thread blocks it: where the
//   program does, another signal is blocked in its place, as a mark. The kernel maintains the
//   mark like any signal: when handlers return, in jumps that restore masks, in contexts and new
//   threads. A fault of the program's own while the mark is set ends the process.
// * Each thread has an alternate stack, the program's or one of GMProf's: its own stack may be too
//   small for the handler, or be watched. Only the signal frame is on the alternate stack; the
//   handler runs on stacks reserved for it.
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
  /// Returns whether GMProf has handled a fault, so that the access is retried.
  using Watcher = bool (*)(const siginfo_t &Info, void *Context);

  /// Prepares the process for GMProf's own faults, before the program begins.
  static void prepare(Watcher Asked);
  static bool prepared();
  /// Installs the handler, and registers this thread's stack for onStack().
  static void install();

  /// Replacements of the program's calls.
  static int sigaction(int Signal, const struct sigaction *New, struct sigaction *Old);
  static int threadMask(int How, const sigset_t *New, sigset_t *Old);
  static int alternateStack(const stack_t *New, stack_t *Old);
  static int createThread(pthread_t *Thread, const pthread_attr_t *Attributes,
                          void *(*Routine)(void *), void *Argument);
  /// Returns whether the address is in the function with which createThread() begins threads.
  static bool beginsThread(uint64_t Address);
  /// Returns the mask that is set in place of the program's.
  static sigset_t real(const sigset_t &Program);

  /// Returns whether the memory overlaps a thread's stack.
  static bool onStack(uint64_t Begin, uint64_t End);

private:
  static void handle(int Signal, siginfo_t *Info, void *Context);
};

/// Calls a function that may fault because it follows unchecked addresses; returns false if it did.
///
bool guardedFromFaults(void (*Function)(void *), void *Argument);

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_FAULTHANDLER_H
