//===- MemorySummary.h - Memory in use in summary.json ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the results of analysis/objects/ObjectAnalysis.h to a summary: peaks of memory in use,
// now and with the findings fixed, the owners of the memory, and first and last accesses of
// objects. Only a profile of objects contains the accesses of launches; others yield memory in use
// only.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_MEMORYSUMMARY_H
#define GMPROF_REPORT_BUILDER_MEMORYSUMMARY_H

#include "analysis/objects/ObjectAnalysis.h"
#include "report/builder/ObjectsSummary.h"
#include <string>
#include <vector>

namespace gmprof {

class MemorySummary {
public:
  /// Prepares the summary of P. Of: the results for P. Both must outlive this.
  MemorySummary(const profile::Profile &P, const analysis::ObjectAnalysis &Of)
      : P(P), Trace(Of.Trace), Memory(Of.Memory) {}

  /// Requires that S.memory exists and Objects has filled objects[].
  void addTo(summary::Summary &S, ObjectsSummary &Objects) const;

  std::optional<summary::ObjectCoverage> coverage() const;

  /// Returns the lines of memory_over_time.csv without the header: device, API, seconds, bytes.
  std::string overTime(const ObjectsSummary &Objects) const;

  /// Maximum number of lines per device; each is the highest value in its time slice.
  static constexpr size_t MaxTimes = 65'536;

private:
  void addEndsOfGraphMemory(summary::Summary &S, const ObjectsSummary &Objects) const;
  void addAccounts(summary::Memory &To) const;
  void addAccesses(summary::Summary &S, ObjectsSummary &Objects) const;
  summary::Access access(uint32_t Api, ObjectsSummary &Objects) const;

  const profile::Profile &P;
  const profile::ApiTrace &Trace;
  const analysis::ObjectMemory &Memory;
};

inline constexpr char MemoryOverTimeHeader[] = "device,api,seconds,bytes\n";

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_MEMORYSUMMARY_H
