//===- PerfettoTrace.h - A timeline for the Perfetto UI ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the trace event format (JSON), for https://ui.perfetto.dev and chrome://tracing. The
// timeline appears twice: in real time, and in the topological time of the dependency graph
// (analysis/objects/DependencyGraph.h), one step of which is 10 µs:
//
//   GPU APIs   One track per stream. A slice is the call on the host, from its begin to its return
//              (1 µs if that is unknown, as for launches); when the device executed it is unknown
//   Objects    One track per object: a slice from allocation to release, which contains one from
//              the first to the last use. If there are many objects, the smaller ones share tracks
//   counters   bytes in use per device
//   flows      from a call to the objects that it allocates or accesses
//   regions    marked by the program (gmprof/gmprof.h), one track per thread, in real time only
//   instants   findings, on the objects' tracks, at the call to change
//
// Events are written immediately, so that memory does not grow with the file.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_PERFETTOTRACE_H
#define GMPROF_REPORT_FORMATS_PERFETTOTRACE_H

#include "analysis/objects/ObjectAnalysis.h"
#include <cstdio>

namespace gmprof {

/// Number of calls above which flows are omitted by default: viewers become slow, and flows make up
/// half of the file.
inline constexpr size_t MaxApisWithFlows = 250'000;

struct PerfettoOptions {
  bool Flows = true;
  unsigned ObjectTracks = 1000; ///< number of the largest objects that have their own track
};

/// Returns false with errno set if writing failed.
bool writePerfettoTrace(const profile::Profile &P, const analysis::ObjectAnalysis &Analysis,
                        std::FILE *To, const PerfettoOptions &Options = {});

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_PERFETTOTRACE_H
