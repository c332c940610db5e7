//===- DependencyGraph.h - Which GPU API has to wait for which --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 5.1: the vertices are the GPU APIs, and an edge
// leads from one to another
//
//   Stream     that is the next of the same stream
//   Raw        that reads what the first allocated or wrote, if no API between
//              them writes it
//   Waw        that writes or frees what the first allocated or wrote, if no API
//              between them reads or writes it
//   War        that writes or frees what the first read, if no API between them
//              writes it
//
// where "what" is an object, all of it. Beyond the paper there are
//
//   Order      edges that the trace gives: events, cudaStreamWaitEvent,
//              synchronisation of the host, rules of the legacy default stream
//
// Timestamps are those of Kahn's algorithm in rounds (Section 5.3): round T takes all
// APIs that wait for no other any more. So an API's round comes right after the last one of
// those that it waits for; and as these were called before it, one walk over the calls
// finds all rounds without keeping the edges. The distance of two APIs is the difference
// of their timestamps.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_DEPENDENCYGRAPH_H
#define GMPROF_ANALYSIS_DEPENDENCYGRAPH_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <vector>

namespace gmprof::analysis {

enum class DependencyKind { Stream, Raw, Waw, War, Order };

struct Dependency {
  uint32_t From = 0, To = 0; ///< indices of APIs; From < To
  DependencyKind Kind = DependencyKind::Stream;
  uint32_t Object = 0; ///< of Raw, Waw and War
};

/// All edges, in the order of To.
std::vector<Dependency> dependencies(const profile::ApiTrace &Trace);

/// For each API, its round in Kahn's algorithm.
std::vector<uint32_t> topologicalTimestamps(const profile::ApiTrace &Trace);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_DEPENDENCYGRAPH_H
