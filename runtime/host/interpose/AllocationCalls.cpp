//===- AllocationCalls.cpp - Calls that allocate and release --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/interpose/AllocationCalls.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/PageProtections.h"
#include "host/sync/WhatIf.h"
#include <string>
#include <utility>

namespace gmprof::host {

cudaError_t allocate(const void *Where, FunctionRef<cudaError_t()> Plain,
                     FunctionRef<NewObject(Session &)> Made) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed({log::CallKind::Allocation, "cudaMalloc", nullptr});
  const NamedVariable Receiver = std::exchange(Next, {});
  const uint64_t Begin = steadyNs();
  cudaError_t Error = Plain();
  // Releases memory that WhatIf has kept, or counters of GMProf, if memory runs out.
  if (WhatIf *W = WhatIf::active(); W && Error == cudaErrorMemoryAllocation && W->giveBack()) {
    GMPROF_REAL(cudaGetLastError);
    Error = Plain();
  }
  if (Error == cudaErrorMemoryAllocation)
    if (Session *S = Session::current(); S && S->giveBackMemory()) {
      GMPROF_REAL(cudaGetLastError);
      Error = Plain();
    }
  Observed.returned(Error);
  if (Session *S = Error == cudaErrorMemoryAllocation ? Session::begin() : nullptr)
    S->readings().failed(Made(*S));
  if (Session *S = Error == cudaSuccess ? Session::begin() : nullptr) {
    NewObject New = Made(*S);
    Observed.setApi(New.Api);
    New.BeginNs = Begin;
    const NamedVariable &Named = Receiver.Where == Where ? Receiver : Owner;
    const std::string Name = Named.Name ? Instances.nameOf(Named.Where, Named.Name) : "";
    New.Variable = Name.c_str();
    if (New.Kind == log::ObjectKind::Managed && S->sync())
      S->sync()->managedMemory();
    const uint64_t Id = S->objects().add(New);
    const LiveObject Object = {Id, New.Address, New.Bytes, New.Kind, New.Device};
    S->readings().allocated(Object);
    if (New.GraphNode)
      S->graphNodes().memoryNode(static_cast<cudaGraphNode_t>(New.GraphNode),
                                 log::GraphNodeKind::Allocation, Object);
    else if (New.Kind == log::ObjectKind::Graph)
      S->graphNodes().capturedMemory(reinterpret_cast<cudaStream_t>(New.Stream),
                                     log::GraphNodeKind::Allocation, Object);
  }
  return Error;
}

cudaError_t allocate(const void *Caller, const char *Api, log::ObjectKind Kind,
                     void *const *Pointer, uint64_t Bytes, FunctionRef<cudaError_t()> Plain) {
  const cudaError_t Error = allocate(Pointer, Plain, [&](Session &S) {
    return NewObject{
        Api, Caller, Kind, number(*Pointer), number(*Pointer), Bytes, S.driver().currentDevice()};
  });
  if (Error != cudaSuccess || Kind == log::ObjectKind::Device || Inside::now())
    return Error;
  // The driver may allocate from addresses that it had reserved without access.
  if (FaultHandler::prepared())
    PageProtections::set(number(*Pointer), Bytes, /*Limited=*/false);
  if (LateWaits *L = LateWaits::active())
    L->allocated(number(*Pointer), Bytes, Kind == log::ObjectKind::Managed, /*Registered=*/false);
  return Error;
}

cudaError_t allocateOrReuse(const void *Caller, const char *Api, void **Pointer, size_t Bytes,
                            FunctionRef<cudaError_t()> Plain) {
  WhatIf *W = Inside::now() ? nullptr : WhatIf::active();
  if (W && W->reuse(Pointer, Bytes))
    return cudaSuccess;
  cudaError_t Error = allocate(Caller, Api, log::ObjectKind::Device, Pointer, Bytes, Plain);
  if (W && Error == cudaSuccess)
    W->allocated(*Pointer, Bytes);
  return Error;
}

cudaError_t allocateAsync(const void *Caller, const char *Api, void *const *Pointer, uint64_t Bytes,
                          cudaStream_t Stream, bool FromPool, FunctionRef<cudaError_t()> Plain) {
  return allocate(Pointer, Plain, [&](Session &S) {
    log::ObjectKind Kind =
        S.capturing(Stream) ? log::ObjectKind::Graph : log::ObjectKind::AsyncPool;
    int Device = FromPool ? deviceOf(S, number(*Pointer)) : S.driver().currentDevice();
    return NewObject{Api,   Caller, Kind,          number(*Pointer), number(*Pointer),
                     Bytes, Device, number(Stream)};
  });
}

cudaError_t registerMemory(const void *Caller, const char *Api, void *Pointer, uint64_t Bytes,
                           FunctionRef<cudaError_t()> Plain) {
  const cudaError_t Error = allocate(nullptr, Plain, [&](Session &S) {
    return NewObject{Api,
                     Caller,
                     log::ObjectKind::Pinned,
                     number(Pointer),
                     addressOnDevice(S, number(Pointer)),
                     Bytes,
                     S.driver().currentDevice()};
  });
  if (LateWaits *L = Inside::now() ? nullptr : LateWaits::active(); L && Error == cudaSuccess)
    L->allocated(number(Pointer), Bytes, /*Managed=*/false, /*Registered=*/true);
  return Error;
}

cudaError_t release(const void *Caller, const char *Api, const void *Handle, cudaStream_t Stream,
                    FunctionRef<cudaError_t()> Plain, const cudaGraphNode_t *Node) {
  if (Inside::now() || !Handle)
    return Plain();
  Inside Guard;
  if (LateWaits *L = LateWaits::active())
    L->releasing(number(Handle));
  if (WhatIf *W = WhatIf::active()) {
    void *Pointer = const_cast<void *>(Handle);
    if (W->instead(Api, Caller) == WhatIf::Instead::NoWait && W->keep(Api, Pointer))
      return cudaSuccess;
    W->released(Pointer);
  }
  Session *S = Session::last();
  std::optional<Objects::Removed> Gone;
  if (S)
    Gone = S->objects().remove(number(Handle), Caller);
  ObservedCall Observed({log::CallKind::Release, Api, Caller, Stream});
  cudaError_t Error = Plain();
  Observed.returned(Error);
  // CUDA and its memory are gone when destructors of global objects run.
  const bool Released = Error == cudaSuccess || Error == cudaErrorCudartUnloading;
  if (Gone && !Released)
    S->objects().restore(*Gone);
  if (!Gone || !Released)
    return Error;
  const bool Captured = Stream && S->capturing(Stream);
  S->released(*Gone, Api, number(Stream), Captured || Node);
  if (Captured)
    S->graphNodes().capturedMemory(Stream, log::GraphNodeKind::Release, Gone->Object);
  else if (Node)
    S->graphNodes().memoryNode(*Node, log::GraphNodeKind::Release, Gone->Object);
  return Error;
}

} // namespace gmprof::host
