//===- LaunchedFunctions.h - Functions given to cudaLaunchKernel -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cudaLaunchKernel also takes functions of the driver (CUfunction). No function of CUDA tells them
// from other addresses: one is known once a launch has succeeded.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCHEDFUNCTIONS_H
#define GMPROF_HOST_LAUNCH_LAUNCHEDFUNCTIONS_H

#include "profile/Mutex.h"
#include <atomic>
#include <set>

namespace gmprof::host {

class LaunchedFunctions {
public:
  /// Returns those of the process.
  static LaunchedFunctions &get() {
    static auto &Instance = *new LaunchedFunctions; // programs launch until they are unloaded
    return Instance;
  }

  bool contains(const void *Handle) {
    if (!Any.load(std::memory_order_relaxed))
      return false;
    SharedLockGuard Guard(Lock);
    return Handles.contains(Handle);
  }
  void add(const void *Handle) {
    LockGuard Guard(Lock);
    Handles.insert(Handle);
    Any.store(true, std::memory_order_relaxed);
  }

private:
  std::atomic<bool> Any{false};
  SharedMutex Lock;
  std::set<const void *> Handles GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCHEDFUNCTIONS_H
