//===- PerfettoTrace.h - A timeline for the Perfetto UI ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace in the trace event format (JSON), which https://ui.perfetto.dev and
// chrome://tracing open. Twice the same: in real time, and in the topological time of
// the dependency graph (analysis/DependencyGraph.h), where one step is 10 µs:
//
//   GPU APIs   a track for each stream. A slice is the call on the host, from its begin
//              to its return (1 µs where that is not known, as of launches); when the
//              device did the work is not known
//   Objects    a track for each object: a slice from its allocation to its release, and
//              in it one from its first to its last use. The smaller ones of many share
//              tracks
//   counters   of bytes in use on each device
//   flows      from an API to the objects that it allocates or accesses
//   regions    that the program told (gmprof/gmprof.h), a track for each thread, in real
//              time only
//   instants   on the objects' tracks: findings, where the program would be changed
//
// Events are written as they are made, so that memory does not grow with the file.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_PERFETTOTRACE_H
#define GMPROF_REPORT_PERFETTOTRACE_H

#include "report/MemorySummary.h"
#include <cstdio>

namespace gmprof {

/// From that many on the viewers get slow, and flows make half of the file.
inline constexpr size_t MaxApisWithFlows = 250'000;

struct PerfettoOptions {
  bool Flows = true;
  unsigned ObjectTracks = 1000; ///< objects with a track of their own, the largest ones
};

/// False if To cannot be written; errno says why.
bool writePerfettoTrace(const profile::Profile &P, const MemorySummary &Memory, std::FILE *To,
                        const PerfettoOptions &Options = {});

} // namespace gmprof

#endif // GMPROF_REPORT_PERFETTOTRACE_H
