//===- LaunchTimes.h - How long launches take on the GPU --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two events around a launch give its time. Of each kernel, launches 2^k and 2^k + 1 are timed: in
// the overview the first of these two may run an instrumented clone, the second does not. Nothing
// waits for the events but finish().
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCHTIMES_H
#define GMPROF_HOST_LAUNCH_LAUNCHTIMES_H

#include "host/core/Device.h"
#include "profile/Mutex.h"
#include <deque>

namespace gmprof::host {

class LaunchTimes {
public:
  LaunchTimes(Device &D, Recorder &Log) : D(D), Log(Log) {}

  /// The events around one launch; empty if it is not timed.
  struct Timer {
    CUevent Begin = nullptr, End = nullptr;
  };

  /// Returns true if the launch of a kernel with this number (1, 2, …) is timed.
  static bool wants(uint64_t Launch);

  /// Must be called right before and right after the launch into Stream, in its context.
  Timer begin(CUstream Stream);
  void end(Timer T, CUstream Stream, uint64_t Launch);
  /// Forgets the timer of a launch that failed.
  void cancel(Timer T);

  /// Records the times of launches that have ended.
  void poll();
  /// Waits for the timed launches, all of which have ended if the device is idle.
  void finish();

private:
  struct Pending {
    Timer T;
    uint64_t Launch;
  };
  /// Returns an event with timing, or null.
  CUevent takeEvent() GMPROF_REQUIRES(Lock);
  /// Records the time of the oldest launch if it has ended.
  bool recordOldest() GMPROF_REQUIRES(Lock);

  Device &D;
  Recorder &Log;
  Mutex Lock;
  std::vector<CUevent> Events GMPROF_GUARDED_BY(Lock); ///< unused ones
  std::deque<Pending> Running GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCHTIMES_H
