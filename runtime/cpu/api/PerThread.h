//===- PerThread.h - Per-thread objects -------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_PERTHREAD_H
#define GMPROF_CPU_API_PERTHREAD_H

#include <utility>

namespace gmprof::cpu::api {

/// Returns the calling thread's T. Also usable in exit handlers, which run after the destruction of
/// the main thread's thread_local objects and get a new T.
template <typename T> T &ofThread() {
  static thread_local T *Mine = nullptr;
  struct Cleanup {
    ~Cleanup() { delete std::exchange(Mine, nullptr); }
  };
  if (!Mine) {
    static thread_local const Cleanup AtItsEnd;
    Mine = new T;
  }
  return *Mine;
}

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_PERTHREAD_H
