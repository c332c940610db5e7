//===- ThreadStacks.h - Stacks of threads and signal handlers ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Knows the stacks of all threads, whose pages must stay accessible, and gives each thread an
// alternate stack for signals, the program's or one of GMProf's: its own stack may be too small for
// a handler, or be watched. The program does not see GMProf's.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_THREADSTACKS_H
#define GMPROF_HOST_SYNC_THREADSTACKS_H

#include <csignal>
#include <cstdint>
#include <pthread.h>

namespace gmprof::host {

class ThreadStacks {
public:
  /// Finds the main thread's stack, and gives it an alternate stack. Called before the program
  /// begins.
  static void prepare();
  /// Finds this thread's stack for overlap(). Allocates on the first call in a thread.
  static void findThisThread();
  /// Returns whether the memory overlaps a thread's stack.
  static bool overlap(uint64_t Begin, uint64_t End);

  /// Replacements of the program's calls.
  static int setAlternate(const stack_t *New, stack_t *Old);
  static int createThread(pthread_t *Thread, const pthread_attr_t *Attributes,
                          void *(*Routine)(void *), void *Argument);
  /// Returns whether the address is in the function with which createThread() begins threads.
  static bool beginsThread(uint64_t Address);

  /// Return whether the address is on this thread's alternate stack: GMProf's, the program's.
  static bool onOwnAlternate(uint64_t Address);
  static bool onProgramAlternate(uint64_t Address);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_THREADSTACKS_H
