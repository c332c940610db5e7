//===- MemorySummary.h - Memory in use in summary.json ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the results of analysis/objects/ObjectInefficiencies.h to a summary: peaks of memory in use,
// now and with the findings fixed, first and last accesses of objects, and findings. Only a profile
// of objects contains the accesses of launches; others yield memory in use only.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_MEMORYSUMMARY_H
#define GMPROF_REPORT_BUILDER_MEMORYSUMMARY_H

#include "analysis/objects/ObjectInefficiencies.h"
#include "report/builder/ObjectsSummary.h"
#include <string>
#include <vector>

namespace gmprof {

/// Returns true if the profile tells which objects launches access.
bool profilesObjects(const profile::Run &R);

/// Returns when an allocation returned, or any other call began; ascends in the order of calls.
uint64_t effectNs(const profile::Api &A);

class MemorySummary {
public:
  /// Prepares the summary of P, which must outlive this. Trace: the trace of P.
  MemorySummary(const profile::Profile &P, profile::ApiTrace Trace);

  const profile::ApiTrace &trace() const { return Trace; }
  const analysis::ObjectMemory &memory() const { return Memory; }

  /// Requires that S.memory exists and Objects has filled objects[].
  void addTo(summary::Summary &S, ObjectsSummary &Objects) const;

  /// Returns the findings with sources and fingerprints, unranked.
  std::vector<analysis::Finding> findings() const;

  std::optional<summary::ObjectCoverage> coverage() const;

  /// Returns the lines of memory_over_time.csv without the header: device, API, seconds, bytes.
  std::string overTime(const ObjectsSummary &Objects) const;

  /// Maximum number of lines per device; each is the highest value in its time slice.
  static constexpr size_t MaxTimes = 65'536;

private:
  void addEndsOfGraphMemory(summary::Summary &S, const ObjectsSummary &Objects) const;
  void addAccesses(summary::Summary &S, ObjectsSummary &Objects) const;
  summary::Access access(uint32_t Api, ObjectsSummary &Objects) const;

  const profile::Profile &P;
  profile::ApiTrace Trace;
  analysis::ObjectMemory Memory;
};

inline constexpr char MemoryOverTimeHeader[] = "device,api,seconds,bytes\n";

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_MEMORYSUMMARY_H
