//===- TraceFollower.h - Simulates a trace when it is written ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program writes the end of its trace when it exits. After that the driver takes a tenth of a
// second to give back what the program had of it, and the caches are simulated meanwhile: not
// before, as the program comes first.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_TOOL_TRACEFOLLOWER_H
#define GMPROF_HOST_TOOL_TRACEFOLLOWER_H

#include "cache/TraceReader.h"
#include "report/CacheProfile.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace gmprof::host {

class TraceFollower {
public:
  /// Of the first trace that appears in the directory.
  explicit TraceFollower(std::string Directory);
  ~TraceFollower();
  TraceFollower(const TraceFollower &) = delete;
  TraceFollower &operator=(const TraceFollower &) = delete;

  /// The program has ended. What came of the trace beside this log; nothing if it is another one,
  /// or has no end. Waits for it, and lets this thread's receiver know of progress.
  std::optional<CacheProfile> take(const std::string &Log);

private:
  void run();
  void look();
  bool isWritten();
  void stop();

  const std::string Directory;
  // The thread's, until it has stopped.
  std::string Log; ///< beside which there is a trace
  std::unique_ptr<cache::TraceReader> Reader;
  std::optional<CacheProfile> Made;

  std::mutex Lock; ///< of what follows
  std::condition_variable Changed;
  bool Ended = false;
  std::thread Thread;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_TOOL_TRACEFOLLOWER_H
