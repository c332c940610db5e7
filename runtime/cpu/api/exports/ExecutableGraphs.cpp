//===- ExecutableGraphs.cpp - Functions of executable graphs --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/exports/GraphCalls.h"
#include "cpu/api/exports/GraphOperations.h"
#include "cpu/api/exports/KernelNodes.h"

using namespace gmprof::cpu::api;

namespace {

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
