//===- FakeCudart.cpp - A libcudart that tests control --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace fake {

/// Takes stubs, handles of kernels, and functions of the driver.
static Function *launchedFunction(const void *Handle) {
  if (const auto It = S->Kernels.find(Handle); It != S->Kernels.end())
    return It->second;
  if (const LibraryKernel *OfLibrary = libraryKernel(Handle))
    return OfLibrary->Is;
  const auto It = std::ranges::find_if(S->Kernels, [&](const auto &Each) {
    return static_cast<const void *>(Each.second) == Handle;
  });
  return It == S->Kernels.end() ? nullptr : It->second;
}

static int launchByRuntime(const void *Stub, dim3 Grid, dim3 Block, void **Args, size_t Shared,
                           CUstream Handle, const cudaLaunchAttribute *Attributes, unsigned Count) {
  Function *Is = launchedFunction(Stub);
  if (!Is)
    return cudaErrorInvalidDeviceFunction;
  Current = Current ? Current : PrimaryContext;
  Launch L = makeLaunch(Is, Grid, Block, Args, static_cast<unsigned>(Shared), Handle, true);
  for (unsigned I = 0; I < Count; ++I)
    L.Attributes.push_back(reinterpret_cast<const CUlaunchAttribute &>(Attributes[I]));
  return submit(std::move(L));
}

static void fill(Exec &To, Graph &From) {
  for (auto &N : From.Nodes) {
    if (N->Child)
      fill(To, *N->Child);
    else if (N->IsKernel)
      To.Kernels.emplace_back(N.get(), N->Kernel);
  }
}

} // namespace fake

using namespace fake;

EXPORT cudaError_t cudaGetLastError() {
  cudaError_t Error = LastError;
  LastError = cudaSuccess;
  return Error;
}

EXPORT cudaError_t cudaPeekAtLastError() { return LastError; }

EXPORT cudaError_t cudaSetDevice(int Device) {
  RUNTIME(cudaSetDevice)
  CurrentDevice = Device;
  return cudaSuccess;
}

/// Refuses handles of kernels, which cudaLaunchKernel takes.
EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *To, const void *Stub) {
  RUNTIME(cudaGetFuncBySymbol)
  auto It = S->Kernels.find(Stub);
  if (It == S->Kernels.end())
    return runtimeResult(cudaErrorInvalidDeviceFunction);
  Current = Current ? Current : PrimaryContext;
  *To = reinterpret_cast<cudaFunction_t>(It->second);
  return cudaSuccess;
}

/// Handles follow from the addresses of the resources.
EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *To,
                                           const cudaResourceDesc *Resource,
                                           const cudaTextureDesc *, const cudaResourceViewDesc *) {
  RUNTIME(cudaCreateTextureObject)
  *To = reinterpret_cast<uint64_t>(Resource->res.array.array) + 1;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) {
  RUNTIME(cudaDestroyTextureObject)
  return cudaSuccess;
}

EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t Handle, dim3 Grid, dim3 Block, void **Args,
                                      size_t Shared, cudaStream_t Stream) {
  RUNTIME(__cudaLaunchKernel)
  const LibraryKernel *Found = libraryKernel(Handle);
  if (!Found)
    return runtimeResult(cudaErrorInvalidResourceHandle);
  return runtimeResult(submit(makeLaunch(Found->Is, Grid, Block, Args, Shared, Stream, true)));
}

EXPORT cudaError_t cudaLaunchKernel(const void *Stub, dim3 Grid, dim3 Block, void **Args,
                                    size_t Shared, cudaStream_t Handle) {
  RUNTIME(cudaLaunchKernel)
  return runtimeResult(launchByRuntime(Stub, Grid, Block, Args, Shared, Handle, nullptr, 0));
}

EXPORT cudaError_t cudaLaunchKernel_ptsz(const void *Stub, dim3 Grid, dim3 Block, void **Args,
                                         size_t Shared, cudaStream_t Handle) {
  RUNTIME(cudaLaunchKernel_ptsz)
  return runtimeResult(launchByRuntime(Stub, Grid, Block, Args, Shared,
                                       Handle ? Handle : CU_STREAM_PER_THREAD, nullptr, 0));
}

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *C, const void *Stub, void **Args) {
  RUNTIME(cudaLaunchKernelExC)
  return runtimeResult(launchByRuntime(Stub, C->gridDim, C->blockDim, Args, C->dynamicSmemBytes,
                                       C->stream, C->attrs, C->numAttrs));
}

EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *Stub, dim3 Grid, dim3 Block, void **Args,
                                               size_t Shared, cudaStream_t Handle) {
  RUNTIME(cudaLaunchCooperativeKernel)
  cudaLaunchAttribute A = {};
  A.id = cudaLaunchAttributeCooperative;
  A.val.cooperative = 1;
  return runtimeResult(launchByRuntime(Stub, Grid, Block, Args, Shared, Handle, &A, 1));
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *Stub, cudaFuncAttribute A, int Value) {
  RUNTIME(cudaFuncSetAttribute)
  const LibraryKernel *Handle = libraryKernel(Stub);
  (Handle ? Handle->Is : S->Kernels.at(Stub))->Attributes[A] = Value;
  return cudaSuccess;
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *Stub, cudaFuncCache Config) {
  RUNTIME(cudaFuncSetCacheConfig)
  S->Kernels.at(Stub)->CacheConfig = Config;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceSynchronize() {
  RUNTIME(cudaDeviceSynchronize)
  for (auto &[Handle, Each] : S->Streams)
    Each->Held = false;
  release(nullptr);
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t Handle) {
  RUNTIME(cudaStreamSynchronize)
  release(Handle);
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t) {
  RUNTIME(cudaStreamDestroy)
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceReset() {
  RUNTIME(cudaDeviceReset)
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t Handle, cudaStreamCaptureMode) {
  RUNTIME(cudaStreamBeginCapture)
  stream(Handle).Capture = new Graph;
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Handle, cudaStreamCaptureStatus *,
                                            unsigned long long *, cudaGraph_t *,
                                            const cudaGraphNode_t **Last,
                                            const cudaGraphEdgeData **, size_t *Count) {
  RUNTIME(cudaStreamGetCaptureInfo)
  static cudaGraphNode_t Node;
  Graph *G = stream(Handle).Capture;
  *Count = G && !G->Nodes.empty() ? 1 : 0;
  if (*Count != 0)
    Node = reinterpret_cast<cudaGraphNode_t>(G->Nodes.back().get());
  *Last = &Node;
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t Handle, cudaGraph_t *To) {
  RUNTIME(cudaStreamEndCapture)
  *To = reinterpret_cast<cudaGraph_t>(stream(Handle).Capture);
  stream(Handle).Capture = nullptr;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *To, unsigned) {
  RUNTIME(cudaGraphCreate)
  *To = reinterpret_cast<cudaGraph_t>(new Graph);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *To, cudaGraph_t G,
                                          const cudaGraphNode_t *, size_t,
                                          const cudaKernelNodeParams *P) {
  RUNTIME(cudaGraphAddKernelNode)
  Launch L = nodeLaunch(*P);
  if (int Code = check(L))
    return runtimeResult(Code);
  graph(G)->Nodes.push_back(std::make_unique<Node>());
  graph(G)->Nodes.back()->set(std::move(L));
  *To = reinterpret_cast<cudaGraphNode_t>(graph(G)->Nodes.back().get());
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *To, cudaGraph_t G,
                                              const cudaGraphNode_t *, size_t, cudaGraph_t Child) {
  RUNTIME(cudaGraphAddChildGraphNode)
  graph(G)->Nodes.push_back(std::make_unique<Node>(Node{{}, {}, false, graph(Child)}));
  *To = reinterpret_cast<cudaGraphNode_t>(graph(G)->Nodes.back().get());
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t N, cudaKernelNodeParams *To) {
  RUNTIME(cudaGraphKernelNodeGetParams)
  for (auto &[Stub, F] : S->Kernels)
    if (F == node(N)->Kernel.What) {
      Launch &L = node(N)->Kernel;
      *To = {const_cast<void *>(Stub), L.Grid, L.Block, L.DynamicShared,
             node(N)->Pointers.data(), nullptr};
      return cudaSuccess;
    }
  return runtimeResult(cudaErrorInvalidDeviceFunction);
}

EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t N, const cudaKernelNodeParams *P) {
  RUNTIME(cudaGraphKernelNodeSetParams)
  node(N)->set(nodeLaunch(*P));
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t E, cudaGraphNode_t N,
                                                    const cudaKernelNodeParams *P) {
  RUNTIME(cudaGraphExecKernelNodeSetParams)
  for (auto &[Of, Kernel] : exec(E)->Kernels)
    if (Of == node(N))
      Kernel = nodeLaunch(*P);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t G, cudaGraphNode_t *To, size_t *Count) {
  RUNTIME(cudaGraphGetNodes)
  for (size_t I = 0; To && I < graph(G)->Nodes.size(); ++I)
    To[I] = reinterpret_cast<cudaGraphNode_t>(graph(G)->Nodes[I].get());
  *Count = graph(G)->Nodes.size();
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t N, cudaGraphNodeType *To) {
  RUNTIME(cudaGraphNodeGetType)
  *To = node(N)->Child      ? cudaGraphNodeTypeGraph
        : node(N)->IsKernel ? cudaGraphNodeTypeKernel
                            : cudaGraphNodeTypeEmpty;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t N, cudaGraph_t *To) {
  RUNTIME(cudaGraphChildGraphNodeGetGraph)
  *To = reinterpret_cast<cudaGraph_t>(node(N)->Child);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *To, cudaGraph_t G, unsigned long long) {
  RUNTIME(cudaGraphInstantiate)
  auto *New = new Exec;
  fill(*New, *graph(G));
  *To = reinterpret_cast<cudaGraphExec_t>(New);
  return cudaSuccess;
}

/// Each node waits for the previous one.
EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t G, cudaGraphNode_t *From, cudaGraphNode_t *To,
                                     cudaGraphEdgeData *, size_t *Count) {
  RUNTIME(cudaGraphGetEdges)
  auto &Nodes = graph(G)->Nodes;
  *Count = Nodes.empty() ? 0 : Nodes.size() - 1;
  for (size_t I = 0; From && I < *Count; ++I) {
    From[I] = reinterpret_cast<cudaGraphNode_t>(Nodes[I].get());
    To[I] = reinterpret_cast<cudaGraphNode_t>(Nodes[I + 1].get());
  }
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t E, cudaStream_t Handle) {
  RUNTIME(cudaGraphLaunch)
  for (auto &[Of, Kernel] : exec(E)->Kernels)
    enqueue(Handle, [L = Kernel] { run(L); });
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t E) {
  RUNTIME(cudaGraphExecDestroy)
  delete exec(E);
  return cudaSuccess;
}
