//===- SyncProblems.h - Waits and copies that need not be -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.5: what the runs of the stages say becomes one graph of the
// CPU per host thread, whose nodes with problems get their expected benefit and are put
// together by single point (the same call path), by folded function (the same functions,
// without template arguments) and by sequence. Times are those of the run that traced
// calls; what was used and copied comes from the other runs, for the same calls.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNCPROBLEMS_H
#define GMPROF_ANALYSIS_SYNCPROBLEMS_H

#include "analysis/ExpectedBenefit.h"
#include "analysis/Finding.h"
#include "analysis/MigrationWaits.h"
#include "analysis/SyncNecessity.h"
#include "analysis/TimelineReplay.h"
#include <memory>

namespace gmprof::analysis {

/// The runs; the same one several times where stages are merged.
struct SyncRuns {
  const profile::Profile *Trace = nullptr;
  const profile::Profile *Memory = nullptr;
  const profile::Profile *Use = nullptr; ///< null: Memory says when
  uint64_t WallNs = 0;                   ///< of the program, undisturbed
};

/// What is known of a call's copy.
struct CopyVerdict {
  bool Duplicate = false;         ///< the same was copied there before
  bool Identical = false;         ///< and was still there
  bool Overwritten = false;       ///< and was not; neither: that is not known
  uint32_t First = profile::None; ///< of a duplicate, the call that copied it first
  uint64_t Bytes = 0, Object = 0;
  log::CopyDirection Direction = log::CopyDirection::HostToDevice;
};

/// Per call of a trace.
std::vector<CopyVerdict> duplicateTransfers(const profile::Profile &P, const SyncTrace &T);

/// All calls from one place.
struct SyncSite {
  uint32_t CallPath = profile::None; ///< of SyncRuns::Trace
  std::string Api;
  uint64_t Calls = 0, Waits = 0, Waited = 0;
  uint64_t CallNs = 0, WaitNs = 0;
  MigrationWait Migration; ///< of all its waits, in the run that watched memory
  uint64_t Unnecessary = 0, Misplaced = 0, Needed = 0, Assumed = 0, OrdersStreams = 0, NotSeen = 0;
  /// Of the unnecessary ones, those of whose data only uses by instrumented code are seen.
  uint64_t UnnecessaryByCode = 0;
  bool Explicit = false;
  uint64_t FirstUses = 0, FirstUseNs = 0; ///< how many, and their sum
  uint32_t Use = profile::None;           ///< the first of them, in Profile::Uses of the run
  uint64_t UnnecessaryBenefit = 0, MisplacedBenefit = 0; ///< Figure 5
  std::optional<int64_t> ReplaySaving;                   ///< of all its problems of waits
  /// Copies.
  uint64_t Copies = 0, CopiedBytes = 0, Duplicates = 0, DuplicateBytes = 0, Identical = 0,
           Overwritten = 0;
  uint32_t FirstCopy = profile::None; ///< call path of the first copy of the same
  uint64_t Object = 0;
  log::CopyDirection Direction = log::CopyDirection::HostToDevice;
  uint64_t DuplicateBenefit = 0;
  std::optional<int64_t> DuplicateSaving;

  /// Of which there is a finding.
  bool hasProblem() const {
    return Duplicates != 0 || (Waited != 0 && Unnecessary + Misplaced != 0);
  }
  uint64_t benefit() const { return UnnecessaryBenefit + MisplacedBenefit + DuplicateBenefit; }
};

struct SyncFold {
  std::string Function; ///< that calls, without template arguments
  std::string Api;
  std::vector<uint32_t> Sites;
  uint64_t Benefit = 0;
};

struct SyncSequence {
  struct Entry {
    uint32_t Site = 0;
    uint64_t Waits = 0, Copies = 0; ///< with problems, in all of these sequences
  };
  std::vector<Entry> Entries; ///< in the order of the calls, each site once
  uint64_t Count = 0;         ///< such sequences
  uint64_t Benefit = 0;
};

struct SyncProblems {
  std::vector<SyncSite> Sites; ///< those with most benefit first
  std::vector<SyncFold> Folds;
  std::vector<SyncSequence> Sequences;
  uint64_t Calls = 0, ThreadCount = 0;
  bool GpuTimesKnown = false;
  CallMatch MemoryMatch, UseMatch;
  /// Uses by the host; of these, taken as such, seen by pages and said by instrumented code.
  uint64_t UsesSeen = 0, UsesAssumed = 0, UsesByPage = 0, UsesByCode = 0;
  /// Nothing: not known.
  std::optional<std::vector<MigratedObject>> Migrated;
};

/// What was found of a call of the traced run.
struct CallProblem {
  uint32_t Site = 0;                 ///< in SyncProblems::Sites
  uint32_t InMemory = profile::None; ///< the same call in Profile::Calls of the memory run
  SyncProblem Problem = SyncProblem::None;
  SyncVerdict::Need Is = SyncVerdict::Need::None;
  bool Waits = false, Duplicate = false, Identical = false;
  uint64_t FirstUseNs = 0; ///< after the program went on
};

/// PerCall: if not null, becomes what was found of each call, in the order of their begins.
SyncProblems syncProblems(const SyncRuns &Runs, std::vector<CallProblem> *PerCall = nullptr);

class SyncCollector;

struct SubsequenceBenefit {
  uint64_t Expected = 0;         ///< Figure 5, carried forward, in ns
  std::optional<int64_t> Replay; ///< by replaying the run, if the GPU's times are known
};

/// Any part of a sequence that a user would rather solve than all of it (Section 5.1,
/// Figure 8). Runs' profiles have to stay as long as this.
class SyncSubsequences {
public:
  explicit SyncSubsequences(const SyncRuns &Runs);
  ~SyncSubsequences();
  SyncSubsequences(const SyncSubsequences &) = delete;
  SyncSubsequences &operator=(const SyncSubsequences &) = delete;

  const SyncProblems &problems() const;
  /// Of entries First to Last, both included, each time that the sequence was run: what
  /// they save if the others stay as they are.
  SubsequenceBenefit of(size_t Sequence, size_t First, size_t Last) const;

private:
  std::unique_ptr<const SyncCollector> Collected;
};

/// A function's name without template arguments, parameters and return type.
std::string foldedName(const std::string &Demangled);

/// How much later than its wait a first use has to be; less is the noise of seeing it.
inline constexpr uint64_t MisplacedNs = 20'000;

/// With sources, not ranked. One per site and pattern.
std::vector<Finding> unnecessarySynchronizations(const SyncRuns &Runs, const SyncProblems &S);
std::vector<Finding> misplacedSynchronizations(const SyncRuns &Runs, const SyncProblems &S);
std::vector<Finding> duplicateTransferFindings(const SyncRuns &Runs, const SyncProblems &S);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNCPROBLEMS_H
