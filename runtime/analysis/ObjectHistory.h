//===- ObjectHistory.h - When objects are used ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory access trace of DrGPUM (ASPLOS'23, Section 5.1 and Figure 2), object
// by object: the APIs that access it, in topological time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTHISTORY_H
#define GMPROF_ANALYSIS_OBJECTHISTORY_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <vector>

namespace gmprof::analysis {

class ObjectHistory {
public:
  /// Timestamps are those of the dependency graph (DependencyGraph.h). Both must
  /// outlive the history.
  ObjectHistory(const profile::ApiTrace &Trace, const std::vector<uint32_t> &Timestamps);

  const profile::ApiTrace &trace() const { return Trace; }
  uint32_t timestamp(uint32_t Api) const { return Timestamps[Api]; }

  /// The APIs that access the object, by timestamp, then by the order of calls.
  const std::vector<uint32_t> &uses(uint32_t Object) const { return Uses[Object]; }

  /// Whether the program allocates it. Variables of modules come with them.
  bool isAllocated(uint32_t Object) const;

private:
  const profile::ApiTrace &Trace;
  const std::vector<uint32_t> &Timestamps;
  std::vector<std::vector<uint32_t>> Uses;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTHISTORY_H
