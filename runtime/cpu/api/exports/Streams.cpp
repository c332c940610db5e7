//===- Streams.cpp - Stream functions of libcudart, compiled twice --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Capture.h"
#include "cpu/api/Events.h"
#include "cpu/api/Memory.h"
#include "cpu/api/Operations.h"
#include "cpu/api/Pools.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

namespace {

template <typename T, typename V> cudaError_t answer(T *Out, V Value) {
  if (!Out)
    return cudaErrorInvalidValue;
  *Out = static_cast<T>(Value);
  return cudaSuccess;
}

cudaError_t recordEvent(cudaEvent_t EventHandle, cudaStream_t Handle, unsigned Flags) {
  return callOn(Handle, [&](Stream &S) {
    if (Flags & ~unsigned(cudaEventRecordExternal))
      return cudaErrorInvalidValue;
    std::shared_ptr<Event> E = events().find(EventHandle);
    if (!E || E->Device != S.Dev.Index)
      return cudaErrorInvalidResourceHandle;
    return submit(S, EventRecordOp{E, (Flags & cudaEventRecordExternal) != 0}).Error;
  });
}

/// Returns a task that follows all work of the stream so far, null if there is none. The legacy
/// stream's work includes that of all blocking streams.
TaskRef lastWork(Stream &S) {
  if (!S.Legacy)
    return S.Dev.tail(S);
  return S.Dev.append(
      S, [](const std::vector<TaskRef> &After) { return scheduler().submitBrief({}, After); });
}

/// Allocates in stream order: memory is available immediately, and freeing waits for its turn.
cudaError_t allocateOn(Stream &S, void **Out, size_t Bytes, MemoryPool &Pool) {
  if (!Out)
    return cudaErrorInvalidValue;
  *Out = nullptr;
  if (Bytes == 0)
    return cudaSuccess;
  if (isCapturing(S)) {
    AllocOp Op{GraphMemory::allocate(S.Dev.Index, Bytes, "cudaMallocAsync in a graph")};
    if (!Op.Memory)
      return cudaErrorMemoryAllocation;
    Op.Params.bytesize = Bytes;
    Op.Params.dptr = *Out = Op.Memory->Start;
    return submit(S, std::move(Op)).Error;
  }
  *Out = Pool.allocate(Bytes, "cudaMallocAsync");
  return *Out ? cudaSuccess : cudaErrorMemoryAllocation;
}

std::shared_ptr<MemoryPool> currentPool(Device &D) {
  gmprof::LockGuard Lock(D.SettingsMutex);
  return D.CurrentPool;
}

} // namespace

cudaError_t cudaStreamSynchronize(cudaStream_t Handle) {
  return callOn(Handle, [](Stream &S) {
    if (cudaError_t Error = refuseWaiting(S))
      return Error;
    TaskRef Last = lastWork(S);
    if (Last)
      Last->wait();
    return S.Dev.failure();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t Handle) {
  return callOn(Handle, [](Stream &S) {
    if (cudaError_t Error = refuseWaiting(S))
      return Error;
    TaskRef Last = lastWork(S);
    if (Last && !Last->done())
      return cudaErrorNotReady;
    return S.Dev.failure();
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t Handle, int *Index) {
  return callOn(Handle, [&](Stream &S) { return answer(Index, S.Dev.Index); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t Handle, unsigned *Flags) {
  return callOn(Handle, [&](Stream &S) { return answer(Flags, S.Flags); });
}

cudaError_t cudaStreamGetId(cudaStream_t Handle, unsigned long long *Id) {
  return callOn(Handle, [&](Stream &S) { return answer(Id, S.Id); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t Handle, int *Priority) {
  return callOn(Handle, [&](Stream &S) { return answer(Priority, S.Priority); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t Handle, cudaEvent_t EventHandle, unsigned Flags) {
  return callOn(Handle, [&](Stream &S) {
    if (Flags & ~unsigned(cudaEventWaitExternal))
      return cudaErrorInvalidValue;
    std::shared_ptr<Event> E = events().find(EventHandle);
    if (!E)
      return cudaErrorInvalidResourceHandle;
    return submit(S, EventWaitOp{E, (Flags & cudaEventWaitExternal) != 0}).Error;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t EventHandle, cudaStream_t Handle) {
  return recordEvent(EventHandle, Handle, 0);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t EventHandle, cudaStream_t Handle, unsigned Flags) {
  return recordEvent(EventHandle, Handle, Flags);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t Handle, cudaHostFn_t Function, void *Data) {
  return callOn(Handle, [&](Stream &S) {
    return Function ? submit(S, HostOp{Function, Data}).Error : cudaErrorInvalidValue;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t Handle, cudaStreamCallback_t Function, void *Data,
                                  unsigned Flags) {
  return callOn(Handle, [&](Stream &S) {
    if (!Function || Flags != 0)
      return cudaErrorInvalidValue;
    return submit(S, CallbackOp{Function, Handle, Data}).Error;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t To, cudaStream_t From) {
  return callOn(To, [&](Stream &) {
    return findStream(From, Default) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t Handle, cudaStreamAttrID Attribute,
                                   cudaStreamAttrValue *Value) {
  return callOn(Handle, [&](Stream &S) {
    if (!Value)
      return cudaErrorInvalidValue;
    *Value = {};
    if (Attribute == cudaLaunchAttributePriority)
      Value->priority = S.Priority;
    else if (Attribute == cudaLaunchAttributeSynchronizationPolicy)
      Value->syncPolicy = cudaSyncPolicyAuto;
    else if (Attribute != cudaLaunchAttributeAccessPolicyWindow)
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t Handle, cudaStreamAttrID Attribute,
                                   const cudaStreamAttrValue *Value) {
  return callOn(Handle, [&](Stream &) {
    // Hints for caches and for host waits.
    bool Known = Attribute == cudaLaunchAttributeAccessPolicyWindow ||
                 Attribute == cudaLaunchAttributeSynchronizationPolicy ||
                 Attribute == cudaLaunchAttributeMemSyncDomainMap ||
                 Attribute == cudaLaunchAttributeMemSyncDomain;
    return Value && Known ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMallocAsync(void **Pointer, size_t Bytes, cudaStream_t Handle) {
  return callOn(Handle,
                [&](Stream &S) { return allocateOn(S, Pointer, Bytes, *currentPool(S.Dev)); });
}

cudaError_t cudaMallocFromPoolAsync(void **Pointer, size_t Bytes, cudaMemPool_t PoolHandle,
                                    cudaStream_t Handle) {
  return callOn(Handle, [&](Stream &S) {
    for (int I = 0; I != deviceCount(); ++I)
      if (std::shared_ptr<MemoryPool> Pool = device(I).Pools.find(PoolHandle))
        return allocateOn(S, Pointer, Bytes, *Pool);
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaFreeAsync(void *Pointer, cudaStream_t Handle) {
  return callOn(Handle, [&](Stream &S) {
    if (!Pointer)
      return cudaSuccess;
    std::optional<Allocation> A = memory().findStart(Pointer);
    if (!A || A->Kind != MemoryKind::Device)
      return cudaErrorInvalidValue;
    return submit(S, FreeOp{Pointer}).Error;
  });
}
