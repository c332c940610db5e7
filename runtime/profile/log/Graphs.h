//===- Graphs.h - Records of graphs -----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LOG_GRAPHS_H
#define GMPROF_PROFILE_LOG_GRAPHS_H

#include <cstdint>

namespace gmprof::log {

/// An executable graph, and the launch contexts of its profiled kernel nodes.
struct GraphRecord {
  uint64_t graph; ///< 1, 2, … in order of creation
  uint32_t contextCount;
  uint32_t otherKernelNodes; ///< number of kernel nodes that are not profiled
};

enum class GraphNodeKind : uint32_t { Launch, Copy, Allocation, Release };

/// A graph node that is a GPU API in each launch of the graph. Written once.
struct GraphNodeRecord {
  uint64_t id;     ///< 1, 2, …
  uint64_t launch; ///< LaunchRecord::id of a kernel node, else 0
  uint64_t object; ///< id of the object that is allocated or released
  GraphNodeKind kind;
  uint32_t reserved;
};

struct GraphNodesRecord {
  uint64_t graph; ///< GraphRecord::graph
  uint32_t nodeCount;
  uint32_t edgeCount;
};

struct GraphLaunchRecord {
  uint64_t graph;
  uint64_t timeNs; ///< begin of the call, steady clock
  uint64_t stream;
  uint32_t device;
  uint32_t callPath; ///< CallPathRecord::id; 0: none
  uint32_t thread;   ///< host thread id (gettid)
  uint32_t reserved;
};

} // namespace gmprof::log

#endif // GMPROF_PROFILE_LOG_GRAPHS_H
