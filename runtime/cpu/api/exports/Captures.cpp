//===- Captures.cpp - Capture functions of libcudart, compiled twice ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Capture.h"
#include "cpu/api/PerThread.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

namespace {

void giveDependencies(const CaptureState &State, const cudaGraphNode_t **Out,
                      const cudaGraphEdgeData **Edges, size_t *Count) {
  // Valid until the thread's next call.
  auto &Dependencies = ofThread<std::vector<cudaGraphNode_t>>();
  Dependencies.clear();
  for (const GraphNode *Node : State.Tail)
    Dependencies.push_back(handle(Node));
  if (Out)
    *Out = Dependencies.data();
  if (Edges)
    *Edges = nullptr;
  if (Count)
    *Count = Dependencies.size();
}

} // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t Handle, cudaStreamCaptureMode Mode) {
  return callOn(Handle,
                [&](Stream &S) { return beginCapture(S, Mode, std::make_shared<Graph>(), {}); });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t Handle, cudaGraph_t GraphHandle,
                                          const cudaGraphNode_t *After, const cudaGraphEdgeData *,
                                          size_t Count, cudaStreamCaptureMode Mode) {
  return callOn(Handle, [&](Stream &S) {
    std::shared_ptr<Graph> G = graphs().find(GraphHandle);
    if (!G)
      return cudaErrorInvalidValue;
    auto Nodes = findNodes(*G, After, Count);
    return Nodes ? beginCapture(S, Mode, G, *Nodes) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t Handle, cudaGraph_t *Out) {
  return callOn(Handle, [&](Stream &S) {
    if (Out)
      *Out = nullptr;
    std::shared_ptr<Graph> G;
    if (cudaError_t Error = endCapture(S, G))
      return Error;
    // A graph captured into already has a handle, and the program may not need it.
    if (!Out)
      return cudaSuccess;
    *Out = reinterpret_cast<cudaGraph_t>(G.get());
    if (!graphs().find(G.get()))
      graphs().add(G);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t Handle, cudaStreamCaptureStatus *Status) {
  return callOn(Handle, [&](Stream &S) {
    if (!Status)
      return cudaErrorInvalidValue;
    *Status = captureState(S).Status;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Handle, cudaStreamCaptureStatus *Status,
                                     unsigned long long *Id, cudaGraph_t *GraphOut,
                                     const cudaGraphNode_t **After, const cudaGraphEdgeData **Edges,
                                     size_t *Count) {
  return callOn(Handle, [&](Stream &S) {
    if (!Status)
      return cudaErrorInvalidValue;
    CaptureState State = captureState(S);
    *Status = State.Status;
    if (State.Status != cudaStreamCaptureStatusActive)
      return cudaSuccess;
    if (Id)
      *Id = State.Id;
    if (GraphOut) {
      *GraphOut = reinterpret_cast<cudaGraph_t>(State.Into.get());
      if (!graphs().find(State.Into.get()))
        graphs().add(State.Into);
    }
    giveDependencies(State, After, Edges, Count);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t Handle, cudaGraphNode_t *Nodes,
                                                const cudaGraphEdgeData *, size_t Count,
                                                unsigned Flags) {
  return callOn(Handle, [&](Stream &S) {
    CaptureState State = captureState(S);
    if (State.Status == cudaStreamCaptureStatusNone)
      return cudaErrorIllegalState;
    auto Found = findNodes(*State.Into, Nodes, Count);
    if (!Found || Flags > cudaStreamSetCaptureDependencies)
      return cudaErrorInvalidValue;
    return updateCaptureTail(S, *Found, Flags == cudaStreamSetCaptureDependencies);
  });
}
