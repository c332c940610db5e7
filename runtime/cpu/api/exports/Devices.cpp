//===- Devices.cpp - Device functions of libcudart ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Capture.h"
#include "cpu/api/GraphMemory.h"
#include "cpu/api/Memory.h"
#include "cpu/api/Options.h"
#include "cpu/api/Pools.h"
#include "cpu/api/exports/Call.h"
#include <cstdio>
#include <cuda_profiler_api.h>
#include <string>
#include <strings.h>

using namespace gmprof::cpu::api;

namespace {

/// Stores a value through a pointer.
template <typename T, typename V> cudaError_t answer(T *Out, V Value) {
  return query([&] {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = static_cast<T>(Value);
    return cudaSuccess;
  });
}

/// Runs a function of the device with this index.
template <typename F> cudaError_t queryDevice(int Index, F Body) {
  return query([&] { return validDevice(Index) ? Body(device(Index)) : cudaErrorInvalidDevice; });
}

std::string busId(int Index) {
  char Text[16];
  snprintf(Text, sizeof Text, "0000:%02X:00.0", static_cast<unsigned>(Index) & 0xff);
  return Text;
}

cudaError_t poolOf(cudaMemPool_t *Out, const std::shared_ptr<MemoryPool> &Pool) {
  if (!Out)
    return cudaErrorInvalidValue;
  *Out = reinterpret_cast<cudaMemPool_t>(Pool.get());
  return cudaSuccess;
}

cudaError_t setPool(int Index, cudaMemPool_t Handle) {
  return queryDevice(Index, [&](Device &D) {
    std::shared_ptr<MemoryPool> Pool = D.Pools.find(Handle);
    if (!Pool)
      return cudaErrorInvalidValue;
    gmprof::LockGuard Lock(D.SettingsMutex);
    D.CurrentPool = Pool;
    return cudaSuccess;
  });
}

cudaError_t getPool(cudaMemPool_t *Out, int Index) {
  return queryDevice(Index, [&](Device &D) {
    gmprof::LockGuard Lock(D.SettingsMutex);
    return poolOf(Out, D.CurrentPool);
  });
}

bool deviceLocation(const cudaMemLocation *Location) {
  return Location && Location->type == cudaMemLocationTypeDevice && validDevice(Location->id);
}

constexpr unsigned ScheduleFlags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;

} // namespace

cudaError_t cudaGetDeviceCount(int *Count) { return answer(Count, deviceCount()); }
cudaError_t cudaGetDevice(int *Index) { return answer(Index, currentDeviceIndex()); }
cudaError_t cudaDriverGetVersion(int *Version) { return answer(Version, CUDART_VERSION); }
cudaError_t cudaRuntimeGetVersion(int *Version) { return answer(Version, CUDART_VERSION); }

cudaError_t cudaSetDevice(int Index) {
  return queryDevice(Index, [&](Device &) {
    setCurrentDevice(Index);
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int Index, unsigned, unsigned) {
  return queryDevice(Index, [](Device &) { return cudaSuccess; });
}

cudaError_t cudaSetValidDevices(int *Indices, int Count) {
  return query([&] {
    if (!Indices || Count <= 0)
      return cudaErrorInvalidValue;
    for (int I = 0; I != Count; ++I)
      if (!validDevice(Indices[I]))
        return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *Index, const cudaDeviceProp *) { return answer(Index, 0); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Properties, int Index) {
  return queryDevice(Index, [&](Device &) {
    if (!Properties)
      return cudaErrorInvalidValue;
    *Properties = deviceProperties(Index);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr Attribute, int Index) {
  return queryDevice(Index, [&](Device &) {
    return Value && deviceAttribute(Index, Attribute, *Value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *Text, int Bytes, int Index) {
  return queryDevice(Index, [&](Device &) {
    if (!Text || Bytes < 13)
      return cudaErrorInvalidValue;
    snprintf(Text, Bytes, "%s", busId(Index).c_str());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *Index, const char *Text) {
  return query([&] {
    if (!Index || !Text)
      return cudaErrorInvalidValue;
    for (int I = 0; I != deviceCount(); ++I)
      if (strcasecmp(Text, busId(I).c_str()) == 0) {
        *Index = I;
        return cudaSuccess;
      }
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([] {
    Device &D = currentDevice();
    if (cudaError_t Error = refuseWaiting(D))
      return Error;
    D.allWork()->wait();
    return D.failure();
  });
}

cudaError_t cudaDeviceReset() {
  return query([] {
    currentDevice().reset();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit Limit, size_t Value) {
  return call([&] {
    if (Limit < cudaLimitStackSize || Limit > cudaLimitPersistingL2CacheSize)
      return cudaErrorUnsupportedLimit;
    Device &D = currentDevice();
    if (!memory().setLimitBytes(D.Index, D.limitBytes(Limit, Value)))
      return cudaErrorMemoryAllocation;
    D.Limits[Limit] = Value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *Value, cudaLimit Limit) {
  return call([&] {
    if (!Value)
      return cudaErrorInvalidValue;
    if (Limit < cudaLimitStackSize || Limit > cudaLimitPersistingL2CacheSize)
      return cudaErrorUnsupportedLimit;
    *Value = currentDevice().Limits[Limit];
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned Flags) {
  return query([&] {
    if (Flags & ~ScheduleFlags)
      return cudaErrorInvalidValue;
    currentDevice().Flags = Flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned *Flags) {
  return answer(Flags, currentDevice().Flags | cudaDeviceMapHost);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache Config) {
  return call([&] {
    if (Config < cudaFuncCachePreferNone || Config > cudaFuncCachePreferEqual)
      return cudaErrorInvalidValue;
    currentDevice().CacheConfig = Config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *Config) {
  return answer(Config, currentDevice().CacheConfig.load());
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return call([] { return cudaSuccess; }); // bank sizes are fixed since sm_50
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *Config) {
  return answer(Config, cudaSharedMemBankSizeFourByte);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  return query([&] {
    if (Least)
      *Least = LeastPriority;
    if (Greatest)
      *Greatest = GreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call([] { return cudaSuccess; });
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget,
                                               cudaFlushGPUDirectRDMAWritesScope) {
  return call([] { return cudaErrorNotSupported; });
}

cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  return call([&] {
    size_t All = options().MemoryBytes;
    if (Free)
      *Free = All - memory().used(currentDeviceIndex());
    if (Total)
      *Total = All;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Index, int Peer) {
  return queryDevice(Index, [&](Device &) {
    if (!Can)
      return cudaErrorInvalidValue;
    if (!validDevice(Peer))
      return cudaErrorInvalidDevice;
    *Can = Index != Peer;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  return call([&] {
    if (Flags != 0)
      return cudaErrorInvalidValue;
    if (!validDevice(Peer))
      return cudaErrorInvalidDevice;
    if (Peer == currentDeviceIndex())
      return cudaErrorPeerAccessUnsupported;
    Device &D = currentDevice();
    gmprof::LockGuard Lock(D.SettingsMutex);
    return D.Peers.insert(Peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int Peer) {
  return call([&] {
    if (!validDevice(Peer))
      return cudaErrorInvalidDevice;
    Device &D = currentDevice();
    gmprof::LockGuard Lock(D.SettingsMutex);
    return D.Peers.erase(Peer) ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int *Value, cudaDeviceP2PAttr Attribute, int From, int To) {
  return queryDevice(From, [&](Device &) {
    if (!Value || From == To)
      return cudaErrorInvalidValue;
    if (!validDevice(To))
      return cudaErrorInvalidDevice;
    *Value = Attribute == cudaDevP2PAttrAccessSupported ||
             Attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int Index) {
  return queryDevice(Index, [&](Device &D) { return poolOf(Pool, D.DefaultPool); });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *Pool, cudaMemLocation *Location,
                                     cudaMemAllocationType) {
  return query([&] {
    return deviceLocation(Location) ? poolOf(Pool, device(Location->id).DefaultPool)
                                    : cudaErrorNotSupported;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *Pool, int Index) { return getPool(Pool, Index); }
cudaError_t cudaDeviceSetMemPool(int Index, cudaMemPool_t Pool) { return setPool(Index, Pool); }

cudaError_t cudaMemGetMemPool(cudaMemPool_t *Pool, cudaMemLocation *Location,
                              cudaMemAllocationType) {
  return deviceLocation(Location) ? getPool(Pool, Location->id) : record(cudaErrorNotSupported);
}

cudaError_t cudaMemSetMemPool(cudaMemLocation *Location, cudaMemAllocationType,
                              cudaMemPool_t Pool) {
  return deviceLocation(Location) ? setPool(Location->id, Pool) : record(cudaErrorNotSupported);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int Index, cudaGraphMemAttributeType Attribute,
                                           void *Value) {
  return queryDevice(Index, [&](Device &) {
    return Value ? getGraphMemoryAttribute(Index, Attribute, *static_cast<uint64_t *>(Value))
                 : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int Index, cudaGraphMemAttributeType Attribute,
                                           void *Value) {
  return queryDevice(Index, [&](Device &) {
    // A maximum can only be reset.
    return Value && *static_cast<uint64_t *>(Value) == 0
               ? resetGraphMemoryAttribute(Index, Attribute)
               : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int Index) {
  return queryDevice(Index, [](Device &) { return cudaSuccess; });
}

cudaError_t cudaProfilerStart() {
  return query([] { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return query([] { return cudaSuccess; });
}
