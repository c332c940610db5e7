//===- SignalMask.h - Signal masks of the program ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps SIGSEGV unblocked without the program noticing: a fault while it is blocked ends a process.
// Where the program blocks SIGSEGV, another signal is blocked in its place, as a mark. The kernel
// maintains the mark like any signal: when handlers return, in jumps that restore masks, in
// contexts and new threads.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_SIGNALMASK_H
#define GMPROF_HOST_SYNC_SIGNALMASK_H

#include <csignal>

namespace gmprof::host {

class SignalMask {
public:
  /// The mark: a real-time signal that is hardly used. Programs that block it block all signals.
  static constexpr int Mark = 62;

  /// Returns the mask that is set in place of the program's.
  static sigset_t real(const sigset_t &Program);
  /// Converts a mask to the program's view.
  static void toProgram(sigset_t &Mask);
  /// Replaces the program's pthread_sigmask.
  static int set(int How, const sigset_t *New, sigset_t *Old);
  /// Unblocks SIGSEGV in a thread that was started with a signal mask of its own.
  static void unblock();
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_SIGNALMASK_H
