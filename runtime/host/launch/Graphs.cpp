//===- Graphs.cpp - Kernel nodes of graphs --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/Graphs.h"
#include "host/core/Session.h"
#include "host/launch/Launch.h"
#include "profile/Mutex.h"
#include <cstring>
#include <map>

namespace gmprof::host {

KernelNodeRequest Graphs::request(const cudaKernelNodeParams &Params) {
  KernelNodeRequest R;
  R.Symbol = Params.func;
  R.Grid = Params.gridDim;
  R.Block = Params.blockDim;
  R.DynamicShared = Params.sharedMemBytes;
  R.Packed = Params.extra != nullptr;
  std::string Why;
  DeviceState *D = S.device(R.Symbol, Why);
  Kernel *K = D ? D->TheKernels.get(R.Symbol) : nullptr;
  if (!K || !Params.kernelParams)
    return R;
  std::vector<size_t> Sizes = KernelModule::paramSizes(S.driver(), K->Original);
  for (size_t I = 0; I < Sizes.size(); ++I) {
    const char *Value = static_cast<const char *>(Params.kernelParams[I]);
    R.Values.emplace_back(Value, Value + Sizes[I]);
  }
  return R;
}

/// Plans the node, gives it a context (the old one if it is of the same shape)
/// and has Set put the clone in. Returns nothing where the program's kernel stays.
template <typename Setter>
Graphs::ContextRef Graphs::replaceKernel(const KernelNodeRequest &R, LaunchPlace Place,
                                         ContextRef Old, uint64_t &LaunchId, Setter Set) {
  std::string Why;
  DeviceState *D = S.device(R.Symbol, Why);
  Kernel *K = D ? D->TheKernels.get(R.Symbol, KernelHandle::Stub, /*Wait=*/true) : nullptr;
  if (!K)
    return {};
  std::vector<void *> Args;
  for (const std::vector<char> &Value : R.Values)
    Args.push_back(const_cast<char *>(Value.data()));

  LaunchRequest Request = {R.Symbol, R.Grid, R.Block, Args.data(), R.DynamicShared, nullptr};
  const std::shared_ptr<const LaunchObjects> Objects = objectsOf(S, *D, *K, Request);
  log::LaunchRecord Record = launchRecord(S, *D, *K, Request, *Objects);
  Record.graph = static_cast<uint32_t>(Place);
  LaunchPlan Plan;
  const DriverApi &Api = D->TheDevice->api();
  const uint64_t Number = K->Launches->next().Profiled;
  if (K->NeverProfiled.empty() &&
      (R.Packed || R.Values.size() != K->ParamCount || !Api.cuGraphKernelNodeGetParams ||
       !Api.cuGraphKernelNodeSetParams || !Api.cuGraphExecKernelNodeSetParams)) {
    Plan.Mode = log::LaunchMode::Refused;
    Plan.Why = "the arguments of this kernel node are in a form that cannot be extended";
  } else {
    Plan = planLaunch(*D, S.options(), {*K, Request, Objects, Place}, Number);
  }

  ContextRef Used;
  bool Reused = Plan.Run && Old.Device == D && Old.Profiler == Plan.Profiler && Old.Context &&
                Plan.Counters->countsIn(*Old.Context);
  if (Plan.Run)
    Used = {D, Plan.Profiler,
            Reused ? Old.Context
                   : Plan.Counters->acquire(Request, Record.id, /*Capturing=*/true, Plan.Why)};
  if (Used.Context) {
    CloneParameter Parameter = Plan.Counters->parameter(*Used.Context);
    Args = cloneArgs(*K, Args.data(), Parameter);
    CUDA_KERNEL_NODE_PARAMS Params = {};
    Params.func = Plan.Run->Function;
    Params.gridDimX = R.Grid.x;
    Params.gridDimY = R.Grid.y;
    Params.gridDimZ = R.Grid.z;
    Params.blockDimX = R.Block.x;
    Params.blockDimY = R.Block.y;
    Params.blockDimZ = R.Block.z;
    Params.sharedMemBytes = Plan.DynamicShared;
    Params.kernelParams = Args.data();
    if (CUresult Error = Set(Api, Params)) {
      Plan.Why = "its clone could not be put into the graph: " + describe(Error);
      if (!Reused)
        Plan.Profiler->contexts().abandoned(Used.Context);
      Used = {};
    }
  }
  if (!Used.Context && Plan.Run && Plan.ModeWithoutClone) {
    Plan.Run = nullptr;
    Plan.Mode = *Plan.ModeWithoutClone;
  }
  if (Used.Context) {
    Plan.Counters->started();
    K->Launches->cloneRan(Plan.Profiler->index());
    Used.LogId = Plan.Counters->logContext(*Used.Context);
  } else if (const uint64_t Context = Plan.contextWithoutClone()) {
    Used = {D, Plan.Profiler, nullptr, Context};
  }
  if (Used.LogId != 0 && !Used.Context)
    capturedWithoutClone(Used.LogId);
  if (Used.LogId != 0 && Used.LogId == Old.LogId)
    return Used; // the record of the node is in the log already
  const bool Profiled = Used.LogId != 0 || Used.Context;
  bool Refused = Plan.Run || Plan.Mode == log::LaunchMode::Refused;
  Record.mode = !Profiled && Refused ? log::LaunchMode::Refused : Plan.Mode;
  Record.context = Used.LogId;
  Record.reason = Profiled ? 0 : S.log().reason(Plan.Why);
  S.log().launch(Record);
  if (Used.Context)
    Plan.Counters->recorded(*Used.Context, Record.id);
  LaunchId = Record.id;
  return Profiled ? Used : ContextRef{};
}

/// Returns the record of a node that functions of the driver made; 0 if it is unknown. The node has
/// the program's own kernel, because GMProf does not follow later changes by the driver's
/// functions.
uint64_t Graphs::recordOfDriver(const CUDA_KERNEL_NODE_PARAMS &P) {
  LaunchRequest R = {P.func ? static_cast<const void *>(P.func) : P.kern,
                     dim3(P.gridDimX, P.gridDimY, P.gridDimZ),
                     dim3(P.blockDimX, P.blockDimY, P.blockDimZ),
                     P.kernelParams,
                     P.sharedMemBytes,
                     nullptr};
  R.Handle = KernelHandle::Function;
  std::string Why;
  DeviceState *D = R.Symbol ? S.device(R.Symbol, Why, R.Handle) : nullptr;
  Kernel *K = D ? D->TheKernels.get(R.Symbol, R.Handle) : nullptr;
  if (!K)
    return 0;
  log::LaunchRecord Record = launchRecord(S, *D, *K, R, *objectsOf(S, *D, *K, R));
  Record.graph = 1;
  K->Launches->next();
  if (K->Awaits)
    K->Launches->awaitedClone();
  if (K->NeverProfiled.empty())
    Why = "the driver's functions made it a node of a graph";
  Record.mode = log::LaunchMode::Plain;
  Record.reason = S.log().reason(Why);
  S.log().launch(Record);
  return Record.id;
}

void Graphs::nodeChangedByDriver(cudaGraphNode_t Node, const CUDA_KERNEL_NODE_PARAMS &P) {
  S.graphNodes().launchNode(Node, recordOfDriver(P));
}

void Graphs::execNodeChangedByDriver(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                     const CUDA_KERNEL_NODE_PARAMS &P) {
  LockGuard Guard(Lock);
  auto It = Executables.find(Exec);
  if (It == Executables.end())
    return;
  Executable &E = It->second;
  S.graphNodes().changeLaunch(E.Id, E.All, Node, recordOfDriver(P));
  if (E.Nodes.erase(Node) == 0)
    return;
  ++E.OtherKernelNodes;
  record(E);
}

/// Returns whether a kernel's node is in a body. In: as for nodeChanged().
bool Graphs::isInBody(cudaGraphNode_t Node, cudaGraph_t In) {
  LockGuard Guard(BodiesLock);
  if (Bodies.count(In) != 0)
    NodesOfBodies.insert(Node);
  else if (In)
    NodesOfBodies.erase(Node);
  return NodesOfBodies.count(Node) != 0;
}

void Graphs::nodeChanged(cudaGraphNode_t Node, const KernelNodeRequest &R, cudaGraph_t In) {
  uint64_t Launch = 0;
  const LaunchPlace Place = isInBody(Node, In) ? LaunchPlace::GraphBody : LaunchPlace::Graph;
  replaceKernel(R, Place, {}, Launch,
                [&](const DriverApi &Api, const CUDA_KERNEL_NODE_PARAMS &Params) {
                  return Api.cuGraphKernelNodeSetParams(Node, &Params);
                });
  S.graphNodes().launchNode(Node, Launch);
}

void Graphs::execNodeChanged(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                             const KernelNodeRequest &R) {
  LockGuard Guard(Lock);
  auto It = Executables.find(Exec);
  if (It == Executables.end())
    return;
  Executable &E = It->second;
  const auto Set = [&](const DriverApi &Api, const CUDA_KERNEL_NODE_PARAMS &Params) {
    return Api.cuGraphExecKernelNodeSetParams(Exec, Node, &Params);
  };
  uint64_t Launch = 0;
  if (isInBody(Node, nullptr)) {
    const ContextRef InBody =
        replaceKernel(R, LaunchPlace::GraphBody, E.InBodies[Node], Launch, Set);
    if (InBody.Context)
      E.InBodies[Node] = InBody;
    else
      E.InBodies.erase(Node);
    E.OthersInBodies |= !InBody.Context;
    return;
  }
  auto Old = E.Nodes.find(Node);
  ContextRef Before = Old == E.Nodes.end() ? ContextRef{} : Old->second;
  ContextRef After = replaceKernel(R, LaunchPlace::Graph, Before, Launch, Set);
  if (Launch != 0)
    S.graphNodes().changeLaunch(E.Id, E.All, Node, Launch);
  if (After == Before || (After.LogId == 0 && Before.LogId == 0))
    return;
  if (After.LogId != 0) {
    E.Nodes[Node] = After;
    E.OtherKernelNodes -= Before.LogId != 0 ? 0 : 1;
  } else {
    E.Nodes.erase(Node);
    ++E.OtherKernelNodes;
  }
  record(E);
}

/// Returns the context of a node with the program's own kernel, which closed forms may describe
/// completely.
Graphs::ContextRef Graphs::contextOfOriginal(const CUDA_KERNEL_NODE_PARAMS &Params) {
  Kernel *K = nullptr;
  DeviceState *D = S.findOriginal(Params.func, K);
  if (!D || !K->NeverProfiled.empty())
    return {};
  std::vector<ContextRef> Possible;
  D->Profilers.contextsOfOriginal(*K,
                                  {{Params.gridDimX, Params.gridDimY, Params.gridDimZ},
                                   {Params.blockDimX, Params.blockDimY, Params.blockDimZ},
                                   Params.kernelParams},
                                  Params.sharedMemBytes,
                                  [&](LaunchProfiler &Profiler, uint64_t Context) {
                                    Possible.push_back({D, &Profiler, nullptr, Context});
                                  });
  LockGuard Guard(WithoutCloneLock);
  for (const ContextRef &Each : Possible)
    if (WithoutClone.contains(Each.LogId)) // nodes that are not in the sample look the same
      return Each;
  return {};
}

void Graphs::capturedWithoutClone(uint64_t LogId) {
  LockGuard Guard(WithoutCloneLock);
  WithoutClone.insert(LogId);
}

/// Returns the context that the node counts in; nothing if it is not profiled.
Graphs::ContextRef Graphs::contextOf(cudaGraphNode_t Node) {
  DeviceState *Any = S.openDevice();
  if (!Any || !Any->TheDevice->api().cuGraphKernelNodeGetParams)
    return {};
  CUDA_KERNEL_NODE_PARAMS Params = {};
  if (Any->TheDevice->api().cuGraphKernelNodeGetParams(Node, &Params) != CUDA_SUCCESS ||
      !Params.func || !Params.kernelParams)
    return {};
  CloneFunction Clone;
  DeviceState *D = S.findClone(Params.func, Clone);
  if (!D)
    return contextOfOriginal(Params);
  LaunchProfiler &Profiler = D->Profilers.at(Clone.Profile);
  const void *Parameter = Params.kernelParams[Clone.ParamCount];
  uint64_t Key = 0;
  std::memcpy(&Key, static_cast<const char *>(Parameter) + Profiler.graphKeyOffset(), sizeof(Key));
  LaunchContext *C = Profiler.contexts().findGraphContext(Key);
  return {D, &Profiler, C, C ? Profiler.logContext(*C) : 0};
}

bool Graphs::nodeParams(cudaGraphNode_t Node, cudaKernelNodeParams &To) {
  ContextRef C = contextOf(Node);
  const Kernel *K = C.Context ? C.Device->TheKernels.findById(C.Context->Kernel) : nullptr;
  if (!K)
    return false;
  CUDA_KERNEL_NODE_PARAMS Params = {};
  C.Device->TheDevice->api().cuGraphKernelNodeGetParams(Node, &Params);
  To.func = const_cast<void *>(K->Symbol);
  To.gridDim = dim3(Params.gridDimX, Params.gridDimY, Params.gridDimZ);
  To.blockDim = dim3(Params.blockDimX, Params.blockDimY, Params.blockDimZ);
  To.sharedMemBytes = C.Profiler->dynamicShared(*C.Context, Params.sharedMemBytes);
  To.kernelParams = Params.kernelParams;
  To.extra = nullptr;
  return true;
}

void Graphs::conditionalAdded(cudaGraphNode_t Node, std::span<const cudaGraph_t> Added) {
  LockGuard Guard(BodiesLock);
  BodiesOf[Node].assign(Added.begin(), Added.end());
  Bodies.insert(Added.begin(), Added.end());
}

LaunchPlace Graphs::placeOfCapture(cudaStream_t Stream) {
  const cudaGraph_t Graph = GraphNodes::capturedIn(S.driver(), Stream);
  LockGuard Guard(BodiesLock);
  return Bodies.count(Graph) != 0 ? LaunchPlace::GraphBody : LaunchPlace::Graph;
}

void Graphs::graphDestroyed(cudaGraph_t Graph) {
  for (cudaGraphNode_t Node : GraphNodes::nodesOf(S.driver(), Graph)) {
    std::vector<cudaGraph_t> Gone;
    {
      LockGuard Guard(BodiesLock);
      NodesOfBodies.erase(Node);
      if (auto It = BodiesOf.find(Node); It != BodiesOf.end()) {
        Gone = std::move(It->second);
        BodiesOf.erase(It);
      }
    }
    for (cudaGraph_t Body : Gone) {
      graphDestroyed(Body);
      LockGuard Guard(BodiesLock);
      Bodies.erase(Body);
    }
  }
}

/// Returns whether a kernel node accesses nothing that the profile records.
bool Graphs::hasNothingToProfile(cudaGraphNode_t Node) {
  CUDA_KERNEL_NODE_PARAMS Params = {};
  Kernel *K = nullptr;
  return S.driver().cuGraphKernelNodeGetParams &&
         S.driver().cuGraphKernelNodeGetParams(Node, &Params) == CUDA_SUCCESS &&
         S.findOriginal(Params.func, K) && K->hasNothingToProfile() && Params.sharedMemBytes == 0;
}

void Graphs::collectBodies(cudaGraphNode_t Conditional, Executable &To) {
  std::vector<cudaGraph_t> Known;
  {
    LockGuard Guard(BodiesLock);
    if (auto It = BodiesOf.find(Conditional); It != BodiesOf.end())
      Known = It->second;
  }
  To.OthersInBodies |= Known.empty();
  for (cudaGraph_t Body : Known)
    collectBody(Body, To);
}

void Graphs::collectBody(cudaGraph_t Body, Executable &To) {
  for (cudaGraphNode_t Node : GraphNodes::nodesOf(S.driver(), Body)) {
    cudaGraph_t Child = nullptr;
    const CUgraphNodeType Type = GraphNodes::typeOf(S.driver(), Node, Child);
    if (Child)
      collectBody(Child, To);
    if (Type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
      collectBodies(Node, To);
    if (Type != CU_GRAPH_NODE_TYPE_KERNEL)
      continue;
    // Nodes of a child graph may be those of another graph as well, and know their launches so.
    ContextRef C = contextOf(Node);
    if (C.Context && C.Context->InBody)
      To.InBodies[Node] = C;
    else if (!hasNothingToProfile(Node))
      To.OthersInBodies = true;
  }
}

void Graphs::collect(cudaGraph_t Graph, Executable &To) {
  for (cudaGraphNode_t Node : GraphNodes::nodesOf(S.driver(), Graph)) {
    cudaGraph_t Child = nullptr;
    const CUgraphNodeType Type = GraphNodes::typeOf(S.driver(), Node, Child);
    if (Child)
      collect(Child, To);
    if (Type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
      collectBodies(Node, To);
    if (Type != CU_GRAPH_NODE_TYPE_KERNEL)
      continue;
    ContextRef C = contextOf(Node);
    if (C.Context && C.Context->InBody) // it counts its launches itself, wherever the node is
      To.InBodies[Node] = C;
    else if (C.LogId != 0)
      To.Nodes[Node] = C;
    else
      ++To.OtherKernelNodes;
  }
}

void Graphs::record(const Executable &E) {
  std::vector<uint64_t> Contexts;
  for (const auto &[Node, C] : E.Nodes)
    Contexts.push_back(C.LogId);
  std::sort(Contexts.begin(), Contexts.end());
  S.log().graph(E.Id, Contexts, E.OtherKernelNodes);
}

/// Makes an executable graph whose making was not seen, so that its launches are recorded.
Graphs::Executable Graphs::unknown() {
  Executable E;
  E.Id = ++LastId;
  E.OtherKernelNodes = 1;
  E.Unknown = true;
  record(E);
  E.All = S.graphNodes().recordUnknown(E.Id);
  return E;
}

void Graphs::executableMade(cudaGraphExec_t Exec, cudaGraph_t Graph) {
  LockGuard Guard(Lock);
  Executable &E = Executables[Exec];
  if (E.Id == 0)
    E.Id = ++LastId;
  E.Unknown = E.OthersInBodies = false;
  E.Nodes.clear();
  E.InBodies.clear();
  E.OtherKernelNodes = 0;
  collect(Graph, E);
  record(E);
  E.All = S.graphNodes().record(E.Id, Graph);
}

void Graphs::executableDestroyed(cudaGraphExec_t Exec) {
  LockGuard Guard(Lock);
  Executables.erase(Exec);
}

bool Graphs::usesHost(cudaGraphExec_t Exec) {
  LockGuard Guard(Lock);
  const auto It = Executables.find(Exec);
  return It == Executables.end() || It->second.All.UsesHost;
}

void Graphs::forgetAll() {
  LockGuard Guard(Lock);
  Executables.clear();
}

/// Returns whether a graph launch into the stream becomes part of another graph.
static bool isCaptured(const DriverApi &Api, cudaStream_t Stream) {
  CUstreamCaptureStatus Status = CU_STREAM_CAPTURE_STATUS_NONE;
  return Api.cuStreamIsCapturing(Stream, &Status) != CUDA_SUCCESS ||
         Status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Graphs::beforeLaunch(cudaGraphExec_t Exec, cudaStream_t Stream) {
  if (DeviceState *D = S.openDevice())
    D->Profilers.beforeGraphLaunch(Stream, isCaptured(D->TheDevice->api(), Stream));
}

void Graphs::afterLaunch() {
  if (DeviceState *D = S.openDevice())
    D->Profilers.afterGraphLaunch();
}

void Graphs::launched(cudaGraphExec_t Exec, cudaStream_t Stream, const void *Caller) {
  DeviceState *D = S.openDevice();
  if (D ? isCaptured(D->TheDevice->api(), Stream) : S.capturing(Stream))
    return;
  log::GraphLaunchRecord Record = {};
  uint64_t KernelNodes = 0;
  bool Unknown = false, OthersInBodies = false;
  std::vector<LiveObject> Allocated, Released;
  std::map<LaunchProfiler *, std::vector<uint64_t>> Contexts;
  {
    LockGuard Guard(Lock);
    auto It = Executables.find(Exec);
    if (It == Executables.end())
      It = Executables.emplace(Exec, unknown()).first;
    Unknown = It->second.Unknown;
    OthersInBodies = It->second.OthersInBodies;
    Allocated = It->second.All.Allocated;
    Released = It->second.All.Released;
    Record.graph = It->second.Id;
    KernelNodes = It->second.Nodes.size() + It->second.OtherKernelNodes;
    for (const auto *Nodes : {&It->second.Nodes, &It->second.InBodies})
      for (const auto &[Node, C] : *Nodes) {
        std::vector<uint64_t> &Ids = Contexts[C.Profiler];
        if (C.Context)
          Ids.push_back(C.Context->Id);
      }
  }
  Record.timeNs = steadyNs();
  Record.stream = reinterpret_cast<uint64_t>(Stream);
  Record.device = static_cast<uint32_t>(S.driver().currentDevice());
  Record.callPath = S.callPaths().find(Caller);
  Record.thread = threadId();
  S.log().graphLaunch(Record, KernelNodes);
  for (const LiveObject &Object : Allocated)
    S.objects().allocatedByGraph(Object);
  for (const LiveObject &Object : Released)
    S.objects().releasedByGraph(Object);
  if (Unknown)
    S.log().gap("graph launches",
                "the graph was made by the driver's functions, or before anything "
                "was recorded: what it does is not known",
                1);
  if (OthersInBodies)
    S.log().gap(
        "graph launches",
        "conditional nodes: how often their bodies ran is not known of all kernels in them, "
        "and of what these did just what counters have",
        1);
  for (const auto &[Profiler, Ids] : Contexts)
    Profiler->contexts().graphLaunched(Ids, Stream);
}

} // namespace gmprof::host
