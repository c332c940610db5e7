//===- SyncTrace.h - What each call waits for -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of one run with the operations that they give to the GPU, and, of each call
// that waits, the operations that have ended when it returns. Explicit synchronisation
// waits for what its stream, event or device says. Any other call is believed to have
// waited only if it was seen to: work had not ended before it, and had afterwards. Which
// work follows from streams and events, so that work which happened to end meanwhile is
// not taken as waited for.
//
// The order of streams is kept as vector clocks, as in profile/StreamOrder.h: per stream,
// how many of its operations come before.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNCTRACE_H
#define GMPROF_ANALYSIS_SYNCTRACE_H

#include "profile/Profile.h"
#include <map>
#include <string>
#include <vector>

namespace gmprof::analysis {

/// Per stream, how many of its operations.
using SyncClock = std::vector<uint32_t>;

/// What the GPU was given.
struct SyncOperation {
  uint64_t Id = 0;                 ///< profile::ApiCall::Operation
  uint32_t Call = 0;               ///< that gave it
  uint32_t Stream = 0;             ///< numbered in here
  uint32_t Number = 0;             ///< in its stream: 1, 2, …
  SyncClock After;                 ///< what it comes after on the GPU
  uint64_t BeginNs = 0, EndNs = 0; ///< on the GPU; 0: not known
};

struct SyncCall {
  uint32_t Index = 0; ///< in Profile::Calls
  uint32_t Operation = profile::None;
  bool Waits = false; ///< for Covers
  bool Explicit = false;
  bool Waited = false; ///< there was something to wait for
  SyncClock Covers;
  /// What must have ended for the call to succeed: an event was asked for its time.
  SyncClock Needs;
  uint64_t WaitNs = 0; ///< of the call's time, the part that the GPU was awaited in
};

struct SyncTrace {
  std::vector<SyncCall> Calls; ///< in the order of their begins
  std::vector<SyncOperation> Operations;
  std::map<uint64_t, uint32_t> OperationById;

  bool covers(const SyncClock &C, uint32_t Operation) const {
    const SyncOperation &O = Operations[Operation];
    return O.Stream < C.size() && C[O.Stream] >= O.Number;
  }
};

SyncTrace buildSyncTrace(const profile::Profile &P);

/// Names a call by function and place, the same in every run of the program.
class CallKeys {
public:
  explicit CallKeys(const profile::Profile &P) : P(P), Keys(P.CallPaths.size()) {}
  std::string of(const profile::ApiCall &C);

private:
  const profile::Profile &P;
  std::vector<std::string> Keys;
};

/// Per call of From the same call of To, both in the order of SyncTrace::Calls. Threads are told to
/// be the same by their calls, since the order in which they begin is chance; calls of a thread by
/// what both runs have at the begin and at the end, and in between by place and order there.
struct CallMatch {
  std::vector<uint32_t> To; ///< None: there is no such call
  /// Per call of From the first one of its thread, from it on, after which the runs go on with
  /// different calls. None: there is none.
  std::vector<uint32_t> SameUntil;
  bool Equal = true;                 ///< both runs made the same calls
  uint64_t Missing = 0;              ///< calls of From that are not in To
  uint64_t Additional = 0;           ///< the other way round
  uint64_t FirstDifference = 0;      ///< a call of From, or as many as there are
  std::string Api;                   ///< of the first call that differs
  uint32_t CallPath = profile::None; ///< of that, in From
};
CallMatch matchCalls(const profile::Profile &From, const SyncTrace &FromTrace,
                     const profile::Profile &To, const SyncTrace &ToTrace);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNCTRACE_H
