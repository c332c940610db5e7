//===- TraceFollower.h - Simulates a trace when it is written ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program writes a launch into its trace when that has ended, and the end of the trace when it
// exits. The caches are simulated launch by launch, whenever the program writes nothing, and the
// rest of them while the driver gives back what the program had, which takes a tenth of a second.
// Functions and lines are looked up then as well, by a symbolizer that runs from the beginning.
//
// One of how many lines is simulated depends on all that is in the trace in the end. If that
// becomes more than was expected when the simulation began, it begins anew.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_TRACEFOLLOWER_H
#define GMPROF_TOOL_GMPROF_TRACEFOLLOWER_H

#include "cache/TraceReader.h"
#include "report/CacheProfile.h"
#include "report/LineSampling.h"
#include "report/Symbolizer.h"
#include <condition_variable>
#include <future>
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

  struct Results {
    std::optional<CacheProfile> Caches; ///< nothing if the trace has no end
    Symbols Names;                      ///< of call paths, as far as they have been looked up
  };
  /// The program has ended. What came of this log and the trace beside it; nothing if it is another
  /// one. Waits for it, and lets this thread's receiver know of progress.
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
  // The thread's, until it has stopped.
  std::string Log; ///< beside which there is a trace
  std::unique_ptr<cache::TraceReader> Reader;
  LineSampling Sampling;                     ///< of what it has come to
  uint64_t LaunchEnds = 0;                   ///< it has come to
  bool IsWritten = false;                    ///< it has come to the trace's end
  const std::shared_ptr<Workers> Simulating; ///< threads
  std::unique_ptr<cache::TraceSimulation> Simulation;
  uint32_t LinesSampled = 0; ///< of the simulation
  uint64_t Simulated = 0;    ///< launches
  Results Made;              ///< the names: of Looking's thread, until it is done
  std::future<void> Looking; ///< up names

  std::mutex Lock; ///< of what follows
  std::condition_variable Changed;
  bool Ended = false;
  std::thread Thread;
};

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_TRACEFOLLOWER_H
