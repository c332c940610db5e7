//===- TraceFollower.h - Simulates a trace when it is written ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates the caches while the program runs. A program appends a launch to its trace when the
// launch has ended, and the end of the trace when it exits. This class simulates launch by launch
// while the program writes nothing, and simulates the rest while the driver frees the program's
// resources at exit, which takes about 0.1 s. It also looks up functions and lines then, by a
// symbolizer that runs from the start.
//
// The fraction of lines to simulate depends on the size of the complete trace. If the trace
// outgrows the expected size, the simulation restarts.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_TRACEFOLLOWER_H
#define GMPROF_TOOL_GMPROF_TRACEFOLLOWER_H

#include "cache/TraceReader.h"
#include "profile/Mutex.h"
#include "report/builder/CacheProfile.h"
#include "report/builder/LineSampling.h"
#include "report/symbols/Symbolizer.h"
#include <condition_variable>
#include <future>
#include <thread>

namespace gmprof::host {

class TraceFollower {
public:
  /// Follows the first trace that appears in the directory.
  explicit TraceFollower(std::string Directory);
  ~TraceFollower();
  TraceFollower(const TraceFollower &) = delete;
  TraceFollower &operator=(const TraceFollower &) = delete;

  struct Results {
    std::optional<CacheProfile> Caches; ///< nothing if the trace has no end
    Symbols Names;                      ///< of the call paths looked up so far
  };
  /// Returns the results for this log and its trace, after the program has ended; nothing if the
  /// follower read another trace. Waits for the simulation, and reports progress to this thread's
  /// receiver.
  Results take(const std::string &Log);

private:
  void run();
  bool hasEnded();
  void pause();
  void look();
  void lookUpNames();
  bool follow();
  bool simulate();
  void stop();

  const std::string Directory;
  // Members of the thread, until it has stopped.
  std::string Log; ///< the log of the trace
  std::unique_ptr<cache::TraceReader> Reader;
  LineSampling Sampling;                     ///< from the launches read so far
  uint64_t LaunchEnds = 0;                   ///< number of launch ends read so far
  bool IsWritten = false;                    ///< the end of the trace has been read
  const std::shared_ptr<Workers> Simulating; ///< threads
  std::unique_ptr<cache::TraceSimulation> Simulation;
  uint32_t LinesSampled = 0; ///< of the simulation
  uint64_t Simulated = 0;    ///< launches
  Results Made;              ///< the names: of Looking's thread, until it is done
  std::future<void> Looking; ///< up names

  Mutex Lock;
  std::condition_variable Changed;
  bool Ended GMPROF_GUARDED_BY(Lock) = false;
  std::thread Thread;
};

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_TRACEFOLLOWER_H
