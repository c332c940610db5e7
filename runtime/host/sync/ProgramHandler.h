//===- ProgramHandler.h - The program's handler of SIGSEGV ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the program's action for SIGSEGV while GMProf's handler is installed, and calls it as the
// kernel would: on the same stack, with the same signal frame and mask. The program's handler can
// therefore return, jump out, throw or walk the stack.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_PROGRAMHANDLER_H
#define GMPROF_HOST_SYNC_PROGRAMHANDLER_H

#include <csignal>

namespace gmprof::host {

class ProgramHandler {
public:
  using Handler = void (*)(int Signal, siginfo_t *Info, void *Context);

  /// Installs another handler in its place. Has no effect if one is installed.
  static void replaceBy(Handler Ours);
  /// Replaces the program's sigaction, for all signals.
  static int sigaction(int Signal, const struct sigaction *New, struct sigaction *Old);
  /// Continues in the program's handler with the arguments of a handler, or does what its default
  /// action does. Returns if the handler runs when GMProf's returns.
  static void call(int Signal, siginfo_t *Info, void *Context);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_PROGRAMHANDLER_H
