//===- SyncSkips.h - What a run can leave out to see what it saves -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An expected benefit is an estimate; whether it is right only a run says in which the
// calls are left out. Which of a finding's calls those are is decided here, by what was
// seen of each of them, and where it is not known that the program would do the same
// without them, the plan is a refusal that says why:
//
//   a wait goes     if it was seen that nothing needs it; others from the same place stay
//   a wait is late  if something needs it, but that comes later: it is made then
//   a copy goes     if its destination held the same bytes already; the wait that comes with
//                   it stays if something needs that
//
// Calls are told apart by place and number, so where some stay, the runs must have made the
// same calls, from one thread.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNCSKIPS_H
#define GMPROF_ANALYSIS_SYNCSKIPS_H

#include "analysis/SyncProblems.h"

namespace gmprof::analysis {

/// What goes of a call: more from one to the next.
enum class SkipAs : uint8_t { Stays, WaitLate, NoWait, NoCopyButWait, NoCopy };

/// Where calls are left out.
struct SkipPlace {
  /// Calls from there, by their numbers from 0, both included.
  struct Range {
    uint64_t First = 0, Last = 0;
    SkipAs As = SkipAs::Stays;
  };

  uint32_t Site = 0; ///< in SyncProblems::Sites
  std::string Api;
  std::string Place;         ///< of CallKeys, without the function
  std::vector<Range> Ranges; ///< in order, without those that stay
  uint64_t Calls = 0, Skipped = 0;
  /// Reasons for those that stay, and how many have it.
  std::vector<std::pair<std::string, uint64_t>> Left;
};

struct SkipPlan {
  std::string Refusal; ///< why nothing can be left out; empty: it can
  std::vector<SkipPlace> Places;
  unsigned Depth = 1; ///< frames that paths of this run have at most
  /// Memory that is not released may be given to the next allocation without waiting.
  bool Reuse = false;
  std::optional<int64_t> ReplaySaving; ///< of just these calls (TimelineReplay.h), in ns
  /// Kernels may access such memory of the program.
  bool KernelsAccessManaged = false, KernelsAccessPinned = false;
};

/// A finding.
struct SkipWish {
  std::string Pattern;
  uint32_t Site = 0; ///< in SyncProblems::Sites
};

/// Of all of them together. Empty places: those of a run that leaves nothing out.
SkipPlan planSkips(const SyncRuns &Runs, const std::vector<SkipWish> &Wishes);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNCSKIPS_H
