//===- Streams.h - Copies, graphs and the order in streams ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_STREAMS_H
#define GMPROF_PROFILE_MODEL_STREAMS_H

#include "profile/Name.h"
#include "profile/log/Graphs.h"
#include "profile/log/Streams.h"
#include "profile/model/Run.h"
#include <array>
#include <cstdint>
#include <vector>

namespace gmprof::profile {

/// A copy or set; see log::CopyRecord.
struct Copy {
  uint64_t Record = 0; ///< position of the record in the log
  Name Api;
  uint64_t BeginNs = 0, EndNs = 0;
  uint64_t Stream = 0;
  uint64_t RowBytes = 0, Rows = 1, Slices = 1;
  log::CopyOperand To = {}, From = {};
  log::HostWait Wait = log::HostWait::None;
  bool Set = false, Peer = false;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// A call that orders stream work or waits for it; see log::OrderRecord.
struct Order {
  uint64_t Record = 0; ///< position of the record in the log
  uint64_t BeginNs = 0, EndNs = 0;
  uint64_t Stream = 0, Event = 0;
  log::OrderKind Kind = log::OrderKind::DeviceSynchronized;
  bool NonBlocking = false;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

/// See log::GraphNodeRecord.
struct GraphNode {
  log::GraphNodeKind Kind = log::GraphNodeKind::Launch;
  uint32_t Launch = None; ///< index of a kernel node's launch; None: unknown
  uint64_t Object = 0;    ///< id of the object that is allocated or released
  Copy TheCopy = {};
};

/// Nodes of an executable graph: indices in Profile::Nodes; None for nodes that only order others.
struct GraphNodes {
  std::vector<uint32_t> Nodes;
  /// Positions in Nodes: the second waits for the first.
  std::vector<std::array<uint32_t, 2>> Edges;
};

struct GraphLaunch {
  uint64_t Record = 0; ///< position of the record in the log
  uint64_t TimeNs = 0;
  uint64_t Stream = 0;
  uint64_t Graph = 0;    ///< GraphRecord::graph
  uint32_t Nodes = None; ///< index in Profile::Graphs of the graph's state at this launch
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_STREAMS_H
