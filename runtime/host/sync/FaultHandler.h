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
//   handler (ProgramHandler.h).
// * No thread blocks SIGSEGV (SignalMask.h). A fault of the program's own while it believes that
//   SIGSEGV is blocked ends the process.
// * Each thread has an alternate stack (ThreadStacks.h). Only the signal frame is on it; the
//   handler runs on stacks reserved for it.
//
// The handler neither allocates nor takes locks that the program's code can hold.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_FAULTHANDLER_H
#define GMPROF_HOST_SYNC_FAULTHANDLER_H

#include <csignal>

namespace gmprof::host {

class FaultHandler {
public:
  /// Returns whether GMProf has handled a fault, so that the access is retried.
  using Watcher = bool (*)(const siginfo_t &Info, void *Context);

  /// Prepares the process for GMProf's own faults, before the program begins.
  static void prepare(Watcher Asked);
  static bool prepared();
  /// Installs the handler, and finds this thread's stack (ThreadStacks.h).
  static void install();

private:
  static void handle(int Signal, siginfo_t *Info, void *Context);
};

/// Calls a function that may fault because it follows unchecked addresses; returns false if it did.
bool guardedFromFaults(void (*Function)(void *), void *Argument);

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_FAULTHANDLER_H
