//===- GraphNodes.cpp - What a graph does when it is launched -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/GraphNodes.h"
#include "host/core/Session.h"
#include "profile/Mutex.h"

namespace gmprof::host {

using log::GraphNodeKind;

uint64_t GraphNodes::add(const log::GraphNodeRecord &Record) {
  LockGuard Guard(Lock);
  log::GraphNodeRecord R = Record;
  R.id = ++LastId;
  S.log().graphNode(R);
  return R.id;
}

void GraphNodes::note(cudaGraphNode_t Node, uint64_t Id) {
  LockGuard Guard(Lock);
  Ids[Node] = Id;
}

namespace {

/// The graph that a stream captures, and the nodes that the next one waits for.
struct CaptureState {
  CUgraph Graph = nullptr;
  const CUgraphNode *Last = nullptr; ///< that what comes next waits for
  size_t Count = 0;

  CaptureState(const DriverApi &Api, cudaStream_t Stream) {
    CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t Sequence = 0;
    const CUgraphEdgeData *Edges = nullptr;
    if (!Api.cuStreamGetCaptureInfo ||
        Api.cuStreamGetCaptureInfo(Stream, &Status, &Sequence, &Graph, &Last, &Edges, &Count) !=
            CUDA_SUCCESS)
      *this = CaptureState();
  }

private:
  CaptureState() = default;
};

} // namespace

cudaGraph_t GraphNodes::capturedIn(const DriverApi &Api, cudaStream_t Stream) {
  return CaptureState(Api, Stream).Graph;
}

void GraphNodes::captured(cudaStream_t Stream, uint64_t Id) {
  // What comes next in the stream waits for this node alone.
  if (const CaptureState State(S.driver(), Stream); State.Count == 1)
    note(State.Last[0], Id);
}

void GraphNodes::capturedLaunch(cudaStream_t Stream, uint64_t Launch) {
  captured(Stream, add({0, Launch, 0, GraphNodeKind::Launch, 0}));
}

void GraphNodes::capturedTransfer(cudaStream_t Stream, const log::CopyRecord &Copy,
                                  std::string_view Api) {
  uint64_t Id;
  {
    LockGuard Guard(Lock);
    Id = ++LastId;
    S.log().graphCopyNode(Id, Copy, Api);
  }
  captured(Stream, Id);
}

void GraphNodes::capturedMemory(cudaStream_t Stream, GraphNodeKind Kind, const LiveObject &Object) {
  captured(Stream, memoryOf(Kind, Object));
}

void GraphNodes::launchNode(cudaGraphNode_t Node, uint64_t Launch) {
  note(Node, add({0, Launch, 0, GraphNodeKind::Launch, 0}));
}

void GraphNodes::memoryNode(cudaGraphNode_t Node, GraphNodeKind Kind, const LiveObject &Object) {
  note(Node, memoryOf(Kind, Object));
}

uint64_t GraphNodes::memoryOf(GraphNodeKind Kind, const LiveObject &Object) {
  {
    LockGuard Guard(Lock);
    ObjectAt[Object.Address] = Object;
  }
  return add({0, 0, Object.Id, Kind, 0});
}

/// Returns the object that a node allocates or releases, if it is known.
std::optional<LiveObject> GraphNodes::memoryOfNode(cudaGraphNode_t Node, CUgraphNodeType Type) {
  const DriverApi &Api = S.driver();
  CUdeviceptr Address = 0;
  if (Type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && Api.cuGraphMemAllocNodeGetParams) {
    CUDA_MEM_ALLOC_NODE_PARAMS Params = {};
    if (Api.cuGraphMemAllocNodeGetParams(Node, &Params) == CUDA_SUCCESS)
      Address = Params.dptr;
  } else if (Type == CU_GRAPH_NODE_TYPE_MEM_FREE && Api.cuGraphMemFreeNodeGetParams) {
    if (Api.cuGraphMemFreeNodeGetParams(Node, &Address) != CUDA_SUCCESS)
      Address = 0;
  }
  LockGuard Guard(Lock);
  auto It = ObjectAt.find(Address);
  return Address == 0 || It == ObjectAt.end() ? std::nullopt : std::optional(It->second);
}

std::vector<cudaGraphNode_t> GraphNodes::nodesOf(const DriverApi &Api, cudaGraph_t Graph) {
  size_t Count = 0;
  if (!Api.cuGraphGetNodes || Api.cuGraphGetNodes(Graph, nullptr, &Count) != CUDA_SUCCESS)
    return {};
  std::vector<cudaGraphNode_t> Nodes(Count);
  if (Count == 0 || Api.cuGraphGetNodes(Graph, Nodes.data(), &Count) != CUDA_SUCCESS)
    return {};
  return Nodes;
}

using Edge = std::pair<cudaGraphNode_t, cudaGraphNode_t>;

static std::vector<Edge> edgesOf(const DriverApi &Api, cudaGraph_t Graph) {
  size_t Count = 0;
  if (!Api.cuGraphGetEdges ||
      Api.cuGraphGetEdges(Graph, nullptr, nullptr, nullptr, &Count) != CUDA_SUCCESS || Count == 0)
    return {};
  std::vector<cudaGraphNode_t> From(Count), To(Count);
  std::vector<CUgraphEdgeData> Data(Count);
  if (Api.cuGraphGetEdges(Graph, From.data(), To.data(), Data.data(), &Count) != CUDA_SUCCESS)
    return {};
  std::vector<Edge> Edges;
  for (size_t I = 0; I < Count; ++I)
    Edges.emplace_back(From[I], To[I]);
  return Edges;
}

void GraphNodes::graphDestroyed(cudaGraph_t Graph) {
  const std::vector<cudaGraphNode_t> Nodes = nodesOf(S.driver(), Graph);
  LockGuard Guard(Lock);
  for (cudaGraphNode_t Node : Nodes)
    Ids.erase(Node);
}

uint64_t GraphNodes::transferNode(const Transfer &T, const char *Api) {
  const log::CopyRecord Copy = transferRecord(S, {Api, nullptr, nullptr, true, 0}, T);
  LockGuard Guard(Lock);
  S.log().graphCopyNode(++LastId, Copy, Api);
  return LastId;
}

CUgraphNodeType GraphNodes::typeOf(const DriverApi &Api, cudaGraphNode_t Node, cudaGraph_t &Child) {
  CUgraphNodeType Type = CU_GRAPH_NODE_TYPE_EMPTY;
  Child = nullptr;
  if (Api.cuGraphNodeGetType)
    Api.cuGraphNodeGetType(Node, &Type);
  if (Type == CU_GRAPH_NODE_TYPE_GRAPH && Api.cuGraphChildGraphNodeGetGraph &&
      Api.cuGraphChildGraphNodeGetGraph(Node, &Child) != CUDA_SUCCESS)
    Child = nullptr;
  return Type;
}

static bool isOfMemory(CUgraphNodeType Type) {
  return Type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || Type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

static GraphNodeKind memoryKind(CUgraphNodeType Type) {
  return Type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ? GraphNodeKind::Allocation : GraphNodeKind::Release;
}

/// Returns the number of a node in the log.
uint64_t GraphNodes::find(cudaGraphNode_t Node, CUgraphNodeType Type) {
  {
    LockGuard Guard(Lock);
    if (auto It = Ids.find(Node); It != Ids.end())
      return It->second;
  }
  const DriverApi &Api = S.driver();
  if (Type == CU_GRAPH_NODE_TYPE_MEMCPY && Api.cuGraphMemcpyNodeGetParams) {
    CUDA_MEMCPY3D Params = {};
    if (Api.cuGraphMemcpyNodeGetParams(Node, &Params) == CUDA_SUCCESS)
      return transferNode(copyOf(Params), "cudaGraphAddMemcpyNode");
  } else if (Type == CU_GRAPH_NODE_TYPE_MEMSET && Api.cuGraphMemsetNodeGetParams) {
    CUDA_MEMSET_NODE_PARAMS Params = {};
    if (Api.cuGraphMemsetNodeGetParams(Node, &Params) == CUDA_SUCCESS)
      return transferNode(setOf(reinterpret_cast<void *>(Params.dst), Params.pitch,
                                Params.width * Params.elementSize, Params.height),
                          "cudaGraphAddMemsetNode");
  } else if (isOfMemory(Type)) {
    if (std::optional<LiveObject> Object = memoryOfNode(Node, Type))
      return add({0, 0, Object->Id, memoryKind(Type), 0});
  } else if (Type == CU_GRAPH_NODE_TYPE_KERNEL || Type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    return add({0, 0, 0, GraphNodeKind::Launch, 0});
  }
  return 0;
}

/// Returns whether the node accesses memory of the host in a way that no record says.
bool GraphNodes::usesHost(cudaGraphNode_t Node, CUgraphNodeType Type) {
  switch (Type) {
  case CU_GRAPH_NODE_TYPE_HOST:
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return true;
  case CU_GRAPH_NODE_TYPE_MEMCPY: {
    const DriverApi &Api = S.driver();
    CUDA_MEMCPY3D Params = {};
    if (!Api.cuGraphMemcpyNodeGetParams ||
        Api.cuGraphMemcpyNodeGetParams(Node, &Params) != CUDA_SUCCESS)
      return true;
    const log::CopyRecord Copy = transferRecord(S, {"", nullptr, nullptr, true, 0}, copyOf(Params));
    return (Copy.to.host && Copy.to.object == 0) || (Copy.from.host && Copy.from.object == 0);
  }
  default:
    return false;
  }
}

/// Collects the nodes of a graph. First and Last receive the positions of the nodes that wait for
/// no node of the graph, and of those for which no node of the graph waits.
void GraphNodes::collect(cudaGraph_t Graph, Recorded &To, std::vector<uint32_t> &First,
                         std::vector<uint32_t> &Last) {
  // Where a node begins and ends; a child graph is between two that only order.
  std::unordered_map<cudaGraphNode_t, std::pair<uint32_t, uint32_t>> Positions;
  auto Append = [&](cudaGraphNode_t Node, uint64_t Id) {
    To.Nodes.push_back(Node);
    To.Ids.push_back(Id);
    return static_cast<uint32_t>(To.Ids.size() - 1);
  };
  std::unordered_map<cudaGraphNode_t, bool> WaitsFor, IsWaitedFor;
  const DriverApi &Api = S.driver();
  const std::vector<Edge> Edges = edgesOf(Api, Graph);
  for (auto [From, Behind] : Edges)
    IsWaitedFor[From] = WaitsFor[Behind] = true;
  for (cudaGraphNode_t Node : nodesOf(Api, Graph)) {
    cudaGraph_t Child = nullptr;
    const CUgraphNodeType Type = typeOf(Api, Node, Child);
    const bool IsGraph = Child != nullptr;
    const uint32_t Begin = Append(Node, IsGraph ? 0 : find(Node, Type));
    uint32_t End = Begin;
    if (S.sync())
      To.UsesHost |= usesHost(Node, Type);
    if (std::optional<LiveObject> Object = memoryOfNode(Node, Type))
      (memoryKind(Type) == GraphNodeKind::Allocation ? To.Allocated : To.Released)
          .push_back(*Object);
    if (IsGraph) {
      std::vector<uint32_t> FirstOfChild, LastOfChild;
      collect(Child, To, FirstOfChild, LastOfChild);
      End = Append(nullptr, 0);
      for (uint32_t Each : FirstOfChild)
        To.Edges.push_back({Begin, Each});
      for (uint32_t Each : LastOfChild)
        To.Edges.push_back({Each, End});
    }
    Positions[Node] = {Begin, End};
    if (!WaitsFor.count(Node))
      First.push_back(Begin);
    if (!IsWaitedFor.count(Node))
      Last.push_back(End);
  }
  for (auto [From, Behind] : Edges)
    To.Edges.push_back({Positions[From].second, Positions[Behind].first});
}

/// Leaves out what is in both.
static void leaveOutCommon(std::vector<LiveObject> &A, std::vector<LiveObject> &B) {
  std::erase_if(A, [&](const LiveObject &Each) {
    return std::erase_if(B, [&](const LiveObject &Other) { return Other.Id == Each.Id; }) != 0;
  });
}

GraphNodes::Recorded GraphNodes::record(uint64_t Graph, cudaGraph_t From) {
  Recorded All;
  std::vector<uint32_t> First, Last;
  collect(From, All, First, Last);
  leaveOutCommon(All.Allocated, All.Released);
  S.log().graphNodes(Graph, All.Ids, All.Edges);
  return All;
}

GraphNodes::Recorded GraphNodes::recordUnknown(uint64_t Graph) {
  Recorded All;
  All.UsesHost = true;
  All.Nodes.push_back(nullptr);
  All.Ids.push_back(add({0, 0, 0, GraphNodeKind::Launch, 0}));
  S.log().graphNodes(Graph, All.Ids, All.Edges);
  return All;
}

void GraphNodes::changeLaunch(uint64_t Graph, Recorded &Nodes, cudaGraphNode_t Node,
                              uint64_t Launch) {
  for (size_t I = 0; I < Nodes.Nodes.size(); ++I)
    if (Nodes.Nodes[I] == Node)
      Nodes.Ids[I] = add({0, Launch, 0, GraphNodeKind::Launch, 0});
  S.log().graphNodes(Graph, Nodes.Ids, Nodes.Edges);
}

} // namespace gmprof::host
