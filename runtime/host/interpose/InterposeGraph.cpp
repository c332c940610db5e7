//===- InterposeGraph.cpp - Graphs through libcudart and the driver -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "host/sync/LateWaits.h"
#include <algorithm>
#include <cstring>

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

/// Makes the program's call, then lets Changed insert the clone.
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

/// Interposes a call that adds a conditional node. Bodies: the variable that receives them.
template <typename Call>
cudaError_t addConditional(const cudaGraphNode_t *Node, cudaGraph_t *const &Bodies,
                           const unsigned &Count, Call Plain) {
  Session *S = Inside::now() ? nullptr : Session::begin();
  Inside Guard;
  cudaError_t Error = Plain();
  if (S && Error == cudaSuccess && Bodies)
    S->graphs().conditionalAdded(*Node, {Bodies, Count});
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
  ApiCalls::Call Of = {gmprof::log::CallKind::Launch, Api, Caller, Stream};
  Of.UsesHost = !S || S->graphs().usesHost(Exec);
  ObservedCall Observed(Of);
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
      [&](Graphs &G, const KernelNodeRequest &R) { G.nodeChanged(*Node, R, Graph); });
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
  if (Params && Params->type == cudaGraphNodeTypeConditional)
    return addConditional(Node, Params->conditional.phGraph_out, Params->conditional.size, Plain);
  if (!Params || Params->type != cudaGraphNodeTypeKernel)
    return Plain();
  cudaKernelNodeParams Kernel = kernelParams(*Params);
  return changeKernelNode(&Kernel, Plain, [&](Graphs &G, const KernelNodeRequest &R) {
    G.nodeChanged(*Node, R, Graph);
  });
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
  // Runs before the call: another thread may get the same handle right after it.
  if (S)
    S->graphs().executableDestroyed(Exec);
  return GMPROF_REAL(cudaGraphExecDestroy, Exec);
}

GMPROF_INTERPOSE cudaError_t cudaGraphDestroy(cudaGraph_t Graph) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  // Runs before the call, for the same reason.
  if (S) {
    S->graphs().graphDestroyed(Graph);
    S->graphNodes().graphDestroyed(Graph);
  }
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

// Kernel nodes run the program's own kernels; GMProf records their accesses.

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

GMPROF_INTERPOSE_DRIVER(cuGraphDestroy, (CUgraph Graph)) {
  if (Session *S = Inside::now() ? nullptr : Session::current()) {
    Inside Guard;
    S->graphs().graphDestroyed(Graph);
    S->graphNodes().graphDestroyed(Graph);
  }
  return static_cast<CUresult>(GMPROF_REAL_DRIVER(cuGraphDestroy, Graph));
}

#define GMPROF_UNWRAP(...) __VA_ARGS__
/// Interposes a function that instantiates a graph, or changes the executable graph at Exec.
#define GMPROF_DRIVER_INSTANTIATION(name, exec, parameters, arguments)                             \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(instantiate(                                                      \
        exec, Graph, [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); }));          \
  }
#define GMPROF_DRIVER_INSTANTIATION_WITH_ERRORS(name)                                              \
  GMPROF_DRIVER_INSTANTIATION(                                                                     \
      name, Exec,                                                                                  \
      (CUgraphExec * Exec, CUgraph Graph, CUgraphNode * Wrong, char *Text, size_t Bytes),          \
      (Exec, Graph, Wrong, Text, Bytes))
GMPROF_DRIVER_INSTANTIATION_WITH_ERRORS(cuGraphInstantiate_v1)
GMPROF_DRIVER_INSTANTIATION_WITH_ERRORS(cuGraphInstantiate_v2)
GMPROF_DRIVER_INSTANTIATION(cuGraphInstantiateWithFlags, Exec,
                            (CUgraphExec * Exec, CUgraph Graph, unsigned long long Flags),
                            (Exec, Graph, Flags))
GMPROF_DRIVER_INSTANTIATION(cuGraphInstantiateWithParams, Exec,
                            (CUgraphExec * Exec, CUgraph Graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *Params),
                            (Exec, Graph, Params))
GMPROF_DRIVER_INSTANTIATION(cuGraphInstantiateWithParams_ptsz, Exec,
                            (CUgraphExec * Exec, CUgraph Graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *Params),
                            (Exec, Graph, Params))
GMPROF_DRIVER_INSTANTIATION(cuGraphExecUpdate_v1, &Exec,
                            (CUgraphExec Exec, CUgraph Graph, CUgraphNode *Wrong,
                             CUgraphExecUpdateResult *Result),
                            (Exec, Graph, Wrong, Result))
GMPROF_DRIVER_INSTANTIATION(cuGraphExecUpdate_v2, &Exec,
                            (CUgraphExec Exec, CUgraph Graph, CUgraphExecUpdateResultInfo *Info),
                            (Exec, Graph, Info))

namespace {

/// Converts an older form of the parameters, which is a prefix of the newest one.
template <typename Params> CUDA_KERNEL_NODE_PARAMS kernelNode(const Params &Of) {
  CUDA_KERNEL_NODE_PARAMS All = {};
  std::memcpy(&All, &Of, std::min(sizeof(All), sizeof(Of)));
  return All;
}

/// Makes the program's call, then passes the node's current kernel to Changed.
template <typename Params, typename Call, typename Change>
CUresult driverKernelNode(const Params *Of, Call Plain, Change Changed) {
  Session *S = Inside::now() || !Of ? nullptr : Session::begin();
  Inside Guard;
  cudaError_t Error = Plain();
  if (S && Error == cudaSuccess)
    Changed(S->graphs(), kernelNode(*Of));
  return static_cast<CUresult>(Error);
}

/// Returns the kernel's parameters; null if the node is not a kernel.
const CUDA_KERNEL_NODE_PARAMS_v3 *kernelOf(const CUgraphNodeParams *Params) {
  return Params && Params->type == CU_GRAPH_NODE_TYPE_KERNEL ? &Params->kernel : nullptr;
}

} // namespace

#define GMPROF_DRIVER_KERNEL_NODE(version, type)                                                   \
  GMPROF_INTERPOSE_DRIVER(cuGraphAddKernelNode_##version,                                          \
                          (CUgraphNode * Node, CUgraph Graph, const CUgraphNode *Dependencies,     \
                           size_t Count, const type *Params)) {                                    \
    return driverKernelNode(                                                                       \
        Params,                                                                                    \
        [&] {                                                                                      \
          return GMPROF_REAL_DRIVER(cuGraphAddKernelNode_##version, Node, Graph, Dependencies,     \
                                    Count, Params);                                                \
        },                                                                                         \
        [&](Graphs &G, const CUDA_KERNEL_NODE_PARAMS &P) { G.nodeChangedByDriver(*Node, P); });    \
  }                                                                                                \
  GMPROF_INTERPOSE_DRIVER(cuGraphKernelNodeSetParams_##version,                                    \
                          (CUgraphNode Node, const type *Params)) {                                \
    return driverKernelNode(                                                                       \
        Params,                                                                                    \
        [&] { return GMPROF_REAL_DRIVER(cuGraphKernelNodeSetParams_##version, Node, Params); },    \
        [&](Graphs &G, const CUDA_KERNEL_NODE_PARAMS &P) { G.nodeChangedByDriver(Node, P); });     \
  }                                                                                                \
  GMPROF_INTERPOSE_DRIVER(cuGraphExecKernelNodeSetParams_##version,                                \
                          (CUgraphExec Exec, CUgraphNode Node, const type *Params)) {              \
    return driverKernelNode(                                                                       \
        Params,                                                                                    \
        [&] {                                                                                      \
          return GMPROF_REAL_DRIVER(cuGraphExecKernelNodeSetParams_##version, Exec, Node, Params); \
        },                                                                                         \
        [&](Graphs &G, const CUDA_KERNEL_NODE_PARAMS &P) {                                         \
          G.execNodeChangedByDriver(Exec, Node, P);                                                \
        });                                                                                        \
  }
GMPROF_DRIVER_KERNEL_NODE(v1, CUDA_KERNEL_NODE_PARAMS_v1)
GMPROF_DRIVER_KERNEL_NODE(v2, CUDA_KERNEL_NODE_PARAMS)

template <typename Call>
static CUresult addDriverNode(const void *Caller, CUgraphNode *Node, CUgraphNodeParams *Params,
                              Call Plain) {
  if (Params &&
      (Params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || Params->type == CU_GRAPH_NODE_TYPE_MEM_FREE))
    return static_cast<CUresult>(
        addMemoryNode(Caller, Node, *reinterpret_cast<const cudaGraphNodeParams *>(Params), Plain));
  if (Params && Params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    return static_cast<CUresult>(
        addConditional(Node, Params->conditional.phGraph_out, Params->conditional.size, Plain));
  return driverKernelNode(
      kernelOf(Params), Plain,
      [&](Graphs &G, const CUDA_KERNEL_NODE_PARAMS &P) { G.nodeChangedByDriver(*Node, P); });
}

GMPROF_INTERPOSE_DRIVER(cuGraphAddNode_v1,
                        (CUgraphNode * Node, CUgraph Graph, const CUgraphNode *Dependencies,
                         size_t Count, CUgraphNodeParams *Params)) {
  return addDriverNode(GMPROF_CALLER, Node, Params, [&] {
    return GMPROF_REAL_DRIVER(cuGraphAddNode_v1, Node, Graph, Dependencies, Count, Params);
  });
}

GMPROF_INTERPOSE_DRIVER(cuGraphAddNode_v2,
                        (CUgraphNode * Node, CUgraph Graph, const CUgraphNode *Dependencies,
                         const CUgraphEdgeData *Edges, size_t Count, CUgraphNodeParams *Params)) {
  return addDriverNode(GMPROF_CALLER, Node, Params, [&] {
    return GMPROF_REAL_DRIVER(cuGraphAddNode_v2, Node, Graph, Dependencies, Edges, Count, Params);
  });
}

GMPROF_INTERPOSE_DRIVER(cuGraphNodeSetParams, (CUgraphNode Node, CUgraphNodeParams *Params)) {
  return driverKernelNode(
      kernelOf(Params), [&] { return GMPROF_REAL_DRIVER(cuGraphNodeSetParams, Node, Params); },
      [&](Graphs &G, const CUDA_KERNEL_NODE_PARAMS &P) { G.nodeChangedByDriver(Node, P); });
}

GMPROF_INTERPOSE_DRIVER(cuGraphExecNodeSetParams,
                        (CUgraphExec Exec, CUgraphNode Node, CUgraphNodeParams *Params)) {
  return driverKernelNode(
      kernelOf(Params),
      [&] { return GMPROF_REAL_DRIVER(cuGraphExecNodeSetParams, Exec, Node, Params); },
      [&](Graphs &G, const CUDA_KERNEL_NODE_PARAMS &P) {
        G.execNodeChangedByDriver(Exec, Node, P);
      });
}
