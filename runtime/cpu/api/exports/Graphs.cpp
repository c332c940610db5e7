//===- Graphs.cpp - Graph functions of libcudart --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Graphs.h"
#include "cpu/api/Copies.h"
#include "cpu/api/Events.h"
#include "cpu/api/Launch.h"
#include "cpu/api/Memory.h"
#include "cpu/api/exports/Call.h"
#include "cpu/api/exports/KernelNodes.h"
#include <algorithm>

using namespace gmprof::cpu::api;

namespace {

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

template <typename F> cudaError_t callOnGraph(cudaGraph_t Handle, F Body) {
  return call([&] {
    std::shared_ptr<Graph> G = graphs().find(Handle);
    return G ? Body(G) : cudaErrorInvalidValue;
  });
}

template <typename F> cudaError_t callOnNode(cudaGraphNode_t Handle, F Body) {
  return call([&] {
    GraphNode *Node = findNode(Handle);
    return Node ? Body(*Node) : cudaErrorInvalidValue;
  });
}

/// Runs a function of a node with this kind of operation.
template <typename Op, typename F> cudaError_t callOnNodeOf(cudaGraphNode_t Handle, F Body) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    const Op *Is = Node.as<Op>();
    return Is ? Body(Node, *Is) : cudaErrorInvalidValue;
  });
}

/// Runs a function of a node of an executable graph, identified by its original.
template <typename F>
cudaError_t callOnExecutable(cudaGraphExec_t Handle, cudaGraphNode_t NodeHandle, F Body) {
  return call([&] {
    std::shared_ptr<ExecutableGraph> G = executableGraphs().find(Handle);
    GraphNode *Node = G ? G->nodeFor(findNode(NodeHandle)) : nullptr;
    return Node ? Body(*G, *Node) : cudaErrorInvalidValue;
  });
}

//===----------------------------------------------------------------------===//
// Operations from parameters
//===----------------------------------------------------------------------===//

Result<Operation> copyOperation(const cudaMemcpy3DParms *P) {
  if (!P)
    return cudaErrorInvalidValue;
  CopySides Sides;
  if (cudaError_t Error = checkCopy(*P, Sides))
    return Error;
  return Operation(CopyOp{*P, nullptr});
}

Result<Operation> linearOperation(void *To, const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  CopyOp Op = linearCopy(To, From, Bytes, Kind);
  return copyOperation(&Op.Params);
}

Result<Operation> symbolOperation(const void *Symbol, const void *Other, size_t Bytes,
                                  size_t Offset, cudaMemcpyKind Kind, bool ToSymbol) {
  Result<Variable> V = modules().variable(Symbol);
  if (!V)
    return V.Error;
  if (Offset > V.Value.Bytes || Bytes > V.Value.Bytes - Offset)
    return cudaErrorInvalidValue;
  char *Part = static_cast<char *>(V.Value.Address) + Offset;
  return ToSymbol ? linearOperation(Part, Other, Bytes, Kind)
                  : linearOperation(const_cast<void *>(Other), Part, Bytes, Kind);
}

Result<Operation> memsetOperation(const cudaMemsetParams *P) {
  if (!P)
    return cudaErrorInvalidValue;
  MemsetOp Op{*P};
  MemoryKind To;
  if (cudaError_t Error = checkMemset(Op, To))
    return Error;
  return Operation(Op);
}

Result<Operation> hostOperation(cudaHostFn_t Function, void *Data) {
  if (!Function)
    return cudaErrorInvalidValue;
  return Operation(HostOp{Function, Data});
}

Result<Operation> recordOperation(cudaEvent_t Handle) {
  if (std::shared_ptr<Event> E = events().find(Handle))
    return Operation(EventRecordOp{E, true});
  return cudaErrorInvalidResourceHandle;
}

Result<Operation> waitOperation(cudaEvent_t Handle) {
  if (std::shared_ptr<Event> E = events().find(Handle))
    return Operation(EventWaitOp{E, true});
  return cudaErrorInvalidResourceHandle;
}

Result<Operation> childOperation(cudaGraph_t Handle) {
  std::shared_ptr<Graph> G = graphs().find(Handle);
  if (!G)
    return cudaErrorInvalidValue;
  if (G->isConditional())
    return cudaErrorNotSupported;
  return Operation(ChildOp{G->clone()});
}

bool sizeFits(const cudaConditionalNodeParams &P) {
  switch (P.type) {
  case cudaGraphCondTypeIf:
    return P.size == 1 || P.size == 2;
  case cudaGraphCondTypeWhile:
    return P.size == 1;
  case cudaGraphCondTypeSwitch:
    return P.size != 0;
  }
  return false;
}

/// Returns the operation of a conditional node in G, with new bodies.
Result<Operation> conditionalOperation(const Graph &G, cudaConditionalNodeParams &P) {
  auto By = std::find_if(G.Handles->begin(), G.Handles->end(),
                         [&](const auto &Each) { return Each->handle() == P.handle; });
  if (By == G.Handles->end() || (*By)->Used || !sizeFits(P))
    return cudaErrorInvalidValue;
  ConditionalOp Op{*By, P.type, {}, nullptr};
  for (unsigned I = 0; I != P.size; ++I) {
    auto &Body = Op.Bodies.emplace_back(std::make_shared<Graph>());
    Body->IsBody = true;
    Body->Handles = G.Handles;
  }
  Op.Handles = std::make_shared<GraphHandles>(Op.Bodies);
  Op.By->Used = true;
  P.phGraph_out = Op.Handles->All.data();
  return Operation(std::move(Op));
}

template <typename Params> Result<Operation> allocOperation(Params *P) {
  if (!P || P->bytesize == 0)
    return cudaErrorInvalidValue;
  AllocOp Op{GraphMemory::allocate(currentDeviceIndex(), P->bytesize, "cudaGraphAddMemAllocNode")};
  if (!Op.Memory)
    return cudaErrorMemoryAllocation;
  P->dptr = Op.Memory->Start;
  Op.Params = {P->poolProps, P->accessDescs, P->accessDescCount, P->bytesize, P->dptr};
  return Operation(std::move(Op));
}

Result<Operation> freeOperation(void *Start) {
  if (!memory().findStart(Start))
    return cudaErrorInvalidValue;
  return Operation(FreeOp{Start});
}

Result<Operation> genericOperation(cudaGraphNodeParams *P) {
  if (!P)
    return cudaErrorInvalidValue;
  switch (P->type) {
  case cudaGraphNodeTypeKernel: {
    auto &K = P->kernel;
    cudaKernelNodeParams Params = {K.func,           K.gridDim,      K.blockDim,
                                   K.sharedMemBytes, K.kernelParams, K.extra};
    return kernelOperation(&Params);
  }
  case cudaGraphNodeTypeMemcpy:
    return copyOperation(&P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    auto &M = P->memset;
    cudaMemsetParams Params = {M.dst, M.pitch, M.value, M.elementSize, M.width, M.height};
    return memsetOperation(&Params);
  }
  case cudaGraphNodeTypeHost:
    return hostOperation(P->host.fn, P->host.userData);
  case cudaGraphNodeTypeGraph:
    return childOperation(P->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return Operation(EmptyOp());
  case cudaGraphNodeTypeWaitEvent:
    return waitOperation(P->eventWait.event);
  case cudaGraphNodeTypeEventRecord:
    return recordOperation(P->eventRecord.event);
  case cudaGraphNodeTypeMemAlloc:
    return allocOperation(&P->alloc);
  case cudaGraphNodeTypeMemFree:
    return freeOperation(P->free.dptr);
  default:
    complainThatItLacks("graph nodes of type " + std::to_string(P->type));
    return cudaErrorNotSupported;
  }
}

//===----------------------------------------------------------------------===//
// All kinds of nodes
//===----------------------------------------------------------------------===//

/// Builds an operation, after the handles have been checked, and adds it as a node.
template <typename Make>
cudaError_t addNode(cudaGraphNode_t *Out, cudaGraph_t Handle, const cudaGraphNode_t *After,
                    size_t Count, Make MakeOperation) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Nodes = findNodes(*G, After, Count);
    if (!Out || !Nodes)
      return cudaErrorInvalidValue;
    Result<Operation> Op = MakeOperation();
    if (!Op)
      return Op.Error;
    *Out = handle(G->add(std::move(Op.Value), *Nodes));
    return cudaSuccess;
  });
}

/// Replaces a node's operation by one of the same kind.
cudaError_t setNode(GraphNode &Node, Result<Operation> Op) {
  if (!Op)
    return Op.Error;
  if (Op.Value.index() != Node.Op->index())
    return cudaErrorInvalidValue;
  Node.setOperation(std::move(Op.Value));
  return cudaSuccess;
}

cudaError_t setNode(ExecutableGraph &G, GraphNode &Node, Result<Operation> Op) {
  if (!Op)
    return Op.Error;
  if (Op.Value.index() != Node.Op->index())
    return cudaErrorInvalidValue;
  G.replace(&Node, std::move(Op.Value));
  return cudaSuccess;
}

/// Returns a list by CUDA's convention: without an array only the count; otherwise at most *Count
/// handles, and null in the remaining entries.
cudaError_t giveNodes(const std::vector<GraphNode *> &Nodes, cudaGraphNode_t *Out, size_t *Count) {
  if (!Count)
    return cudaErrorInvalidValue;
  if (Out)
    for (size_t I = 0; I != *Count; ++I)
      Out[I] = I < Nodes.size() ? handle(Nodes[I]) : nullptr;
  *Count = Out ? std::min(*Count, Nodes.size()) : Nodes.size();
  return cudaSuccess;
}

cudaError_t clearEdges(cudaGraphEdgeData *Edges, const size_t *Count) {
  if (Edges && Count)
    std::fill_n(Edges, *Count, cudaGraphEdgeData{});
  return cudaSuccess;
}

cudaError_t instantiate(cudaGraphExec_t *Out, cudaGraph_t Handle, unsigned long long Flags) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    if (G->IsBody || G->Executable.lock())
      return cudaErrorNotSupported;
    if (!Out || !G->isExecutable())
      return cudaErrorInvalidValue;
    auto Executable = std::make_shared<ExecutableGraph>(*G, Flags);
    if (G->isConditional())
      G->Executable = Executable;
    *Out = static_cast<cudaGraphExec_t>(executableGraphs().add(std::move(Executable)));
    return cudaSuccess;
  });
}

} // namespace

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphCreate(cudaGraph_t *Out, unsigned Flags) {
  return call([&] {
    if (!Out || Flags != 0)
      return cudaErrorInvalidValue;
    *Out = static_cast<cudaGraph_t>(graphs().add(std::make_shared<Graph>()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t Handle) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    return !G->IsBody && graphs().remove(Handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t *Out, cudaGraph_t Handle) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    if (!Out)
      return cudaErrorInvalidValue;
    if (G->isConditional())
      return cudaErrorNotSupported;
    *Out = static_cast<cudaGraph_t>(graphs().add(G->clone()));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *Out, cudaGraphNode_t Original,
                                     cudaGraph_t Clone) {
  return callOnGraph(Clone, [&](const std::shared_ptr<Graph> &G) {
    GraphNode *Node = findNode(Original);
    GraphNode *Found = Node ? G->cloneOf(Node) : nullptr;
    if (!Out || !Found)
      return cudaErrorInvalidValue;
    *Out = handle(Found);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t Handle, cudaGraphNode_t *Out, size_t *Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::vector<GraphNode *> Nodes;
    for (const auto &Node : G->Nodes)
      Nodes.push_back(Node.get());
    return giveNodes(Nodes, Out, Count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t Handle, cudaGraphNode_t *Out, size_t *Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::vector<GraphNode *> Roots;
    for (const auto &Node : G->Nodes)
      if (Node->DependsOn.empty())
        Roots.push_back(Node.get());
    return giveNodes(Roots, Out, Count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t Handle, cudaGraphNode_t *From, cudaGraphNode_t *To,
                              cudaGraphEdgeData *Edges, size_t *Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::vector<GraphNode *> Sources, Targets;
    for (const auto &Node : G->Nodes)
      for (GraphNode *Before : Node->DependsOn) {
        Sources.push_back(Before);
        Targets.push_back(Node.get());
      }
    if (!From != !To || !Count)
      return cudaErrorInvalidValue;
    size_t Asked = *Count;
    giveNodes(Sources, From, Count);
    *Count = Asked;
    giveNodes(Targets, To, Count);
    return clearEdges(Edges, Count);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t Handle, const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To, const cudaGraphEdgeData *,
                                     size_t Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Sources = findNodes(*G, From, Count), Targets = findNodes(*G, To, Count);
    if (!Sources || !Targets)
      return cudaErrorInvalidValue;
    for (size_t I = 0; I != Count; ++I) {
      GraphNode *Source = (*Sources)[I], *Target = (*Targets)[I];
      if (Source == Target ||
          std::count(Target->DependsOn.begin(), Target->DependsOn.end(), Source))
        return cudaErrorInvalidValue;
      Target->DependsOn.push_back(Source);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t Handle, const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To, const cudaGraphEdgeData *,
                                        size_t Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Sources = findNodes(*G, From, Count), Targets = findNodes(*G, To, Count);
    if (!Sources || !Targets)
      return cudaErrorInvalidValue;
    for (size_t I = 0; I != Count; ++I)
      if (std::erase((*Targets)[I]->DependsOn, (*Sources)[I]) == 0)
        return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// User objects
//===----------------------------------------------------------------------===//

cudaError_t cudaUserObjectCreate(cudaUserObject_t *Out, void *Pointer, cudaHostFn_t Destroy,
                                 unsigned Count, unsigned Flags) {
  return call([&] {
    if (!Out || !Destroy || Count == 0 || Flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    *Out = static_cast<cudaUserObject_t>(
        userObjects().add(std::make_shared<UserObject>(Pointer, Destroy, Count)));
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t Handle, unsigned Count) {
  return call([&] {
    std::shared_ptr<UserObject> Object = userObjects().find(Handle);
    return Object && Object->retain(Count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t Handle, unsigned Count) {
  return call([&] {
    std::shared_ptr<UserObject> Object = userObjects().find(Handle);
    return Object && Object->release(Count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t Handle, cudaUserObject_t ObjectHandle,
                                      unsigned Count, unsigned Flags) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    std::shared_ptr<UserObject> Object = userObjects().find(ObjectHandle);
    if (!Object || (Flags & ~unsigned(cudaGraphUserObjectMove)))
      return cudaErrorInvalidValue;
    // The caller has already counted a moved reference.
    if (!(Flags & cudaGraphUserObjectMove) && !Object->retain(Count))
      return cudaErrorInvalidValue;
    G->Held.push_back(std::make_shared<UserObjectHold>(Object, Count));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t Handle, cudaUserObject_t ObjectHandle,
                                       unsigned Count) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    auto Same = [&](const std::shared_ptr<UserObjectHold> &Hold) {
      return Hold->Object == userObjects().find(ObjectHandle) && Hold->Count == Count;
    };
    auto Found = std::find_if(G->Held.begin(), G->Held.end(), Same);
    if (Found == G->Held.end())
      return cudaErrorInvalidValue;
    G->Held.erase(Found);
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Nodes of every kind
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t Handle, cudaGraphNodeType *Out) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = Node.type();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t Handle, cudaGraphNode_t *Out,
                                         cudaGraphEdgeData *Edges, size_t *Count) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    cudaError_t Error = giveNodes(Node.DependsOn, Out, Count);
    return Error ? Error : clearEdges(Edges, Count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t Handle, cudaGraphNode_t *Out,
                                           cudaGraphEdgeData *Edges, size_t *Count) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    std::vector<GraphNode *> Dependents;
    for (const auto &Other : Node.Owner->Nodes)
      if (std::count(Other->DependsOn.begin(), Other->DependsOn.end(), &Node))
        Dependents.push_back(Other.get());
    cudaError_t Error = giveNodes(Dependents, Out, Count);
    return Error ? Error : clearEdges(Edges, Count);
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t Handle) {
  return callOnNode(Handle, [](GraphNode &Node) {
    Node.Owner->remove(&Node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *Out, cudaGraph_t Handle, const cudaGraphNode_t *After,
                             const cudaGraphEdgeData *, size_t Count, cudaGraphNodeParams *P) {
  return addNode(Out, Handle, After, Count, [&] {
    return P && P->type == cudaGraphNodeTypeConditional
               ? conditionalOperation(*graphs().find(Handle), P->conditional)
               : genericOperation(P);
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t Handle, cudaGraphNodeParams *P) {
  return callOnNode(Handle, [&](GraphNode &Node) { return setNode(Node, genericOperation(P)); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                  const cudaGraphNode_t *After, size_t Count) {
  return addNode(Out, Handle, After, Count, [] { return Result<Operation>(EmptyOp()); });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *Out, cudaGraph_t Handle,
                                             unsigned Default, unsigned Flags) {
  return callOnGraph(Handle, [&](const std::shared_ptr<Graph> &G) {
    if (!Out || (Flags & ~unsigned(cudaGraphCondAssignDefault)))
      return cudaErrorInvalidValue;
    auto By =
        Condition::make(currentDeviceIndex(), Default, (Flags & cudaGraphCondAssignDefault) != 0);
    if (!By)
      return cudaErrorMemoryAllocation;
    *Out = By->handle();
    G->Handles->push_back(std::move(By));
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Kernel nodes
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaKernelNodeParams *P) {
  return addNode(Out, Handle, After, Count, [&] { return kernelOperation(P); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t Handle, cudaKernelNodeParams *P) {
  return callOnNodeOf<KernelOp>(Handle, [&](GraphNode &Node, const KernelOp &) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = kernelParameters(Node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t Handle, const cudaKernelNodeParams *P) {
  return callOnNode(Handle, [&](GraphNode &Node) { return setNode(Node, kernelOperation(P)); });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t Handle, cudaKernelNodeAttrID Attribute,
                                            cudaKernelNodeAttrValue *Value) {
  return callOnNodeOf<KernelOp>(Handle, [&](GraphNode &, const KernelOp &Op) {
    if (!Value)
      return cudaErrorInvalidValue;
    *Value = {};
    if (Attribute == cudaLaunchAttributeCooperative)
      Value->cooperative = Op.Config.Cooperative;
    else if (Attribute == cudaLaunchAttributePriority)
      Value->priority = Op.Priority;
    else if (Attribute == cudaLaunchAttributeClusterDimension) {
      const gmprof::cpu::Dim3 C = Op.Config.Cluster.value_or(gmprof::cpu::Dim3());
      Value->clusterDim = {C.X, C.Y, C.Z};
    } else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t Handle, cudaKernelNodeAttrID Attribute,
                                            const cudaKernelNodeAttrValue *Value) {
  return callOnNodeOf<KernelOp>(Handle, [&](GraphNode &Node, const KernelOp &Op) {
    if (!Value)
      return cudaErrorInvalidValue;
    cudaLaunchAttribute A = {};
    A.id = Attribute;
    A.val = *Value;
    LaunchRequest Request;
    Request.Cooperative = Op.Config.Cooperative;
    Request.Priority = Op.Priority;
    Request.Cluster = Op.Config.Cluster;
    if (cudaError_t Error = applyAttributes(&A, 1, Request))
      return Error;
    KernelOp New = Op;
    New.Config.Cooperative = Request.Cooperative;
    New.Priority = Request.Priority;
    New.Config.Cluster = Request.Cluster;
    Node.setOperation(std::move(New));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t To, cudaGraphNode_t From) {
  return callOnNodeOf<KernelOp>(From, [&](GraphNode &, const KernelOp &Source) {
    GraphNode *Node = findNode(To);
    const KernelOp *Target = Node ? Node->as<KernelOp>() : nullptr;
    if (!Target)
      return cudaErrorInvalidValue;
    KernelOp New = *Target;
    New.Config.Cooperative = Source.Config.Cooperative;
    New.Config.Cluster = Source.Config.Cluster;
    New.Priority = Source.Priority;
    Node->setOperation(std::move(New));
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Copy and memset nodes
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaMemcpy3DParms *P) {
  return addNode(Out, Handle, After, Count, [&] { return copyOperation(P); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                     const cudaGraphNode_t *After, size_t Count, void *To,
                                     const void *From, size_t Bytes, cudaMemcpyKind Kind) {
  return addNode(Out, Handle, After, Count, [&] { return linearOperation(To, From, Bytes, Kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                           const cudaGraphNode_t *After, size_t Count,
                                           const void *Symbol, const void *From, size_t Bytes,
                                           size_t Offset, cudaMemcpyKind Kind) {
  return addNode(Out, Handle, After, Count,
                 [&] { return symbolOperation(Symbol, From, Bytes, Offset, Kind, true); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                             const cudaGraphNode_t *After, size_t Count, void *To,
                                             const void *Symbol, size_t Bytes, size_t Offset,
                                             cudaMemcpyKind Kind) {
  return addNode(Out, Handle, After, Count,
                 [&] { return symbolOperation(Symbol, To, Bytes, Offset, Kind, false); });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t Handle, cudaMemcpy3DParms *P) {
  return callOnNodeOf<CopyOp>(Handle, [&](GraphNode &, const CopyOp &Op) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = Op.Params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t Handle, const cudaMemcpy3DParms *P) {
  return callOnNode(Handle, [&](GraphNode &Node) { return setNode(Node, copyOperation(P)); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t Handle, void *To, const void *From,
                                           size_t Bytes, cudaMemcpyKind Kind) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    return setNode(Node, linearOperation(To, From, Bytes, Kind));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t Handle, const void *Symbol,
                                                 const void *From, size_t Bytes, size_t Offset,
                                                 cudaMemcpyKind Kind) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    return setNode(Node, symbolOperation(Symbol, From, Bytes, Offset, Kind, true));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t Handle, void *To,
                                                   const void *Symbol, size_t Bytes, size_t Offset,
                                                   cudaMemcpyKind Kind) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    return setNode(Node, symbolOperation(Symbol, To, Bytes, Offset, Kind, false));
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaMemsetParams *P) {
  return addNode(Out, Handle, After, Count, [&] { return memsetOperation(P); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t Handle, cudaMemsetParams *P) {
  return callOnNodeOf<MemsetOp>(Handle, [&](GraphNode &, const MemsetOp &Op) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = Op.Params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t Handle, const cudaMemsetParams *P) {
  return callOnNode(Handle, [&](GraphNode &Node) { return setNode(Node, memsetOperation(P)); });
}

//===----------------------------------------------------------------------===//
// Other nodes
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                 const cudaGraphNode_t *After, size_t Count,
                                 const cudaHostNodeParams *P) {
  return addNode(Out, Handle, After, Count, [&] {
    return P ? hostOperation(P->fn, P->userData) : Result<Operation>(cudaErrorInvalidValue);
  });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t Handle, cudaHostNodeParams *P) {
  return callOnNodeOf<HostOp>(Handle, [&](GraphNode &, const HostOp &Op) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = {Op.Function, Op.Data};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t Handle, const cudaHostNodeParams *P) {
  return callOnNode(Handle, [&](GraphNode &Node) {
    return P ? setNode(Node, hostOperation(P->fn, P->userData)) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                       const cudaGraphNode_t *After, size_t Count,
                                       cudaGraph_t Child) {
  return addNode(Out, Handle, After, Count, [&] { return childOperation(Child); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t Handle, cudaGraph_t *Out) {
  return callOnNodeOf<ChildOp>(Handle, [&](GraphNode &, const ChildOp &Op) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = reinterpret_cast<cudaGraph_t>(Op.Child.get());
    if (!graphs().find(Op.Child.get()))
      graphs().add(Op.Child);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                        const cudaGraphNode_t *After, size_t Count,
                                        cudaEvent_t EventHandle) {
  return addNode(Out, Handle, After, Count, [&] { return recordOperation(EventHandle); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t Handle, cudaEvent_t *Out) {
  return callOnNodeOf<EventRecordOp>(Handle, [&](GraphNode &, const EventRecordOp &Op) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = reinterpret_cast<cudaEvent_t>(Op.Target.get());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t Handle, cudaEvent_t EventHandle) {
  return callOnNode(Handle,
                    [&](GraphNode &Node) { return setNode(Node, recordOperation(EventHandle)); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                      const cudaGraphNode_t *After, size_t Count,
                                      cudaEvent_t EventHandle) {
  return addNode(Out, Handle, After, Count, [&] { return waitOperation(EventHandle); });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t Handle, cudaEvent_t *Out) {
  return callOnNodeOf<EventWaitOp>(Handle, [&](GraphNode &, const EventWaitOp &Op) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = reinterpret_cast<cudaEvent_t>(Op.Source.get());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t Handle, cudaEvent_t EventHandle) {
  return callOnNode(Handle,
                    [&](GraphNode &Node) { return setNode(Node, waitOperation(EventHandle)); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                     const cudaGraphNode_t *After, size_t Count,
                                     cudaMemAllocNodeParams *P) {
  return addNode(Out, Handle, After, Count, [&] { return allocOperation(P); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t Handle, cudaMemAllocNodeParams *P) {
  return callOnNodeOf<AllocOp>(Handle, [&](GraphNode &, const AllocOp &Op) {
    if (!P)
      return cudaErrorInvalidValue;
    *P = Op.Params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *Out, cudaGraph_t Handle,
                                    const cudaGraphNode_t *After, size_t Count, void *Pointer) {
  return addNode(Out, Handle, After, Count, [&] { return freeOperation(Pointer); });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t Handle, void *Out) {
  return callOnNodeOf<FreeOp>(Handle, [&](GraphNode &, const FreeOp &Op) {
    if (!Out)
      return cudaErrorInvalidValue;
    *static_cast<void **>(Out) = Op.Start;
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Executable graphs
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Out, cudaGraph_t Handle,
                                 unsigned long long Flags) {
  return instantiate(Out, Handle, Flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *Out, cudaGraph_t Handle,
                                          unsigned long long Flags) {
  return instantiate(Out, Handle, Flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Handle) {
  return call(
      [&] { return executableGraphs().remove(Handle) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t Handle, unsigned long long *Flags) {
  return call([&] {
    std::shared_ptr<ExecutableGraph> G = executableGraphs().find(Handle);
    if (!G || !Flags)
      return cudaErrorInvalidValue;
    *Flags = G->Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Handle, cudaGraph_t From,
                                cudaGraphExecUpdateResultInfo *Info) {
  return callOnGraph(From, [&](const std::shared_ptr<Graph> &G) {
    std::shared_ptr<ExecutableGraph> Executable = executableGraphs().find(Handle);
    if (!Executable)
      return cudaErrorInvalidValue;
    const GraphNode *Offending = nullptr;
    cudaGraphExecUpdateResult Outcome = Executable->update(*G, Offending);
    if (Info)
      *Info = {Outcome, handle(Offending), nullptr};
    return Outcome == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                       cudaGraphNodeParams *P) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, genericOperation(P));
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                             const cudaKernelNodeParams *P) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, kernelOperation(P));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                             const cudaMemcpy3DParms *P) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, copyOperation(P));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                               void *To, const void *From, size_t Bytes,
                                               cudaMemcpyKind Kind) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, linearOperation(To, From, Bytes, Kind));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                                     const void *Symbol, const void *From,
                                                     size_t Bytes, size_t Offset,
                                                     cudaMemcpyKind Kind) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, symbolOperation(Symbol, From, Bytes, Offset, Kind, true));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                                       void *To, const void *Symbol, size_t Bytes,
                                                       size_t Offset, cudaMemcpyKind Kind) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, symbolOperation(Symbol, To, Bytes, Offset, Kind, false));
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                             const cudaMemsetParams *P) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, memsetOperation(P));
  });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                           const cudaHostNodeParams *P) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return P ? setNode(G, N, hostOperation(P->fn, P->userData)) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                                 cudaGraph_t Child) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, childOperation(Child));
  });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                                 cudaEvent_t EventHandle) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, recordOperation(EventHandle));
  });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                               cudaEvent_t EventHandle) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    return setNode(G, N, waitOperation(EventHandle));
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                    unsigned Enabled) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    if (!N.as<KernelOp>() && !N.as<CopyOp>() && !N.as<MemsetOp>())
      return cudaErrorInvalidValue;
    G.setEnabled(&N, Enabled != 0);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t Handle, cudaGraphNode_t Node,
                                    unsigned *Enabled) {
  return callOnExecutable(Handle, Node, [&](ExecutableGraph &G, GraphNode &N) {
    if (!Enabled)
      return cudaErrorInvalidValue;
    *Enabled = G.enabled(&N);
    return cudaSuccess;
  });
}
