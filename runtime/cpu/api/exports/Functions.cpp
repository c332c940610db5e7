//===- Functions.cpp - Kernel attribute and occupancy functions of libcudart ===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Architecture.h"
#include "cpu/api/Launch.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

// Called by nvcc's launch code; CUDA's headers do not declare it.
extern "C" cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);

namespace {

template <typename F> cudaError_t callOnKernel(const void *Function, F Body) {
  return call([&] {
    Result<std::shared_ptr<Kernel>> K = modules().kernel(Function);
    return K ? Body(*K.Value) : K.Error;
  });
}

cudaError_t giveOccupancy(int *Blocks, const void *Function, int BlockSize, size_t Shared) {
  return callOnKernel(Function, [&](Kernel &K) {
    if (!Blocks)
      return cudaErrorInvalidValue;
    *Blocks = 0;
    if (BlockSize <= 0)
      return cudaErrorInvalidValue;
    *Blocks = residentBlocks(K, BlockSize, Shared);
    return cudaSuccess;
  });
}

} // namespace

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Attributes, const void *Function) {
  return callOnKernel(Function, [&](Kernel &K) {
    if (!Attributes)
      return cudaErrorInvalidValue;
    *Attributes = attributesOf(K);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *Function, cudaFuncAttribute Attribute, int Value) {
  return callOnKernel(Function, [&](Kernel &K) { return setAttribute(K, Attribute, Value); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t Handle, cudaFuncAttribute Attribute,
                                            int Value, int Index) {
  if (!validDevice(Index))
    return record(cudaErrorInvalidDevice);
  return callOnKernel(Handle, [&](Kernel &K) { return setAttribute(K, Attribute, Value); });
}

cudaError_t cudaFuncSetCacheConfig(const void *Function, cudaFuncCache Config) {
  return callOnKernel(Function, [&](Kernel &) {
    return Config >= cudaFuncCachePreferNone && Config <= cudaFuncCachePreferEqual
               ? cudaSuccess
               : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *Function, cudaSharedMemConfig) {
  return callOnKernel(Function, [](Kernel &) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **Name, const void *Function) {
  return callOnKernel(Function, [&](Kernel &K) {
    if (!Name)
      return cudaErrorInvalidValue;
    *Name = K.Info.Name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *Function, size_t Index, size_t *Offset,
                                 size_t *Bytes) {
  return callOnKernel(Function, [&](Kernel &K) {
    if (!Offset || Index >= K.Info.Params.size())
      return cudaErrorInvalidValue;
    *Offset = K.Info.Params[Index].Offset;
    if (Bytes)
      *Bytes = K.Info.Params[Index].Bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *Out, const void *Function) {
  return callOnKernel(Function, [&](Kernel &K) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = reinterpret_cast<cudaFunction_t>(&K);
    return cudaSuccess;
  });
}

// A cudaKernel_t stands for a kernel on all devices: it is the stub itself.
cudaError_t cudaGetKernel(cudaKernel_t *Out, const void *Function) {
  return callOnKernel(Function, [&](Kernel &) {
    if (!Out)
      return cudaErrorInvalidValue;
    *Out = static_cast<cudaKernel_t>(const_cast<void *>(Function));
    return cudaSuccess;
  });
}

// Does not load the kernel: launch code calls it once, ignores errors, and launches what it got.
cudaError_t __cudaGetKernel(cudaKernel_t *Out, const void *Function) {
  return query([&] {
    if (!Out || !modules().isRegistered(Function))
      return cudaErrorInvalidDeviceFunction;
    *Out = static_cast<cudaKernel_t>(const_cast<void *>(Function));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *Function,
                                                          int BlockSize, size_t Shared) {
  return giveOccupancy(Blocks, Function, BlockSize, Shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Blocks,
                                                                   const void *Function,
                                                                   int BlockSize, size_t Shared,
                                                                   unsigned) {
  return giveOccupancy(Blocks, Function, BlockSize, Shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes, const void *Function,
                                                      int Blocks, int BlockSize) {
  return callOnKernel(Function, [&](Kernel &K) {
    if (!Bytes || BlockSize <= 0)
      return cudaErrorInvalidValue;
    std::optional<size_t> Available = availableShared(K, Blocks, BlockSize);
    if (!Available)
      return cudaErrorInvalidValue;
    *Bytes = *Available;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int *Clusters, const void *Function,
                                           const cudaLaunchConfig_t *Config) {
  return call([&] {
    if (!Clusters || !Config)
      return cudaErrorInvalidValue;
    LaunchRequest Request{Function, Config->gridDim, Config->blockDim, Config->dynamicSmemBytes};
    if (cudaError_t Error = applyAttributes(Config->attrs, Config->numAttrs, Request))
      return Error;
    Result<int> Resident = residentClusters(Request);
    *Clusters = Resident.Value;
    return Resident.Error;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *Blocks, const void *Function,
                                                 const cudaLaunchConfig_t *Config) {
  return callOnKernel(Function, [&](Kernel &K) {
    if (!Blocks || !Config)
      return cudaErrorInvalidValue;
    *Blocks = static_cast<int>(largestCluster(K));
    return cudaSuccess;
  });
}
