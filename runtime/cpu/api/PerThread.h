//===- PerThread.h - What each thread has of its own ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_PERTHREAD_H
#define GMPROF_CPU_API_PERTHREAD_H

#include <utility>

namespace gmprof::cpu::api {

/// The calling thread's T. Exit handlers can use it too: they run after the objects of the main
/// thread that are thread_local themselves are gone, and get a new one.
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
