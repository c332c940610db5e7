//===- ObjectHistory.h - When objects are used ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory access trace of DrGPUM (ASPLOS'23, Section 5.1 and Figure 2), object
// by object: the APIs that access it, in topological time; and when something else may
// have accessed it that was not observed:
//
//   - a launch whose accesses were inferred from its parameters may access any object
//     that is in memory when it is called
//   - the host may access managed and pinned memory at any time
//   - if the program died, it might have used what it had later
//   - a slab is used as long as parts of it are handed out; and its parts may be by what
//     accesses the slab as a whole
//
// A pattern that rests on there being no access holds only where none of these is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTHISTORY_H
#define GMPROF_ANALYSIS_OBJECTHISTORY_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace gmprof::analysis {

class ObjectHistory {
public:
  /// Timestamps are those of the dependency graph (DependencyGraph.h). Both must
  /// outlive the history. Complete: the trace goes on until the program's end.
  ObjectHistory(const profile::ApiTrace &Trace, const std::vector<uint32_t> &Timestamps,
                bool Complete = true);

  const profile::ApiTrace &trace() const { return Trace; }
  uint32_t timestamp(uint32_t Api) const { return Timestamps[Api]; }

  /// The APIs that access the object, by timestamp, then by the order of calls.
  const std::vector<uint32_t> &uses(uint32_t Object) const { return Uses[Object]; }

  /// Whether the program allocates it. Variables of modules come with them.
  bool isAllocated(uint32_t Object) const;

  bool isComplete() const { return Complete; }

  /// Whether something may access the object between two APIs that was not observed.
  /// Between is later than After and earlier than Before in the order of calls, or at
  /// timestamps from one's to the other's.
  bool mayBeUsed(uint32_t Object, uint32_t After, uint32_t Before) const;
  /// The same until it is released, or until the end.
  bool mayBeUsedAfter(uint32_t Object, uint32_t After) const;
  /// At any time.
  bool mayBeUsed(uint32_t Object) const;
  /// At any time, by a launch.
  bool mayBeUsedByLaunch(uint32_t Object) const;

  /// Launches whose accesses were not observed.
  uint64_t inferredLaunches() const { return InferredCalls.size(); }

private:
  bool usedUnseen(uint32_t Object) const;
  bool inferredBetween(uint32_t After, std::optional<uint32_t> Before) const;

  const profile::ApiTrace &Trace;
  const std::vector<uint32_t> &Timestamps;
  const bool Complete;
  std::vector<std::vector<uint32_t>> Uses;
  std::vector<bool> IsSlab; ///< parts of it are objects
  /// Launches whose accesses were not observed, and their timestamps, sorted.
  std::vector<uint32_t> InferredCalls, InferredTimes;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTHISTORY_H
