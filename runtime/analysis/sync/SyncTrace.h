//===- SyncTrace.h - Calls and the work they wait for -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of one run with the operations that they enqueue and, for each waiting call, the
// operations that have ended when it returns. Explicit synchronisation waits for its stream, event
// or device. Any other call counts as waiting only if observed: work was unfinished before it and
// finished afterwards. Streams and events determine which work, so that work that happened to end
// meanwhile does not count.
//
// Stream order is kept in vector clocks, as in profile/StreamOrder.h: the number of preceding
// operations per stream.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_SYNCTRACE_H
#define GMPROF_ANALYSIS_SYNC_SYNCTRACE_H

#include "profile/Profile.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof::analysis {

/// Number of operations, per stream.
using SyncClock = std::vector<uint32_t>;

/// An operation that a call enqueued.
struct SyncOperation {
  uint64_t Id = 0;                 ///< profile::ApiCall::Operation
  uint32_t Call = 0;               ///< the call that enqueued it
  uint32_t Stream = 0;             ///< index in this trace
  uint32_t Number = 0;             ///< in its stream: 1, 2, …
  SyncClock After;                 ///< operations that precede it on the GPU
  uint64_t BeginNs = 0, EndNs = 0; ///< on the GPU; 0: unknown
};

struct SyncCall {
  uint32_t Index = 0; ///< index in Profile::Calls
  uint32_t Operation = profile::None;
  bool Waits = false; ///< waits for Covers
  bool Explicit = false;
  bool Waited = false; ///< true if work was unfinished before the call
  SyncClock Covers;
  /// Operations that must have ended for the call to succeed: it reads an event's time.
  SyncClock Needs;
  uint64_t WaitNs = 0; ///< part of the call's time spent waiting for the GPU
};

struct SyncTrace {
  std::vector<SyncCall> Calls; ///< by begin
  std::vector<SyncOperation> Operations;
  std::map<uint64_t, uint32_t> OperationById;

  bool covers(const SyncClock &C, uint32_t Operation) const {
    const SyncOperation &O = Operations[Operation];
    return O.Stream < C.size() && C[O.Stream] >= O.Number;
  }
};

/// Orders the calls and operations. At first sight (profile::Run::syncAtFirstSight) operations are
/// unknown; explicit synchronization and copies that are not asynchronous wait for as long as they
/// last.
SyncTrace buildSyncTrace(const profile::Profile &P);

/// Returns true for a release that waits for the work of its device. The memory can be kept
/// instead.
bool releaseWaits(std::string_view Api);

/// Identifies a call by function and call site, consistently across runs of the program.
class CallKeys {
public:
  explicit CallKeys(const profile::Profile &P) : P(P), Keys(P.CallPaths.size()) {}
  std::string of(const profile::ApiCall &C);

private:
  const profile::Profile &P;
  std::vector<std::string> Keys;
};

/// Matches each call of From to the same call of To, both in the order of SyncTrace::Calls. Threads
/// are matched by their calls, since their order is random. Calls of a thread are matched by common
/// prefix and suffix, and in between by call site and order.
struct CallMatch {
  std::vector<uint32_t> To; ///< None: no such call
  /// For each call of From, the first call of its thread at or after it behind which the runs
  /// differ; None if they do not.
  std::vector<uint32_t> SameUntil;
  bool Equal = true;                 ///< true if both runs made the same calls
  uint64_t Missing = 0;              ///< number of calls of From that To lacks
  uint64_t Additional = 0;           ///< number of calls of To that From lacks
  uint64_t FirstDifference = 0;      ///< a call of From, or their number
  std::string Api;                   ///< function of the first call that differs
  uint32_t CallPath = profile::None; ///< call path of that call in From
};
CallMatch matchCalls(const profile::Profile &From, const SyncTrace &FromTrace,
                     const profile::Profile &To, const SyncTrace &ToTrace);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_SYNCTRACE_H
