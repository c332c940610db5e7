//===- InterposeAllocations.cpp - Allocations and releases ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes allocation and release. A call that fails changes nothing. An object is removed before
// the program's call releases it: right after the call, another thread may get the same address.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/PageProtections.h"
#include "host/sync/WhatIf.h"
#include <algorithm>
#include <functional>
#include <utility>

using namespace gmprof;
using namespace gmprof::host;
using log::ObjectKind;

namespace {

uint64_t number(uint64_t Address) { return Address; }
uint64_t number(const void *Pointer) { return reinterpret_cast<uint64_t>(Pointer); }

/// Returns the device of memory that was just allocated.
int deviceOf(Session &S, uint64_t Pointer) {
  const DriverApi &Api = S.driver();
  int Ordinal = 0;
  const bool Known = Api.cuPointerGetAttribute &&
                     Api.cuPointerGetAttribute(&Ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                               Pointer) == CUDA_SUCCESS;
  return Known ? Ordinal : Api.currentDevice();
}

/// Returns the address at which kernels access memory of the host.
uint64_t addressOnDevice(Session &S, uint64_t Pointer) {
  const DriverApi &Api = S.driver();
  CUdeviceptr OnDevice = 0;
  const bool Known = Api.cuPointerGetAttribute &&
                     Api.cuPointerGetAttribute(&OnDevice, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                               Pointer) == CUDA_SUCCESS;
  return Known && OnDevice ? OnDevice : Pointer;
}

/// Name of this thread's next allocation, from instrumented code.
struct NextObject {
  const void *Where = nullptr; ///< receives the address
  const char *Name = nullptr;
};
thread_local NextObject Next;

/// Makes the program's call; Made describes the new object. Where: the variable that receives the
/// address.
template <typename Call, typename Describe>
cudaError_t allocate(const void *Where, const Call &Plain, Describe Made) {
  if (Inside::now())
    return Plain();
  Inside Guard;
  ObservedCall Observed({log::CallKind::Allocation, "cudaMalloc", nullptr});
  const NextObject Named = std::exchange(Next, {});
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
  if (Session *S = Error == cudaSuccess ? Session::begin() : nullptr) {
    NewObject New = Made(*S);
    Observed.setApi(New.Api);
    New.BeginNs = Begin;
    New.Variable = Named.Where == Where ? Named.Name : nullptr;
    if (New.Kind == ObjectKind::Managed && S->sync())
      S->sync()->managedMemory();
    const uint64_t Id = S->objects().add(New);
    const LiveObject Object = {Id, New.Address, New.Bytes, New.Kind, New.Device};
    if (New.GraphNode)
      S->graphNodes().memoryNode(static_cast<cudaGraphNode_t>(New.GraphNode),
                                 log::GraphNodeKind::Allocation, Object);
    else if (New.Kind == ObjectKind::Graph)
      S->graphNodes().capturedMemory(reinterpret_cast<cudaStream_t>(New.Stream),
                                     log::GraphNodeKind::Allocation, Object);
  }
  return Error;
}

template <typename Call>
cudaError_t allocate(const void *Caller, const char *Api, ObjectKind Kind, void *const *Pointer,
                     uint64_t Bytes, Call Plain) {
  const cudaError_t Error = allocate(Pointer, Plain, [&](Session &S) {
    return NewObject{
        Api, Caller, Kind, number(*Pointer), number(*Pointer), Bytes, S.driver().currentDevice()};
  });
  if (Error != cudaSuccess || Kind == ObjectKind::Device || Inside::now())
    return Error;
  // The driver may allocate from addresses that it had reserved without access.
  if (FaultHandler::prepared())
    PageProtections::set(number(*Pointer), Bytes, /*Limited=*/false);
  if (LateWaits *L = LateWaits::active())
    L->allocated(number(*Pointer), Bytes, Kind == ObjectKind::Managed, /*Registered=*/false);
  return Error;
}

/// Reuses memory that the program has released, if the run of whatif does so.
template <typename Call>
cudaError_t allocateOrReuse(const void *Caller, const char *Api, void **Pointer, size_t Bytes,
                            Call Plain) {
  WhatIf *W = Inside::now() ? nullptr : WhatIf::active();
  if (W && W->reuse(Pointer, Bytes))
    return cudaSuccess;
  cudaError_t Error = allocate(Caller, Api, ObjectKind::Device, Pointer, Bytes, Plain);
  if (W && Error == cudaSuccess)
    W->allocated(*Pointer, Bytes);
  return Error;
}

/// Stream-ordered allocations. FromPool: the memory may belong to another device than the current
/// one.
template <typename Call>
cudaError_t allocateAsync(const void *Caller, const char *Api, void *const *Pointer, uint64_t Bytes,
                          cudaStream_t Stream, bool FromPool, Call Plain) {
  return allocate(Pointer, Plain, [&](Session &S) {
    ObjectKind Kind = S.capturing(Stream) ? ObjectKind::Graph : ObjectKind::AsyncPool;
    int Device = FromPool ? deviceOf(S, number(*Pointer)) : S.driver().currentDevice();
    return NewObject{Api,   Caller, Kind,          number(*Pointer), number(*Pointer),
                     Bytes, Device, number(Stream)};
  });
}

/// Memory of the host, which kernels may access at another address.
template <typename Call>
cudaError_t registerMemory(const void *Caller, const char *Api, void *Pointer, uint64_t Bytes,
                           Call Plain) {
  const cudaError_t Error = allocate(nullptr, Plain, [&](Session &S) {
    return NewObject{Api,
                     Caller,
                     ObjectKind::Pinned,
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

uint64_t elementBytes(const cudaChannelFormatDesc *Element) {
  return Element ? (uint64_t(Element->x) + Element->y + Element->z + Element->w + 7) / 8 : 0;
}

/// Arrays have no address with which a kernel could compute.
template <typename Handle, typename Call>
cudaError_t allocateArray(const void *Caller, const char *Api, const Handle *Array,
                          const ArrayShape &Shape, Call Plain) {
  return allocate(Array, Plain, [&](Session &S) {
    NewObject New = {Api, Caller,        ObjectKind::Array,         number(*Array),
                     0,   Shape.bytes(), S.driver().currentDevice()};
    New.Extent = {static_cast<uint32_t>(Shape.Width), static_cast<uint32_t>(Shape.Height),
                  static_cast<uint32_t>(Shape.Depth)};
    New.ElementBytes = static_cast<uint32_t>(Shape.ElementBytes);
    return New;
  });
}

} // namespace

/// The pass inserts calls of this function before allocations (HostAllocations.h).
extern "C" __attribute__((visibility("default"))) void __gmprof_name_next_object(const void *Where,
                                                                                 const char *Name) {
  Next = {Where, Name};
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaMalloc(void **Pointer, size_t Bytes) {
  return allocateOrReuse(GMPROF_CALLER, "cudaMalloc", Pointer, Bytes,
                         [&] { return GMPROF_REAL(cudaMalloc, Pointer, Bytes); });
}

GMPROF_INTERPOSE cudaError_t cudaMallocPitch(void **Pointer, size_t *Pitch, size_t Width,
                                             size_t Height) {
  auto Plain = [&] { return GMPROF_REAL(cudaMallocPitch, Pointer, Pitch, Width, Height); };
  return allocate(Pointer, Plain, [&, Caller = GMPROF_CALLER](Session &S) {
    return NewObject{"cudaMallocPitch",         Caller,           ObjectKind::Device,
                     number(*Pointer),          number(*Pointer), *Pitch * Height,
                     S.driver().currentDevice()};
  });
}

GMPROF_INTERPOSE cudaError_t cudaMalloc3D(cudaPitchedPtr *Pointer, cudaExtent Extent) {
  auto Plain = [&] { return GMPROF_REAL(cudaMalloc3D, Pointer, Extent); };
  return allocate(Pointer, Plain, [&, Caller = GMPROF_CALLER](Session &S) {
    return NewObject{"cudaMalloc3D",
                     Caller,
                     ObjectKind::Device,
                     number(Pointer->ptr),
                     number(Pointer->ptr),
                     Pointer->pitch * Extent.height * Extent.depth,
                     S.driver().currentDevice()};
  });
}

GMPROF_INTERPOSE cudaError_t cudaMallocManaged(void **Pointer, size_t Bytes, unsigned Flags) {
  return allocate(GMPROF_CALLER, "cudaMallocManaged", ObjectKind::Managed, Pointer, Bytes,
                  [&] { return GMPROF_REAL(cudaMallocManaged, Pointer, Bytes, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaMallocHost(void **Pointer, size_t Bytes) {
  return allocate(GMPROF_CALLER, "cudaMallocHost", ObjectKind::Pinned, Pointer, Bytes,
                  [&] { return GMPROF_REAL(cudaMallocHost, Pointer, Bytes); });
}

GMPROF_INTERPOSE cudaError_t cudaHostAlloc(void **Pointer, size_t Bytes, unsigned Flags) {
  return allocate(GMPROF_CALLER, "cudaHostAlloc", ObjectKind::Pinned, Pointer, Bytes,
                  [&] { return GMPROF_REAL(cudaHostAlloc, Pointer, Bytes, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaHostRegister(void *Pointer, size_t Bytes, unsigned Flags) {
  return registerMemory(GMPROF_CALLER, "cudaHostRegister", Pointer, Bytes,
                        [&] { return GMPROF_REAL(cudaHostRegister, Pointer, Bytes, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaMallocAsync(void **Pointer, size_t Bytes, cudaStream_t Stream) {
  return allocateAsync(GMPROF_CALLER, "cudaMallocAsync", Pointer, Bytes, Stream, false,
                       [&] { return GMPROF_REAL(cudaMallocAsync, Pointer, Bytes, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaMallocAsync_ptsz(void **Pointer, size_t Bytes,
                                                  cudaStream_t Stream) {
  return allocateAsync(GMPROF_CALLER, "cudaMallocAsync", Pointer, Bytes, perThread(Stream), false,
                       [&] { return GMPROF_REAL(cudaMallocAsync_ptsz, Pointer, Bytes, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaMallocFromPoolAsync(void **Pointer, size_t Bytes,
                                                     cudaMemPool_t Pool, cudaStream_t Stream) {
  return allocateAsync(GMPROF_CALLER, "cudaMallocFromPoolAsync", Pointer, Bytes, Stream, true, [&] {
    return GMPROF_REAL(cudaMallocFromPoolAsync, Pointer, Bytes, Pool, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t cudaMallocFromPoolAsync_ptsz(void **Pointer, size_t Bytes,
                                                          cudaMemPool_t Pool, cudaStream_t Stream) {
  return allocateAsync(
      GMPROF_CALLER, "cudaMallocFromPoolAsync", Pointer, Bytes, perThread(Stream), true,
      [&] { return GMPROF_REAL(cudaMallocFromPoolAsync_ptsz, Pointer, Bytes, Pool, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaMallocArray(cudaArray_t *Array,
                                             const cudaChannelFormatDesc *Element, size_t Width,
                                             size_t Height, unsigned Flags) {
  return allocateArray(
      GMPROF_CALLER, "cudaMallocArray", Array, {elementBytes(Element), Width, Height, 0},
      [&] { return GMPROF_REAL(cudaMallocArray, Array, Element, Width, Height, Flags); });
}

GMPROF_INTERPOSE cudaError_t cudaMalloc3DArray(cudaArray_t *Array,
                                               const cudaChannelFormatDesc *Element,
                                               cudaExtent Extent, unsigned Flags) {
  return allocateArray(GMPROF_CALLER, "cudaMalloc3DArray", Array,
                       {elementBytes(Element), Extent.width, Extent.height, Extent.depth}, [&] {
                         return GMPROF_REAL(cudaMalloc3DArray, Array, Element, Extent, Flags);
                       });
}

GMPROF_INTERPOSE cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *Array,
                                                      const cudaChannelFormatDesc *Element,
                                                      cudaExtent Extent, unsigned Levels,
                                                      unsigned Flags) {
  return allocateArray(
      GMPROF_CALLER, "cudaMallocMipmappedArray", Array,
      {elementBytes(Element), Extent.width, Extent.height, Extent.depth, Levels},
      [&] { return GMPROF_REAL(cudaMallocMipmappedArray, Array, Element, Extent, Levels, Flags); });
}

template <typename Params>
static cudaError_t addAllocationNode(const void *Caller, const char *Api,
                                     const cudaGraphNode_t *Node, const Params &Of,
                                     const std::function<cudaError_t()> &Plain) {
  return allocate(nullptr, Plain, [&](Session &) {
    NewObject New = {Api,
                     Caller,
                     ObjectKind::Graph,
                     number(Of.dptr),
                     number(Of.dptr),
                     Of.bytesize,
                     Of.poolProps.location.id};
    New.GraphNode = *Node;
    return New;
  });
}

GMPROF_INTERPOSE cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                                      const cudaGraphNode_t *Dependencies,
                                                      size_t Count,
                                                      cudaMemAllocNodeParams *Params) {
  return addAllocationNode(GMPROF_CALLER, "cudaGraphAddMemAllocNode", Node, *Params, [&] {
    return GMPROF_REAL(cudaGraphAddMemAllocNode, Node, Graph, Dependencies, Count, Params);
  });
}

cudaError_t gmprof::host::addMemoryNode(const void *Caller, const cudaGraphNode_t *Node,
                                        const cudaGraphNodeParams &Params,
                                        const std::function<cudaError_t()> &Plain) {
  if (Params.type == cudaGraphNodeTypeMemFree)
    return release(Caller, "cudaGraphAddNode", Params.free.dptr, nullptr, Plain, Node);
  return addAllocationNode(Caller, "cudaGraphAddNode", Node, Params.alloc, Plain);
}

//===----------------------------------------------------------------------===//
// Release
//===----------------------------------------------------------------------===//

GMPROF_INTERPOSE cudaError_t cudaFree(void *Pointer) {
  return release(GMPROF_CALLER, "cudaFree", Pointer, nullptr,
                 [&] { return GMPROF_REAL(cudaFree, Pointer); });
}

GMPROF_INTERPOSE cudaError_t cudaFreeHost(void *Pointer) {
  return release(GMPROF_CALLER, "cudaFreeHost", Pointer, nullptr,
                 [&] { return GMPROF_REAL(cudaFreeHost, Pointer); });
}

GMPROF_INTERPOSE cudaError_t cudaHostUnregister(void *Pointer) {
  return release(GMPROF_CALLER, "cudaHostUnregister", Pointer, nullptr,
                 [&] { return GMPROF_REAL(cudaHostUnregister, Pointer); });
}

GMPROF_INTERPOSE cudaError_t cudaFreeAsync(void *Pointer, cudaStream_t Stream) {
  return release(GMPROF_CALLER, "cudaFreeAsync", Pointer, Stream,
                 [&] { return GMPROF_REAL(cudaFreeAsync, Pointer, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaFreeAsync_ptsz(void *Pointer, cudaStream_t Stream) {
  return release(GMPROF_CALLER, "cudaFreeAsync", Pointer, perThread(Stream),
                 [&] { return GMPROF_REAL(cudaFreeAsync_ptsz, Pointer, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaFreeArray(cudaArray_t Array) {
  return release(GMPROF_CALLER, "cudaFreeArray", Array, nullptr,
                 [&] { return GMPROF_REAL(cudaFreeArray, Array); });
}

GMPROF_INTERPOSE cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t Array) {
  return release(GMPROF_CALLER, "cudaFreeMipmappedArray", Array, nullptr,
                 [&] { return GMPROF_REAL(cudaFreeMipmappedArray, Array); });
}

GMPROF_INTERPOSE cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                                     const cudaGraphNode_t *Dependencies,
                                                     size_t Count, void *Pointer) {
  return release(
      GMPROF_CALLER, "cudaGraphAddMemFreeNode", Pointer, nullptr,
      [&] {
        return GMPROF_REAL(cudaGraphAddMemFreeNode, Node, Graph, Dependencies, Count, Pointer);
      },
      Node);
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {

void *const *pointerTo(const CUdeviceptr *Address) {
  return reinterpret_cast<void *const *>(Address);
}
const void *pointer(CUdeviceptr Address) { return reinterpret_cast<const void *>(Address); }

uint64_t elementBytes(CUarray_format Format, unsigned Channels) {
  uint64_t ChannelBytes = 1;
  switch (Format) {
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    ChannelBytes = 2;
    break;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    ChannelBytes = 4;
    break;
  default: // bytes; sizes of compressed and video formats are unknown
    break;
  }
  return ChannelBytes * Channels;
}

ArrayShape shapeOf(const CUDA_ARRAY3D_DESCRIPTOR *Of, unsigned Levels) {
  return Of ? ArrayShape{elementBytes(Of->Format, Of->NumChannels), Of->Width, Of->Height,
                         Of->Depth, Levels}
            : ArrayShape{};
}

} // namespace

/// Interposes a function that stores the address.
#define GMPROF_DRIVER_ALLOCATION(name, parameters, arguments, kind, pointer, bytes)                \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(                                                                  \
        allocate(GMPROF_CALLER, nameOf(DriverHook::name), ObjectKind::kind, pointer, bytes,        \
                 [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); }));              \
  }
#define GMPROF_UNWRAP(...) __VA_ARGS__

GMPROF_INTERPOSE_DRIVER(cuMemAlloc_v2, (CUdeviceptr * Address, size_t Bytes)) {
  return static_cast<CUresult>(
      allocateOrReuse(GMPROF_CALLER, "cuMemAlloc", reinterpret_cast<void **>(Address), Bytes,
                      [&] { return GMPROF_REAL_DRIVER(cuMemAlloc_v2, Address, Bytes); }));
}

GMPROF_DRIVER_ALLOCATION(cuMemAllocManaged, (CUdeviceptr * Address, size_t Bytes, unsigned Flags),
                         (Address, Bytes, Flags), Managed, pointerTo(Address), Bytes)
GMPROF_DRIVER_ALLOCATION(cuMemAllocHost_v2, (void **Pointer, size_t Bytes), (Pointer, Bytes),
                         Pinned, Pointer, Bytes)
GMPROF_DRIVER_ALLOCATION(cuMemAllocHost_v1, (void **Pointer, unsigned Bytes), (Pointer, Bytes),
                         Pinned, Pointer, Bytes)
GMPROF_DRIVER_ALLOCATION(cuMemHostAlloc, (void **Pointer, size_t Bytes, unsigned Flags),
                         (Pointer, Bytes, Flags), Pinned, Pointer, Bytes)

GMPROF_INTERPOSE_DRIVER(cuMemAllocPitch_v2, (CUdeviceptr * Address, size_t *Pitch, size_t Width,
                                             size_t Height, unsigned ElementBytes)) {
  auto Plain = [&] {
    return GMPROF_REAL_DRIVER(cuMemAllocPitch_v2, Address, Pitch, Width, Height, ElementBytes);
  };
  return static_cast<CUresult>(allocate(Address, Plain, [&, Caller = GMPROF_CALLER](Session &S) {
    return NewObject{"cuMemAllocPitch", Caller,          ObjectKind::Device,        *Address,
                     *Address,          *Pitch * Height, S.driver().currentDevice()};
  }));
}

#define GMPROF_DRIVER_REGISTER(name)                                                               \
  GMPROF_INTERPOSE_DRIVER(name, (void *Pointer, size_t Bytes, unsigned Flags)) {                   \
    return static_cast<CUresult>(                                                                  \
        registerMemory(GMPROF_CALLER, "cuMemHostRegister", Pointer, Bytes,                         \
                       [&] { return GMPROF_REAL_DRIVER(name, Pointer, Bytes, Flags); }));          \
  }
GMPROF_DRIVER_REGISTER(cuMemHostRegister_v1)
GMPROF_DRIVER_REGISTER(cuMemHostRegister_v2)

/// Memory that was created before is mapped to an address.
GMPROF_INTERPOSE_DRIVER(cuMemMap, (CUdeviceptr Address, size_t Bytes, size_t Offset,
                                   CUmemGenericAllocationHandle Memory, unsigned long long Flags)) {
  void *Pointer = reinterpret_cast<void *>(Address);
  return static_cast<CUresult>(
      allocate(GMPROF_CALLER, "cuMemMap", ObjectKind::Device, &Pointer, Bytes, [&] {
        return GMPROF_REAL_DRIVER(cuMemMap, Address, Bytes, Offset, Memory, Flags);
      }));
}

#define GMPROF_DRIVER_ASYNC_ALLOCATION(name, stream)                                               \
  GMPROF_INTERPOSE_DRIVER(name, (CUdeviceptr * Address, size_t Bytes, CUstream Stream)) {          \
    return static_cast<CUresult>(                                                                  \
        allocateAsync(GMPROF_CALLER, "cuMemAllocAsync", pointerTo(Address), Bytes, stream, false,  \
                      [&] { return GMPROF_REAL_DRIVER(name, Address, Bytes, Stream); }));          \
  }
GMPROF_DRIVER_ASYNC_ALLOCATION(cuMemAllocAsync, Stream)
GMPROF_DRIVER_ASYNC_ALLOCATION(cuMemAllocAsync_ptsz, perThread(Stream))

#define GMPROF_DRIVER_POOL_ALLOCATION(name, stream)                                                \
  GMPROF_INTERPOSE_DRIVER(                                                                         \
      name, (CUdeviceptr * Address, size_t Bytes, CUmemoryPool Pool, CUstream Stream)) {           \
    return static_cast<CUresult>(allocateAsync(                                                    \
        GMPROF_CALLER, "cuMemAllocFromPoolAsync", pointerTo(Address), Bytes, stream, true,         \
        [&] { return GMPROF_REAL_DRIVER(name, Address, Bytes, Pool, Stream); }));                  \
  }
GMPROF_DRIVER_POOL_ALLOCATION(cuMemAllocFromPoolAsync, Stream)
GMPROF_DRIVER_POOL_ALLOCATION(cuMemAllocFromPoolAsync_ptsz, perThread(Stream))

GMPROF_INTERPOSE_DRIVER(cuArrayCreate_v2, (CUarray * Array, const CUDA_ARRAY_DESCRIPTOR *Of)) {
  return static_cast<CUresult>(allocateArray(
      GMPROF_CALLER, "cuArrayCreate", Array,
      Of ? ArrayShape{elementBytes(Of->Format, Of->NumChannels), Of->Width, Of->Height, 0}
         : ArrayShape{},
      [&] { return GMPROF_REAL_DRIVER(cuArrayCreate_v2, Array, Of); }));
}

GMPROF_INTERPOSE_DRIVER(cuArray3DCreate_v2, (CUarray * Array, const CUDA_ARRAY3D_DESCRIPTOR *Of)) {
  return static_cast<CUresult>(
      allocateArray(GMPROF_CALLER, "cuArray3DCreate", Array, shapeOf(Of, 1),
                    [&] { return GMPROF_REAL_DRIVER(cuArray3DCreate_v2, Array, Of); }));
}

GMPROF_INTERPOSE_DRIVER(cuMipmappedArrayCreate,
                        (CUmipmappedArray * Array, const CUDA_ARRAY3D_DESCRIPTOR *Of,
                         unsigned Levels)) {
  return static_cast<CUresult>(
      allocateArray(GMPROF_CALLER, "cuMipmappedArrayCreate", Array, shapeOf(Of, Levels),
                    [&] { return GMPROF_REAL_DRIVER(cuMipmappedArrayCreate, Array, Of, Levels); }));
}

#define GMPROF_DRIVER_RELEASE(name, parameters, arguments, pointer, stream)                        \
  GMPROF_INTERPOSE_DRIVER(name, parameters) {                                                      \
    return static_cast<CUresult>(                                                                  \
        release(GMPROF_CALLER, nameOf(DriverHook::name), pointer, stream,                          \
                [&] { return GMPROF_REAL_DRIVER(name, GMPROF_UNWRAP arguments); }));               \
  }

GMPROF_DRIVER_RELEASE(cuMemFree_v2, (CUdeviceptr Address), (Address), pointer(Address), nullptr)
GMPROF_DRIVER_RELEASE(cuMemFreeHost, (void *Pointer), (Pointer), Pointer, nullptr)
GMPROF_DRIVER_RELEASE(cuMemHostUnregister, (void *Pointer), (Pointer), Pointer, nullptr)
GMPROF_DRIVER_RELEASE(cuMemFreeAsync, (CUdeviceptr Address, CUstream Stream), (Address, Stream),
                      pointer(Address), Stream)
GMPROF_DRIVER_RELEASE(cuMemFreeAsync_ptsz, (CUdeviceptr Address, CUstream Stream),
                      (Address, Stream), pointer(Address), perThread(Stream))
GMPROF_DRIVER_RELEASE(cuArrayDestroy, (CUarray Array), (Array), Array, nullptr)
GMPROF_DRIVER_RELEASE(cuMipmappedArrayDestroy, (CUmipmappedArray Array), (Array), Array, nullptr)

GMPROF_INTERPOSE_DRIVER(cuGraphAddMemAllocNode,
                        (CUgraphNode * Node, CUgraph Graph, const CUgraphNode *Dependencies,
                         size_t Count, CUDA_MEM_ALLOC_NODE_PARAMS *Params)) {
  return static_cast<CUresult>(
      addAllocationNode(GMPROF_CALLER, "cuGraphAddMemAllocNode", Node, *Params, [&] {
        return GMPROF_REAL_DRIVER(cuGraphAddMemAllocNode, Node, Graph, Dependencies, Count, Params);
      }));
}

GMPROF_INTERPOSE_DRIVER(cuGraphAddMemFreeNode,
                        (CUgraphNode * Node, CUgraph Graph, const CUgraphNode *Dependencies,
                         size_t Count, CUdeviceptr Address)) {
  return static_cast<CUresult>(release(
      GMPROF_CALLER, "cuGraphAddMemFreeNode", pointer(Address), nullptr,
      [&] {
        return GMPROF_REAL_DRIVER(cuGraphAddMemFreeNode, Node, Graph, Dependencies, Count, Address);
      },
      Node));
}

/// One call unmaps several adjacent mappings.
GMPROF_INTERPOSE_DRIVER(cuMemUnmap, (CUdeviceptr Address, size_t Bytes)) {
  auto Plain = [&] { return GMPROF_REAL_DRIVER(cuMemUnmap, Address, Bytes); };
  Session *S = Inside::now() ? nullptr : Session::last();
  if (!S)
    return static_cast<CUresult>(Plain());
  Inside Guard;
  std::vector<Objects::Removed> All;
  for (uint64_t At = Address; At < Address + Bytes;) {
    std::optional<Objects::Removed> Gone = S->objects().remove(At, GMPROF_CALLER);
    if (!Gone)
      break;
    At += Gone->Object.Bytes;
    All.push_back(*Gone);
  }
  ObservedCall Observed({log::CallKind::Release, "cuMemUnmap", GMPROF_CALLER});
  cudaError_t Error = Plain();
  Observed.returned(Error);
  for (const Objects::Removed &Each : All)
    if (Error == cudaSuccess)
      S->released(Each, "cuMemUnmap", 0);
    else
      S->objects().restore(Each);
  return static_cast<CUresult>(Error);
}
