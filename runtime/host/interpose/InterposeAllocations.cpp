//===- InterposeAllocations.cpp - Allocations of libcudart ----------------===//
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

#include "host/interpose/AllocationCalls.h"
#include <functional>

using namespace gmprof;
using namespace gmprof::host;
using log::ObjectKind;

/// The pass inserts calls of this function before allocations (HostAllocations.h).
extern "C" __attribute__((visibility("default"))) void __gmprof_name_next_object(const void *Where,
                                                                                 const char *Name) {
  Next = {Where, Name};
}

/// The pass inserts calls of this function around calls that allocate a container's elements.
extern "C" __attribute__((visibility("default"))) void __gmprof_name_container(const void *Where,
                                                                               const char *Name) {
  Owner = {Where, Name};
}

/// The pass inserts calls of this function around calls that allocate members of an object.
extern "C" __attribute__((visibility("default"))) void
__gmprof_name_instance(const void *Where, size_t Bytes, const char *Name) {
  if (Name)
    Instances.enter({Where, Bytes, Name});
  else
    Instances.leave();
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
    NewObject New = {"cudaMallocPitch",         Caller,           ObjectKind::Device,
                     number(*Pointer),          number(*Pointer), *Pitch * Height,
                     S.driver().currentDevice()};
    New.Requested = Width * Height;
    return New;
  });
}

GMPROF_INTERPOSE cudaError_t cudaMalloc3D(cudaPitchedPtr *Pointer, cudaExtent Extent) {
  auto Plain = [&] { return GMPROF_REAL(cudaMalloc3D, Pointer, Extent); };
  return allocate(Pointer, Plain, [&, Caller = GMPROF_CALLER](Session &S) {
    NewObject New = {"cudaMalloc3D",
                     Caller,
                     ObjectKind::Device,
                     number(Pointer->ptr),
                     number(Pointer->ptr),
                     Pointer->pitch * Extent.height * Extent.depth,
                     S.driver().currentDevice()};
    New.Requested = Extent.width * Extent.height * Extent.depth;
    return New;
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
