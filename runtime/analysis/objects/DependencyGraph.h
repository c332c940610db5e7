//===- DependencyGraph.h - Dependency graph of GPU APIs ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 5.1: the vertices are GPU APIs; edges lead from one API to another
//
//   Stream     that is the next in the same stream
//   Raw        that reads an object that the first allocated or wrote, if no API in between writes
//              it
//   Waw        that writes or frees an object that the first allocated or wrote, if no API in
//              between accesses it
//   War        that writes or frees an object that the first read, if no API in between writes it
//
// Objects are taken as a whole. In addition to the paper:
//
//   Order      edges of the trace: events, cudaStreamWaitEvent, synchronisation of the host, rules
//              of the legacy default stream
//
// Timestamps are the rounds of Kahn's algorithm (Section 5.3): round T takes all APIs that wait for
// no remaining API. An API's round therefore follows the last round of its predecessors; as these
// were called earlier, one walk over the calls computes all rounds without storing edges. The
// distance of two APIs is the difference of their timestamps.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_DEPENDENCYGRAPH_H
#define GMPROF_ANALYSIS_OBJECTS_DEPENDENCYGRAPH_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <vector>

namespace gmprof::analysis {

enum class DependencyKind { Stream, Raw, Waw, War, Order };

struct Dependency {
  uint32_t From = 0, To = 0; ///< indices of APIs; From < To
  DependencyKind Kind = DependencyKind::Stream;
  uint32_t Object = 0; ///< for Raw, Waw and War
};

/// Returns all edges, ordered by To.
std::vector<Dependency> dependencies(const profile::ApiTrace &Trace);

/// Returns each API's round in Kahn's algorithm.
std::vector<uint32_t> topologicalTimestamps(const profile::ApiTrace &Trace);

/// Returns true if edges lead from one API to a later one. Walks over the trace.
bool precedes(const profile::ApiTrace &Trace, uint32_t From, uint32_t To);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_DEPENDENCYGRAPH_H
