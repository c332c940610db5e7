//===- SyncSkips.h - Plans runs without certain calls -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An expected benefit is an estimate; only a run without the calls can verify it. SyncSkips plans
// which of a finding's calls to skip, from the observations of each call. If it is unknown whether
// the program would behave the same, the plan is a refusal with a reason:
//
//   a wait goes     if nothing was seen to need it; others from the same site stay
//   a wait is late  if something needs it later: it is then made at that time
//   a copy goes     if its destination already held the same bytes; its wait stays if something
//                   needs that
//
// Calls are identified by site and number. If some calls of a site stay, the runs must have made
// the same calls, from one thread.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_SYNCSKIPS_H
#define GMPROF_ANALYSIS_SYNC_SYNCSKIPS_H

#include "analysis/sync/SyncProblems.h"

namespace gmprof::analysis {

/// The skipped part of a call, in increasing order.
enum class SkipAs : uint8_t { Stays, WaitLate, NoWait, NoCopyButWait, NoCopy };

/// A call site whose calls are skipped.
struct SkipPlace {
  /// Calls from the site, by number from 0, inclusive.
  struct Range {
    uint64_t First = 0, Last = 0;
    SkipAs As = SkipAs::Stays;
  };

  uint32_t Site = 0; ///< index in SyncProblems::Sites
  std::string Api;
  std::string Place;         ///< from CallKeys, without the function
  std::vector<Range> Ranges; ///< in order, without the calls that stay
  uint64_t Calls = 0, Skipped = 0;
  /// Reasons for the calls that stay, with their numbers.
  std::vector<std::pair<std::string, uint64_t>> Left;
};

struct SkipPlan {
  std::string Refusal; ///< why nothing can be skipped; empty: it can
  std::vector<SkipPlace> Places;
  unsigned Depth = 1; ///< maximum number of frames in the paths of this run
  /// True if memory that is not released may serve the next allocation without waiting.
  bool Reuse = false;
  std::optional<int64_t> ReplaySaving; ///< of these calls only (TimelineReplay.h), in ns
  /// True if kernels may access such memory.
  bool KernelsAccessManaged = false, KernelsAccessPinned = false;
};

/// A finding to test.
struct SkipWish {
  std::string Pattern;
  uint32_t Site = 0; ///< index in SyncProblems::Sites
};

/// Plans a run that applies all wishes. Places are empty if the run skips nothing.
SkipPlan planSkips(const SyncRuns &Runs, const std::vector<SkipWish> &Wishes);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_SYNCSKIPS_H
