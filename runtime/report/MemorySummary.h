//===- MemorySummary.h - Memory in use in summary.json ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What analysis/ObjectInefficiencies.h says of a trace becomes part of a summary: peaks
// of memory in use, what could remain of them, first and last accesses of objects, and
// findings. Launches say what they access in a profile of objects only; without it,
// nothing is said but how much memory was in use.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MEMORYSUMMARY_H
#define GMPROF_REPORT_MEMORYSUMMARY_H

#include "analysis/ObjectInefficiencies.h"
#include "report/ObjectsSummary.h"
#include <string>
#include <vector>

namespace gmprof {

/// Whether the profile says which objects launches access.
bool profilesObjects(const profile::Run &R);

/// When an allocation has returned, or any other call begins: in the order of calls.
uint64_t effectNs(const profile::Api &A);

class MemorySummary {
public:
  /// The trace is that of the profile, which has to stay as long as this.
  MemorySummary(const profile::Profile &P, profile::ApiTrace Trace);

  const profile::ApiTrace &trace() const { return Trace; }
  const analysis::ObjectMemory &memory() const { return Memory; }

  /// After S.memory has been made and objects[] filled by Objects.
  void addTo(summary::Summary &S, ObjectsSummary &Objects) const;

  /// With sources and fingerprints; not ranked.
  std::vector<analysis::Finding> findings() const;

  std::optional<summary::ObjectCoverage> coverage() const;

  /// Lines of memory_over_time.csv, without its first one: device, API, seconds, bytes.
  std::string overTime(const ObjectsSummary &Objects) const;

  /// Of each device, at most this many, each the highest of its time.
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

#endif // GMPROF_REPORT_MEMORYSUMMARY_H
