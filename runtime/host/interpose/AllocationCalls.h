//===- AllocationCalls.h - Calls that allocate and release ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and records the calls that allocate and release memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_ALLOCATIONCALLS_H
#define GMPROF_HOST_INTERPOSE_ALLOCATIONCALLS_H

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/objects/InstanceNames.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/PageProtections.h"
#include "host/sync/WhatIf.h"
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gmprof::host {

inline uint64_t number(uint64_t Address) { return Address; }
inline uint64_t number(const void *Pointer) { return reinterpret_cast<uint64_t>(Pointer); }

/// Returns an attribute of memory; nothing if the driver does not know it.
template <typename T>
std::optional<T> attributeOf(const DriverApi &Api, CUpointer_attribute Which, uint64_t Pointer) {
  T Value = {};
  if (!Api.cuPointerGetAttribute ||
      Api.cuPointerGetAttribute(&Value, Which, Pointer) != CUDA_SUCCESS)
    return std::nullopt;
  return Value;
}

/// Returns the device of memory that was just allocated.
inline int deviceOf(Session &S, uint64_t Pointer) {
  const DriverApi &Api = S.driver();
  const auto Ordinal = attributeOf<int>(Api, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, Pointer);
  return Ordinal ? *Ordinal : Api.currentDevice();
}

/// Returns the address at which kernels access memory of the host.
inline uint64_t addressOnDevice(Session &S, uint64_t Pointer) {
  const auto OnDevice =
      attributeOf<CUdeviceptr>(S.driver(), CU_POINTER_ATTRIBUTE_DEVICE_POINTER, Pointer);
  return OnDevice.value_or(0) != 0 ? *OnDevice : Pointer;
}

/// A variable of instrumented code.
struct NamedVariable {
  const void *Where = nullptr;
  const char *Name = nullptr; ///< null: none
};
/// The variable that receives the address of this thread's next allocation.
inline constinit thread_local NamedVariable Next;
/// The container whose elements this thread is allocating.
inline constinit thread_local NamedVariable Owner;
/// Objects whose members this thread is allocating, from instrumented code.
inline constinit thread_local InstanceNames Instances;

/// Makes the program's call; Made describes the new object, or the one for which there was no
/// memory. Where: the variable that receives the address.
template <typename Call, typename Describe>
cudaError_t allocate(const void *Where, const Call &Plain, Describe Made) {
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

template <typename Call>
cudaError_t allocate(const void *Caller, const char *Api, log::ObjectKind Kind,
                     void *const *Pointer, uint64_t Bytes, Call Plain) {
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

/// Reuses memory that the program has released, if the run of whatif does so.
template <typename Call>
cudaError_t allocateOrReuse(const void *Caller, const char *Api, void **Pointer, size_t Bytes,
                            Call Plain) {
  WhatIf *W = Inside::now() ? nullptr : WhatIf::active();
  if (W && W->reuse(Pointer, Bytes))
    return cudaSuccess;
  cudaError_t Error = allocate(Caller, Api, log::ObjectKind::Device, Pointer, Bytes, Plain);
  if (W && Error == cudaSuccess)
    W->allocated(*Pointer, Bytes);
  return Error;
}

/// Makes a stream-ordered allocation. FromPool: the memory may belong to another device than the
/// current one.
template <typename Call>
cudaError_t allocateAsync(const void *Caller, const char *Api, void *const *Pointer, uint64_t Bytes,
                          cudaStream_t Stream, bool FromPool, Call Plain) {
  return allocate(Pointer, Plain, [&](Session &S) {
    log::ObjectKind Kind =
        S.capturing(Stream) ? log::ObjectKind::Graph : log::ObjectKind::AsyncPool;
    int Device = FromPool ? deviceOf(S, number(*Pointer)) : S.driver().currentDevice();
    return NewObject{Api,   Caller, Kind,          number(*Pointer), number(*Pointer),
                     Bytes, Device, number(Stream)};
  });
}

/// Registers memory of the host, which kernels may access at another address.
template <typename Call>
cudaError_t registerMemory(const void *Caller, const char *Api, void *Pointer, uint64_t Bytes,
                           Call Plain) {
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

/// Interposes a release. Node: the graph node that releases the memory, if the program adds one.
template <typename Call>
cudaError_t release(const void *Caller, const char *Api, const void *Handle, cudaStream_t Stream,
                    const Call &Plain, const cudaGraphNode_t *Node = nullptr) {
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

/// Size of an array's elements, extent and number of levels.
struct ArrayShape {
  uint64_t ElementBytes, Width, Height, Depth;
  unsigned Levels = 1;

  uint64_t bytes() const {
    uint64_t Elements = 0;
    for (unsigned Level = 0; Level < std::min(Levels, 64u); ++Level)
      Elements += std::max<uint64_t>(Width >> Level, 1) * std::max<uint64_t>(Height >> Level, 1) *
                  std::max<uint64_t>(Depth >> Level, 1);
    return ElementBytes * Elements;
  }
};

inline uint64_t elementBytes(const cudaChannelFormatDesc *Element) {
  return Element ? (uint64_t(Element->x) + Element->y + Element->z + Element->w + 7) / 8 : 0;
}

/// Arrays have no address with which a kernel could compute.
template <typename Handle, typename Call>
cudaError_t allocateArray(const void *Caller, const char *Api, const Handle *Array,
                          const ArrayShape &Shape, Call Plain) {
  return allocate(Array, Plain, [&](Session &S) {
    NewObject New = {Api, Caller,        log::ObjectKind::Array,    number(*Array),
                     0,   Shape.bytes(), S.driver().currentDevice()};
    New.Extent = {static_cast<uint32_t>(Shape.Width), static_cast<uint32_t>(Shape.Height),
                  static_cast<uint32_t>(Shape.Depth)};
    New.ElementBytes = static_cast<uint32_t>(Shape.ElementBytes);
    return New;
  });
}

template <typename Params>
cudaError_t addAllocationNode(const void *Caller, const char *Api, const cudaGraphNode_t *Node,
                              const Params &Of, const std::function<cudaError_t()> &Plain) {
  return allocate(nullptr, Plain, [&](Session &) {
    NewObject New = {Api,
                     Caller,
                     log::ObjectKind::Graph,
                     number(Of.dptr),
                     number(Of.dptr),
                     Of.bytesize,
                     Of.poolProps.location.id};
    New.GraphNode = *Node;
    return New;
  });
}

} // namespace gmprof::host

#endif // GMPROF_HOST_INTERPOSE_ALLOCATIONCALLS_H
