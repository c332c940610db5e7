//===- InterposeDriverAllocations.cpp - Allocations of the driver ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes allocation and release by the driver, as InterposeAllocations.cpp those by libcudart.
//
//===----------------------------------------------------------------------===//

#include "host/interpose/AllocationCalls.h"
#include "host/interpose/DriverHooks.h"

using namespace gmprof;
using namespace gmprof::host;
using log::ObjectKind;

namespace gmprof::host {
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
} // namespace gmprof::host

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
    NewObject New = {"cuMemAllocPitch", Caller,          ObjectKind::Device,        *Address,
                     *Address,          *Pitch * Height, S.driver().currentDevice()};
    New.Requested = Width * Height;
    return New;
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

/// Memory without an address is no object, but there may be none.
GMPROF_INTERPOSE_DRIVER(cuMemCreate, (CUmemGenericAllocationHandle * Memory, size_t Bytes,
                                      const CUmemAllocationProp *Of, unsigned long long Flags)) {
  const cudaError_t Error = GMPROF_REAL_DRIVER(cuMemCreate, Memory, Bytes, Of, Flags);
  if (Error != cudaErrorMemoryAllocation || Inside::now() ||
      Of->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return static_cast<CUresult>(Error);
  Inside Guard;
  if (Session *S = Session::begin())
    S->readings().failed(
        {"cuMemCreate", GMPROF_CALLER, ObjectKind::Device, 0, 0, Bytes, Of->location.id});
  return static_cast<CUresult>(Error);
}

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
