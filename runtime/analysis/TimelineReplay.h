//===- TimelineReplay.h - A run, played again with a call changed -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where Figure 5 of Diogenes bounds what the GPU could catch up on, this plays the whole
// graph of CPU and GPU again: each host thread takes as long as before for what it does
// by itself, each operation takes as long on the GPU as it took, and begins when it has
// been given to the GPU and all that it comes after in streams has ended; a wait lasts
// until what it covers has ended. So the saving of a change is what the run would be
// shorter by if nothing else changed, multi-stream dependences included.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_TIMELINEREPLAY_H
#define GMPROF_ANALYSIS_TIMELINEREPLAY_H

#include "analysis/SyncTrace.h"
#include <optional>

namespace gmprof::analysis {

/// How a call is changed. Without a value it stays.
enum class CallChange : uint8_t {
  None,
  NoWait,   ///< it does not wait
  WaitLate, ///< it waits when what it waited for is used first
  Gone,     ///< it is not made
  OnlyWait, ///< it does nothing but wait for what came before
};

struct ReplayChange {
  CallChange Change = CallChange::None;
  uint64_t FirstUseNs = 0; ///< of WaitLate, after the call
};

class TimelineReplay {
public:
  TimelineReplay(const profile::Profile &P, const SyncTrace &T);

  /// Operations without a known time have none on the GPU.
  bool timesKnown() const { return Timed != 0; }
  /// How long the run takes, in ns. Changes: per call; empty: as it was.
  uint64_t run(const std::vector<ReplayChange> &Changes) const;
  /// What the changes save.
  int64_t saving(const std::vector<ReplayChange> &Changes) const;

private:
  struct Step {
    uint64_t Work = 0;  ///< of the thread, before the call
    uint64_t Cost = 0;  ///< of the call, but for waiting
    uint64_t Gives = 0; ///< of that, until the GPU has what it is given
    uint32_t Thread = 0;
  };

  const SyncTrace &T;
  std::vector<Step> Steps;
  uint32_t Threads = 0;
  uint64_t Timed = 0, AsItWas = 0;
  uint32_t StreamCount = 0;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_TIMELINEREPLAY_H
