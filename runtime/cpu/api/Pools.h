//===- Pools.h - Memory pools of stream-ordered allocation ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_POOLS_H
#define GMPROF_CPU_API_POOLS_H

#include "profile/Mutex.h"
#include <driver_types.h>
#include <map>
#include <memory>

namespace gmprof::cpu::api {

/// Memory pool of cudaMallocAsync. It keeps counts but caches no memory: freed memory returns to
/// the device at once, so that later uses of it fault.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  explicit MemoryPool(int Device) : Device(Device) {}

  const int Device;

  /// Returns null if memory is exhausted.
  void *allocate(size_t Bytes, const char *Origin);
  void released(size_t Bytes);

  cudaError_t set(cudaMemPoolAttr Attribute, const void *Value);
  cudaError_t get(cudaMemPoolAttr Attribute, void *Value);

  cudaMemAccessFlags access(int FromDevice);
  void setAccess(int FromDevice, cudaMemAccessFlags Flags);

private:
  gmprof::Mutex Mutex;
  uint64_t Used GMPROF_GUARDED_BY(Mutex) = 0, High GMPROF_GUARDED_BY(Mutex) = 0;
  uint64_t ReleaseThreshold GMPROF_GUARDED_BY(Mutex) = 0;
  std::map<cudaMemPoolAttr, int> Reuse GMPROF_GUARDED_BY(Mutex){
      {cudaMemPoolReuseFollowEventDependencies, 1},
      {cudaMemPoolReuseAllowOpportunistic, 1},
      {cudaMemPoolReuseAllowInternalDependencies, 1}};
  std::map<int, cudaMemAccessFlags> Access GMPROF_GUARDED_BY(Mutex);
};

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_POOLS_H
