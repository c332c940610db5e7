//===- RealSystem.h - The C library behind the interposed functions -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_REALSYSTEM_H
#define GMPROF_HOST_REALSYSTEM_H

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace gmprof::host {

/// Functions that the library defines in the C library's place (InterposeSystem.cpp), of
/// those that are given memory of the program.
#define GMPROF_SYSTEM_FUNCTIONS(X)                                                                 \
  X(read)                                                                                          \
  X(write)                                                                                         \
  X(pread)                                                                                         \
  X(pwrite)                                                                                        \
  X(readv)                                                                                         \
  X(writev)                                                                                        \
  X(send)                                                                                          \
  X(recv)                                                                                          \
  X(fread)                                                                                         \
  X(fwrite)                                                                                        \
  X(free)                                                                                          \
  X(munmap)                                                                                        \
  X(mprotect)                                                                                      \
  X(sigaction)                                                                                     \
  X(signal)

struct RealSystem {
#define GMPROF_DECLARE(name) decltype(&::name) name;
  GMPROF_SYSTEM_FUNCTIONS(GMPROF_DECLARE)
#undef GMPROF_DECLARE
};

/// The next definitions in load order.
const RealSystem &realSystem();

} // namespace gmprof::host

#endif // GMPROF_HOST_REALSYSTEM_H
