//===- Allocations.cpp - Memory allocation of libcudart -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Architecture.h"
#include "cpu/api/Capture.h"
#include "cpu/api/GraphMemory.h"
#include "cpu/api/Memory.h"
#include "cpu/api/Modules.h"
#include "cpu/api/Pools.h"
#include "cpu/api/exports/Call.h"
#include <algorithm>

using namespace gmprof::cpu::api;

namespace {

constexpr unsigned HostAllocFlags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned HostRegisterFlags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                       cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

template <typename T>
cudaError_t allocate(T **Out, size_t Bytes, MemoryKind Kind, const char *Origin,
                     unsigned Flags = 0) {
  return call([&] {
    if (cudaError_t Error = refuseUnsafeCall())
      return Error;
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = nullptr;
    if (Bytes == 0)
      return cudaSuccess;
    *Out = static_cast<T *>(memory().allocate(Bytes, Kind, currentDeviceIndex(), Origin, Flags));
    return *Out ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

/// Frees memory after waiting for all work, which may still use it.
template <typename Predicate> cudaError_t freeMemory(void *Start, Predicate MayFree) {
  return call([&] {
    if (cudaError_t Error = refuseUnsafeCall())
      return Error;
    if (!Start)
      return cudaSuccess;
    std::optional<Allocation> A = memory().findStart(Start);
    if (!A || !MayFree(A->Kind))
      return cudaErrorInvalidValue;
    device(A->Device).allWork()->wait();
    if (A->Kind == MemoryKind::Registered)
      memory().forget(Start);
    else
      freeAllocation(Start);
    return device(A->Device).failure();
  });
}

/// Returns the pinned or registered memory that contains the pointer.
std::optional<Allocation> hostMemory(const void *Pointer) {
  std::optional<Allocation> A = memory().find(Pointer);
  if (A && (A->Kind == MemoryKind::Pinned || A->Kind == MemoryKind::Registered))
    return A;
  return std::nullopt;
}

cudaMemoryType typeOf(MemoryKind Kind) {
  switch (Kind) {
  case MemoryKind::Pageable:
    return cudaMemoryTypeUnregistered;
  case MemoryKind::Device:
  case MemoryKind::Variable:
    return cudaMemoryTypeDevice;
  case MemoryKind::Managed:
    return cudaMemoryTypeManaged;
  case MemoryKind::Pinned:
  case MemoryKind::Registered:
    return cudaMemoryTypeHost;
  }
  return cudaMemoryTypeUnregistered;
}

size_t pitchFor(size_t Width) {
  return (Width + PitchAlignment - 1) / PitchAlignment * PitchAlignment;
}

std::shared_ptr<MemoryPool> findPool(cudaMemPool_t Handle) {
  for (int I = 0; I != deviceCount(); ++I)
    if (std::shared_ptr<MemoryPool> Pool = device(I).Pools.find(Handle))
      return Pool;
  return nullptr;
}

template <typename F> cudaError_t callOnPool(cudaMemPool_t Handle, F Body) {
  return call([&] {
    std::shared_ptr<MemoryPool> Pool = findPool(Handle);
    return Pool ? Body(*Pool) : cudaErrorInvalidValue;
  });
}

} // namespace

cudaError_t cudaMalloc(void **Pointer, size_t Bytes) {
  return allocate(Pointer, Bytes, MemoryKind::Device, "cudaMalloc");
}

cudaError_t cudaMallocManaged(void **Pointer, size_t Bytes, unsigned Flags) {
  if (Flags != cudaMemAttachGlobal && Flags != cudaMemAttachHost)
    return record(cudaErrorInvalidValue);
  return allocate(Pointer, Bytes, MemoryKind::Managed, "cudaMallocManaged", Flags);
}

cudaError_t cudaMallocHost(void **Pointer, size_t Bytes) {
  return allocate(Pointer, Bytes, MemoryKind::Pinned, "cudaMallocHost", cudaHostAllocMapped);
}

cudaError_t cudaHostAlloc(void **Pointer, size_t Bytes, unsigned Flags) {
  if (Flags & ~HostAllocFlags)
    return record(cudaErrorInvalidValue);
  return allocate(Pointer, Bytes, MemoryKind::Pinned, "cudaHostAlloc", Flags | cudaHostAllocMapped);
}

cudaError_t cudaMallocPitch(void **Pointer, size_t *Pitch, size_t Width, size_t Height) {
  if (!Pitch || Width > MaxPitch)
    return record(cudaErrorInvalidValue);
  *Pitch = pitchFor(Width);
  return allocate(Pointer, *Pitch * Height, MemoryKind::Device, "cudaMallocPitch");
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *Pointer, cudaExtent Extent) {
  if (!Pointer || Extent.width > MaxPitch)
    return record(cudaErrorInvalidValue);
  *Pointer = {nullptr, pitchFor(Extent.width), Extent.width, Extent.height};
  return allocate(&Pointer->ptr, Pointer->pitch * Extent.height * Extent.depth, MemoryKind::Device,
                  "cudaMalloc3D");
}

cudaError_t cudaFree(void *Pointer) {
  return freeMemory(Pointer, [](MemoryKind Kind) {
    return Kind == MemoryKind::Device || Kind == MemoryKind::Managed;
  });
}

cudaError_t cudaFreeHost(void *Pointer) {
  return freeMemory(Pointer, [](MemoryKind Kind) { return Kind == MemoryKind::Pinned; });
}

cudaError_t cudaHostRegister(void *Pointer, size_t Bytes, unsigned Flags) {
  return call([&] {
    if (cudaError_t Error = refuseUnsafeCall())
      return Error;
    if (!Pointer || Bytes == 0 || (Flags & ~HostRegisterFlags))
      return cudaErrorInvalidValue;
    if (memory().kindOf(Pointer, 1) != MemoryKind::Pageable)
      return hostMemory(Pointer) ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue;
    Allocation A;
    A.Base = reinterpret_cast<uintptr_t>(Pointer);
    A.Bytes = Bytes;
    A.Kind = MemoryKind::Registered;
    A.Device = currentDeviceIndex();
    A.Flags = Flags | cudaHostRegisterMapped;
    A.Origin = "cudaHostRegister";
    return memory().note(A) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void *Pointer) {
  if (std::optional<Allocation> A = memory().findStart(Pointer);
      !A || A->Kind != MemoryKind::Registered)
    return call([&] { return Pointer ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue; });
  return freeMemory(Pointer, [](MemoryKind Kind) { return Kind == MemoryKind::Registered; });
}

cudaError_t cudaHostGetDevicePointer(void **Out, void *Pointer, unsigned Flags) {
  return call([&] {
    if (!Out || Flags != 0 || !hostMemory(Pointer))
      return cudaErrorInvalidValue;
    *Out = Pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned *Flags, void *Pointer) {
  return call([&] {
    std::optional<Allocation> A = hostMemory(Pointer);
    if (!Flags || !A)
      return cudaErrorInvalidValue;
    *Flags = A->Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Attributes, const void *Pointer) {
  return query([&] {
    if (!Attributes)
      return cudaErrorInvalidValue;
    *Attributes = {};
    void *P = const_cast<void *>(Pointer);
    std::optional<Allocation> A = memory().find(Pointer);
    if (!A) {
      Attributes->device = cudaInvalidDeviceId;
      Attributes->hostPointer = P;
      return cudaSuccess;
    }
    Attributes->type = typeOf(A->Kind);
    Attributes->device = A->Device;
    Attributes->devicePointer = P;
    Attributes->hostPointer = Attributes->type == cudaMemoryTypeDevice ? nullptr : P;
    return cudaSuccess;
  });
}

cudaError_t cudaMemAdvise(const void *Pointer, size_t Bytes, cudaMemoryAdvise, cudaMemLocation) {
  return call([&] {
    std::optional<MemoryKind> Kind = memory().kindOf(Pointer, Bytes);
    return Kind == MemoryKind::Managed || Kind == MemoryKind::Variable ? cudaSuccess
                                                                       : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetSymbolAddress(void **Out, const void *Symbol) {
  return call([&] {
    if (!Out)
      return cudaErrorInvalidValue;
    Result<Variable> V = modules().variable(Symbol);
    *Out = V.Value.Address;
    return V.Error;
  });
}

cudaError_t cudaGetSymbolSize(size_t *Out, const void *Symbol) {
  return call([&] {
    if (!Out)
      return cudaErrorInvalidValue;
    Result<Variable> V = modules().variable(Symbol);
    *Out = V.Value.Bytes;
    return V.Error;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *Pool, const cudaMemPoolProps *Properties) {
  return call([&] {
    if (!Pool || !Properties || Properties->allocType != cudaMemAllocationTypePinned)
      return cudaErrorInvalidValue;
    if (Properties->location.type != cudaMemLocationTypeDevice)
      return cudaErrorNotSupported;
    int Index = Properties->location.id;
    if (!validDevice(Index))
      return cudaErrorInvalidDevice;
    *Pool =
        static_cast<cudaMemPool_t>(device(Index).Pools.add(std::make_shared<MemoryPool>(Index)));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t Handle) {
  return callOnPool(Handle, [&](MemoryPool &Pool) {
    Device &D = device(Pool.Device);
    if (&Pool == D.DefaultPool.get())
      return cudaErrorInvalidValue;
    gmprof::LockGuard Lock(D.SettingsMutex);
    if (D.CurrentPool.get() == &Pool)
      D.CurrentPool = D.DefaultPool;
    D.Pools.remove(Handle);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t Handle, cudaMemPoolAttr Attribute, void *Value) {
  return callOnPool(Handle, [&](MemoryPool &Pool) { return Pool.set(Attribute, Value); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t Handle, cudaMemPoolAttr Attribute, void *Value) {
  return callOnPool(Handle, [&](MemoryPool &Pool) { return Pool.get(Attribute, Value); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Handle, size_t) {
  return callOnPool(Handle, [](MemoryPool &) { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Handle, const cudaMemAccessDesc *List,
                                 size_t Count) {
  return callOnPool(Handle, [&](MemoryPool &Pool) {
    if (Count != 0 && !List)
      return cudaErrorInvalidValue;
    for (size_t I = 0; I != Count; ++I) {
      if (List[I].location.type != cudaMemLocationTypeDevice || !validDevice(List[I].location.id))
        return cudaErrorInvalidValue;
      Pool.setAccess(List[I].location.id, List[I].flags);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *Flags, cudaMemPool_t Handle,
                                 cudaMemLocation *Location) {
  return callOnPool(Handle, [&](MemoryPool &Pool) {
    if (!Flags || !Location || Location->type != cudaMemLocationTypeDevice ||
        !validDevice(Location->id))
      return cudaErrorInvalidValue;
    *Flags = Pool.access(Location->id);
    return cudaSuccess;
  });
}
