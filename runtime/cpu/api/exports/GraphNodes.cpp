//===- GraphNodes.cpp - Functions of graph nodes --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/exports/GraphCalls.h"
#include "cpu/api/exports/GraphOperations.h"
#include "cpu/api/exports/KernelNodes.h"

using namespace gmprof::cpu::api;

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
