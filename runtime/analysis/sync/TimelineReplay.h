//===- TimelineReplay.h - Replays a run with changed calls ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figure 5 of Diogenes bounds the saving by the GPU's idle time; this file replays the whole graph
// of CPU and GPU. Each host thread takes the same time as before for its own work; each operation
// takes the same time on the GPU, and begins when it has been enqueued and all its predecessors
// have ended; a wait lasts until the covered work has ended. The saving of a change is the
// reduction of the run's time if nothing else changes, including dependences between streams.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_TIMELINEREPLAY_H
#define GMPROF_ANALYSIS_SYNC_TIMELINEREPLAY_H

#include "analysis/sync/SyncTrace.h"
#include <optional>

namespace gmprof::analysis {

/// A change to a call.
enum class CallChange : uint8_t {
  None,
  NoWait,   ///< does not wait
  WaitLate, ///< waits at the first use of the data
  Gone,     ///< is not made
  OnlyWait, ///< only waits for what came before
};

struct ReplayChange {
  CallChange Change = CallChange::None;
  uint64_t FirstUseNs = 0; ///< for WaitLate: time from the call to the first use
};

class TimelineReplay {
public:
  TimelineReplay(const profile::Profile &P, const SyncTrace &T);

  /// Returns false if no operation's GPU time is known; unknown times count as 0.
  bool timesKnown() const { return Timed != 0; }
  /// Returns the duration of the run in ns. Changes has one entry per call; empty: no changes.
  uint64_t run(const std::vector<ReplayChange> &Changes) const;
  /// Returns the time that the changes save, in ns.
  int64_t saving(const std::vector<ReplayChange> &Changes) const;

private:
  struct Step {
    uint64_t Work = 0;  ///< of the thread, before the call
    uint64_t Cost = 0;  ///< of the call, without waiting
    uint64_t Gives = 0; ///< part of Cost until the operation is enqueued
    uint32_t Thread = 0;
  };

  const SyncTrace &T;
  std::vector<Step> Steps;
  uint32_t Threads = 0;
  uint64_t Timed = 0, AsItWas = 0;
  uint32_t StreamCount = 0;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_TIMELINEREPLAY_H
