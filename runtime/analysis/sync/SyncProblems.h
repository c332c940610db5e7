//===- SyncProblems.h - Unneeded waits and copies ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.5: combines the runs of all stages into one CPU graph per host
// thread. Nodes with problems get their expected benefit and are grouped by single point (same call
// path), by folded function (same functions without template arguments) and by sequence. Times come
// from the run that traced calls; uses and copies come from the other runs, for the same calls.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_SYNCPROBLEMS_H
#define GMPROF_ANALYSIS_SYNC_SYNCPROBLEMS_H

#include "analysis/Finding.h"
#include "analysis/sync/ExpectedBenefit.h"
#include "analysis/sync/MigrationWaits.h"
#include "analysis/sync/SyncNecessity.h"
#include "analysis/sync/TimelineReplay.h"
#include <memory>

namespace gmprof::analysis {

/// The runs of the stages; merged stages share a run.
struct SyncRuns {
  const profile::Profile *Trace = nullptr;
  const profile::Profile *Memory = nullptr;
  const profile::Profile *Use = nullptr; ///< null: Memory has the times of uses
  uint64_t WallNs = 0;                   ///< undisturbed time of the program
};

/// The result for a call's copy.
struct CopyVerdict {
  bool Duplicate = false;         ///< the same was copied there before, or came from there
  bool RoundTrip = false;         ///< it came from there, and was not copied there before
  bool Identical = false;         ///< and was still there
  bool Overwritten = false;       ///< and was not; neither: that is not known
  bool Changed = false;           ///< the call's previous copy to this place had other bytes
  uint32_t First = profile::None; ///< of a duplicate, the call that copied it first
  uint64_t Bytes = 0, Object = 0;
  log::CopyDirection Direction = log::CopyDirection::HostToDevice;
};

/// Returns one verdict per call of the trace.
std::vector<CopyVerdict> duplicateTransfers(const profile::Profile &P, const SyncTrace &T);

/// All calls from one call site.
struct SyncSite {
  uint32_t CallPath = profile::None; ///< in SyncRuns::Trace
  std::string Api;
  /// "app.cu:7": what calls its line, which other sites share; empty: none does.
  std::string Caller;
  uint64_t Calls = 0, Waits = 0, Waited = 0;
  uint64_t CallNs = 0, WaitNs = 0;
  MigrationWait Migration; ///< of all its waits, in the run that watched memory
  uint64_t Unnecessary = 0, Misplaced = 0, Needed = 0, Assumed = 0, OrdersStreams = 0, NotSeen = 0;
  /// Unnecessary waits with data for which only instrumented code was watched.
  uint64_t UnnecessaryByCode = 0;
  bool Explicit = false;
  uint64_t FirstUses = 0, FirstUseNs = 0; ///< their number and sum
  uint32_t Use = profile::None;           ///< the first of them, in Profile::Uses of the run
  uint64_t UnnecessaryBenefit = 0, MisplacedBenefit = 0; ///< Figure 5
  std::optional<int64_t> ReplaySaving;                   ///< of all its problems of waits
  /// Copies.
  uint64_t Copies = 0, CopiedBytes = 0, Duplicates = 0, DuplicateBytes = 0, Identical = 0,
           Overwritten = 0, RoundTrips = 0, Changed = 0;
  uint32_t FirstCopy = profile::None; ///< call path of CopyVerdict::First
  uint64_t Object = 0;
  log::CopyDirection Direction = log::CopyDirection::HostToDevice;
  uint64_t DuplicateBenefit = 0;
  std::optional<int64_t> DuplicateSaving;

  /// Returns true if there is a finding about the site.
  bool hasProblem() const {
    return Duplicates != 0 || (Waited != 0 && Unnecessary + Misplaced != 0);
  }
  uint64_t benefit() const { return UnnecessaryBenefit + MisplacedBenefit + DuplicateBenefit; }
};

struct SyncFold {
  std::string Function; ///< calling function, without template arguments
  std::string Api;
  std::vector<uint32_t> Sites;
  uint64_t Benefit = 0;
};

struct SyncSequence {
  struct Entry {
    uint32_t Site = 0;
    uint64_t Waits = 0, Copies = 0; ///< with problems, over all these sequences
  };
  std::vector<Entry> Entries; ///< in call order, each site once
  uint64_t Count = 0;         ///< number of such sequences
  uint64_t Benefit = 0;
};

struct SyncProblems {
  std::vector<SyncSite> Sites; ///< by decreasing benefit
  std::vector<SyncFold> Folds;
  std::vector<SyncSequence> Sequences;
  uint64_t Calls = 0, ThreadCount = 0;
  bool GpuTimesKnown = false;
  CallMatch MemoryMatch, UseMatch;
  /// Host uses in total; and those assumed, seen by page protection, and seen by instrumented code.
  uint64_t UsesSeen = 0, UsesAssumed = 0, UsesByPage = 0, UsesByCode = 0;
  /// Nothing if unknown.
  std::optional<std::vector<MigratedObject>> Migrated;
};

/// The result for one call of the traced run.
struct CallProblem {
  uint32_t Site = 0;                 ///< index in SyncProblems::Sites
  uint32_t InMemory = profile::None; ///< the same call in Profile::Calls of the memory run
  SyncProblem Problem = SyncProblem::None;
  SyncVerdict::Need Is = SyncVerdict::Need::None;
  bool Waits = false, Duplicate = false, Identical = false;
  uint64_t FirstUseNs = 0; ///< from the program's continuation after the wait
};

/// Finds the problems. PerCall, if not null, receives the result for each call, by begin.
SyncProblems syncProblems(const SyncRuns &Runs, std::vector<CallProblem> *PerCall = nullptr);

class SyncCollector;

struct SubsequenceBenefit {
  uint64_t Expected = 0;         ///< by Figure 5, carried forward, in ns
  std::optional<int64_t> Replay; ///< by replaying the run, if GPU times are known
};

/// Computes the benefit of solving any part of a sequence (Section 5.1, Figure 8). The profiles of
/// the runs must outlive this object.
class SyncSubsequences {
public:
  explicit SyncSubsequences(const SyncRuns &Runs);
  ~SyncSubsequences();
  SyncSubsequences(const SyncSubsequences &) = delete;
  SyncSubsequences &operator=(const SyncSubsequences &) = delete;

  const SyncProblems &problems() const;
  /// Returns the savings of solving entries First to Last (inclusive) in all executions of the
  /// sequence while the others stay.
  SubsequenceBenefit of(size_t Sequence, size_t First, size_t Last) const;

private:
  std::unique_ptr<const SyncCollector> Collected;
};

/// Returns a function's name without template arguments, parameters and return type.
std::string foldedName(const std::string &Demangled);

/// Minimum time from a wait to its first use for a misplaced wait; less is measurement noise.
inline constexpr uint64_t MisplacedNs = 20'000;
/// The same relative to the wait: moving a wait by less than a hundredth of it saves nothing.
inline constexpr uint64_t MisplacedWaitShare = 100;

/// Return findings with sources, not ranked, one per site and pattern.
std::vector<Finding> unnecessarySynchronizations(const SyncRuns &Runs, const SyncProblems &S);
std::vector<Finding> misplacedSynchronizations(const SyncRuns &Runs, const SyncProblems &S);
std::vector<Finding> duplicateTransferFindings(const SyncRuns &Runs, const SyncProblems &S);
std::vector<Finding> pageableTransfers(const SyncRuns &Runs, const SyncProblems &S);
std::vector<Finding> repeatedAllocations(const SyncRuns &Runs, const SyncProblems &S);

using SyncPattern = std::vector<Finding> (*)(const SyncRuns &, const SyncProblems &);

inline constexpr SyncPattern SyncPatterns[] = {unnecessarySynchronizations,
                                               misplacedSynchronizations, duplicateTransferFindings,
                                               pageableTransfers, repeatedAllocations};

/// Returns the findings of all patterns, with sources and fingerprints of P, the run named memory;
/// unranked.
std::vector<Finding> syncFindings(const profile::Profile &P, const SyncRuns &Runs,
                                  const SyncProblems &S);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_SYNCPROBLEMS_H
