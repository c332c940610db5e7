//===- InterposeGraph.cpp - Graphs through libcudart ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/DriverHooks.h"
#include "host/Export.h"
#include "host/LateWaits.h"
#include "host/RuntimeApi.h"
#include "host/Session.h"

using namespace gmprof::host;

namespace {

cudaKernelNodeParams kernelParams(const cudaGraphNodeParams &P) {
  cudaKernelNodeParams K = {};
  K.func = P.kernel.func;
  K.gridDim = P.kernel.gridDim;
  K.blockDim = P.kernel.blockDim;
  K.sharedMemBytes = P.kernel.sharedMemBytes;
  K.kernelParams = P.kernel.kernelParams;
  K.extra = P.kernel.extra;
  return K;
}

/// Makes the program's call, then lets Changed put the clone in.
template <typename Call, typename Change>
cudaError_t changeKernelNode(const cudaKernelNodeParams *Params, Call Plain, Change Changed) {
  Session *S = Inside::now() || !Params ? nullptr : Session::begin();
  if (!S)
    return Plain();
  Inside Guard;
  KernelNodeRequest Request = S->graphs().request(*Params);
  cudaError_t Error = Plain();
  if (Error == cudaSuccess)
    Changed(S->graphs(), Request);
  return Error;
}

template <typename Call>
cudaError_t instantiate(cudaGraphExec_t *Exec, cudaGraph_t Graph, Call Plain) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  cudaError_t Error = Plain();
  if (S && Error == cudaSuccess)
    S->graphs().executableMade(*Exec, Graph);
  return Error;
}

template <typename Call>
cudaError_t launchGraph(const void *Caller, const char *Api, cudaGraphExec_t Exec,
                        cudaStream_t Stream, Call Plain) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  if (S)
    S->graphs().beforeLaunch(Exec, Stream);
  if (LateWaits *L = LateWaits::active())
    L->notKnown("a graph was launched, whose copies are not known");
  ObservedCall Observed({gmprof::log::CallKind::Launch, Api, Caller, Stream});
  if (S && S->sync())
    S->sync()->launching(Observed.operation(), Observed.device(), 0);
  cudaError_t Error = Plain();
  Observed.returned(Error);
  if (S && Error == cudaSuccess)
    S->graphs().launched(Exec, Stream, Caller);
  if (S)
    S->graphs().afterLaunch();
  return Error;
}

} // namespace

GMPROF_INTERPOSE cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                                    const cudaGraphNode_t *Dependencies,
                                                    size_t Count,
                                                    const cudaKernelNodeParams *Params) {
  return changeKernelNode(
      Params,
      [&] { return GMPROF_REAL(cudaGraphAddKernelNode, Node, Graph, Dependencies, Count, Params); },
      [&](Graphs &G, const KernelNodeRequest &R) { G.nodeChanged(*Node, R); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphAddNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                              const cudaGraphNode_t *Dependencies,
                                              const cudaGraphEdgeData *Edges, size_t Count,
                                              cudaGraphNodeParams *Params) {
  auto Plain = [&] {
    return GMPROF_REAL(cudaGraphAddNode, Node, Graph, Dependencies, Edges, Count, Params);
  };
  if (Params &&
      (Params->type == cudaGraphNodeTypeMemAlloc || Params->type == cudaGraphNodeTypeMemFree))
    return addMemoryNode(GMPROF_CALLER, Node, *Params, Plain);
  if (!Params || Params->type != cudaGraphNodeTypeKernel)
    return Plain();
  cudaKernelNodeParams Kernel = kernelParams(*Params);
  return changeKernelNode(&Kernel, Plain,
                          [&](Graphs &G, const KernelNodeRequest &R) { G.nodeChanged(*Node, R); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t Node,
                                                          const cudaKernelNodeParams *Params) {
  return changeKernelNode(
      Params, [&] { return GMPROF_REAL(cudaGraphKernelNodeSetParams, Node, Params); },
      [&](Graphs &G, const KernelNodeRequest &R) { G.nodeChanged(Node, R); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t Node,
                                                    cudaGraphNodeParams *Params) {
  auto Plain = [&] { return GMPROF_REAL(cudaGraphNodeSetParams, Node, Params); };
  if (!Params || Params->type != cudaGraphNodeTypeKernel)
    return Plain();
  cudaKernelNodeParams Kernel = kernelParams(*Params);
  return changeKernelNode(&Kernel, Plain,
                          [&](Graphs &G, const KernelNodeRequest &R) { G.nodeChanged(Node, R); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t Exec,
                                                              cudaGraphNode_t Node,
                                                              const cudaKernelNodeParams *Params) {
  return changeKernelNode(
      Params, [&] { return GMPROF_REAL(cudaGraphExecKernelNodeSetParams, Exec, Node, Params); },
      [&](Graphs &G, const KernelNodeRequest &R) { G.execNodeChanged(Exec, Node, R); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                                        cudaGraphNodeParams *Params) {
  auto Plain = [&] { return GMPROF_REAL(cudaGraphExecNodeSetParams, Exec, Node, Params); };
  if (!Params || Params->type != cudaGraphNodeTypeKernel)
    return Plain();
  cudaKernelNodeParams Kernel = kernelParams(*Params);
  return changeKernelNode(&Kernel, Plain, [&](Graphs &G, const KernelNodeRequest &R) {
    G.execNodeChanged(Exec, Node, R);
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t Node,
                                                          cudaKernelNodeParams *Params) {
  Session *S = Inside::now() || !Params ? nullptr : Session::current();
  Inside Guard;
  if (S && S->graphs().nodeParams(Node, *Params))
    return cudaSuccess;
  return GMPROF_REAL(cudaGraphKernelNodeGetParams, Node, Params);
}

GMPROF_INTERPOSE cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                                  unsigned long long Flags) {
  return instantiate(Exec, Graph,
                     [&] { return GMPROF_REAL(cudaGraphInstantiate, Exec, Graph, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                                           unsigned long long Flags) {
  return instantiate(
      Exec, Graph, [&] { return GMPROF_REAL(cudaGraphInstantiateWithFlags, Exec, Graph, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *Exec,
                                                            cudaGraph_t Graph,
                                                            cudaGraphInstantiateParams *Params) {
  return instantiate(Exec, Graph, [&] {
    return GMPROF_REAL(cudaGraphInstantiateWithParams, Exec, Graph, Params);
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphInstantiateWithParams_ptsz(
    cudaGraphExec_t *Exec, cudaGraph_t Graph, cudaGraphInstantiateParams *Params) {
  return instantiate(Exec, Graph, [&] {
    return GMPROF_REAL(cudaGraphInstantiateWithParams_ptsz, Exec, Graph, Params);
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t Graph,
                                                 cudaGraphExecUpdateResultInfo *Info) {
  return instantiate(&Exec, Graph,
                     [&] { return GMPROF_REAL(cudaGraphExecUpdate, Exec, Graph, Info); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  // Before: another thread may get the same handle right after.
  if (S)
    S->graphs().executableDestroyed(Exec);
  return GMPROF_REAL(cudaGraphExecDestroy, Exec);
}

GMPROF_INTERPOSE cudaError_t cudaGraphDestroy(cudaGraph_t Graph) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  // Before, likewise.
  if (S)
    S->graphNodes().graphDestroyed(Graph);
  return GMPROF_REAL(cudaGraphDestroy, Graph);
}

GMPROF_INTERPOSE cudaError_t cudaGraphLaunch(cudaGraphExec_t Exec, cudaStream_t Stream) {
  return launchGraph(GMPROF_CALLER, "cudaGraphLaunch", Exec, Stream,
                     [&] { return GMPROF_REAL(cudaGraphLaunch, Exec, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t Exec, cudaStream_t Stream) {
  return launchGraph(GMPROF_CALLER, "cudaGraphLaunch", Exec, Stream ? Stream : cudaStreamPerThread,
                     [&] { return GMPROF_REAL(cudaGraphLaunch_ptsz, Exec, Stream); });
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

// What becomes of a graph that the driver's functions make is not followed: it is launched as one
// of which nothing is known.

#define GMPROF_DRIVER_GRAPH_LAUNCH(name, stream)                                                   \
  GMPROF_INTERPOSE_DRIVER(name, (CUgraphExec Exec, CUstream Stream)) {                             \
    return static_cast<CUresult>(launchGraph(GMPROF_CALLER, "cuGraphLaunch", Exec, stream, [&] {   \
      return GMPROF_REAL_DRIVER(name, Exec, Stream);                                               \
    }));                                                                                           \
  }
GMPROF_DRIVER_GRAPH_LAUNCH(cuGraphLaunch, Stream)
GMPROF_DRIVER_GRAPH_LAUNCH(cuGraphLaunch_ptsz, perThread(Stream))

GMPROF_INTERPOSE_DRIVER(cuGraphExecDestroy, (CUgraphExec Exec)) {
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->graphs().executableDestroyed(Exec);
  }
  return static_cast<CUresult>(GMPROF_REAL_DRIVER(cuGraphExecDestroy, Exec));
}
