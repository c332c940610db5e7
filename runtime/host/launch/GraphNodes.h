//===- GraphNodes.h - What a graph does when it is launched -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node is recorded once: as it is captured, when the objects that it accesses are
// known, or as the program adds it; copies and sets that the program adds, when the
// graph is made executable. It is the driver that is asked, since graphs may be made by a libcudart
// that is linked in statically, or by the driver's own functions. An executable graph is recorded
// as the nodes that it has and which of them wait for which. Nodes of other kinds, as those of
// events and of the host, only order others. The nodes of a child graph stand in its place. A
// conditional node is one kernel that may access anything: which bodies run only the GPU knows.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_GRAPHNODES_H
#define GMPROF_HOST_LAUNCH_GRAPHNODES_H

#include "host/core/DriverApi.h"
#include "host/objects/Transfers.h"
#include "profile/Mutex.h"
#include <array>
#include <functional>
#include <unordered_map>
#include <vector>

namespace gmprof::host {

class GraphNodes {
public:
  explicit GraphNodes(Session &S) : S(S) {}

  /// Records that the stream's last call was captured as a node.
  void capturedLaunch(cudaStream_t Stream, uint64_t Launch);
  void capturedTransfer(cudaStream_t Stream, const log::CopyRecord &Copy, std::string_view Api);
  void capturedMemory(cudaStream_t Stream, log::GraphNodeKind Kind, const LiveObject &Object);
  /// Records a node that the program added or gave another kernel.
  void launchNode(cudaGraphNode_t Node, uint64_t Launch);
  void memoryNode(cudaGraphNode_t Node, log::GraphNodeKind Kind, const LiveObject &Object);
  void graphDestroyed(cudaGraph_t Graph);

  /// The nodes of an executable graph.
  struct Recorded {
    std::vector<cudaGraphNode_t> Nodes;
    std::vector<uint64_t> Ids; ///< 0: it only orders others
    std::vector<std::array<uint32_t, 2>> Edges;
    /// Objects that nodes allocate and none releases, and objects that nodes only release.
    std::vector<LiveObject> Allocated, Released;
    /// As log::ApiCallRecord::usesHost.
    bool UsesHost = false;
  };
  Recorded record(uint64_t Graph, cudaGraph_t From);
  /// Records a graph whose making was not seen as one kernel that may access any object.
  Recorded recordUnknown(uint64_t Graph);
  /// Records that a node of an executable graph has another kernel now.
  void changeLaunch(uint64_t Graph, Recorded &Nodes, cudaGraphNode_t Node, uint64_t Launch);

  /// Returns the graph that is captured in the stream; null if it is unknown.
  static cudaGraph_t capturedIn(const DriverApi &Api, cudaStream_t Stream);
  static std::vector<cudaGraphNode_t> nodesOf(const DriverApi &Api, cudaGraph_t Graph);
  /// Returns the node's type, and in Child its child graph or null.
  static CUgraphNodeType typeOf(const DriverApi &Api, cudaGraphNode_t Node, cudaGraph_t &Child);

private:
  uint64_t add(const log::GraphNodeRecord &Record);
  void captured(cudaStream_t Stream, uint64_t Id);
  void note(cudaGraphNode_t Node, uint64_t Id);
  uint64_t find(cudaGraphNode_t Node, CUgraphNodeType Type);
  uint64_t memoryOf(log::GraphNodeKind Kind, const LiveObject &Object);
  bool usesHost(cudaGraphNode_t Node, CUgraphNodeType Type);
  std::optional<LiveObject> memoryOfNode(cudaGraphNode_t Node, CUgraphNodeType Type);
  uint64_t transferNode(const Transfer &T, const char *Api);
  void collect(cudaGraph_t Graph, Recorded &To, std::vector<uint32_t> &First,
               std::vector<uint32_t> &Last);

  Session &S;
  Mutex Lock;
  uint64_t LastId GMPROF_GUARDED_BY(Lock) = 0;
  std::unordered_map<cudaGraphNode_t, uint64_t> Ids GMPROF_GUARDED_BY(Lock);
  /// The last object at an address. Graphs that are nodes of others are copies, whose nodes
  /// have other handles, but the same addresses.
  std::unordered_map<uint64_t, LiveObject> ObjectAt GMPROF_GUARDED_BY(Lock);
};

/// Records cudaGraphAddNode of a node that allocates or releases memory. Plain makes the call.
cudaError_t addMemoryNode(const void *Caller, const cudaGraphNode_t *Node,
                          const cudaGraphNodeParams &Params,
                          const std::function<cudaError_t()> &Plain);

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_GRAPHNODES_H
