//===- TraceFollower.h - Simulates a trace that grows -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While the program runs, and above all while it gives back what it has of the driver, launches
// that have ended are simulated, on processors that nobody else wants.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_TOOL_TRACEFOLLOWER_H
#define GMPROF_HOST_TOOL_TRACEFOLLOWER_H

#include "report/CacheProfile.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace gmprof::host {

class TraceFollower {
public:
  /// Of the first trace that appears in the directory.
  explicit TraceFollower(std::string Directory);
  ~TraceFollower() { stop(); }
  TraceFollower(const TraceFollower &) = delete;
  TraceFollower &operator=(const TraceFollower &) = delete;

  /// The program has ended. What has been done of this trace, if it is the one.
  std::optional<CacheSimulation> take(const std::string &Trace);

private:
  void run();
  void look();
  void stop();

  const std::string Directory;
  std::optional<CacheSimulation> Followed; ///< the thread's, until it has stopped
  std::atomic<bool> Ended = false;
  std::mutex Lock;
  std::condition_variable Changed;
  std::thread Thread;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_TOOL_TRACEFOLLOWER_H
