//===- Device.h - Device state ----------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_DEVICE_H
#define GMPROF_CPU_API_DEVICE_H

#include "cpu/api/Architecture.h"
#include "cpu/api/Streams.h"
#include "profile/Mutex.h"
#include <atomic>
#include <driver_types.h>
#include <set>

namespace gmprof::cpu::api {

class MemoryPool;

/// State of one device.
class Device {
public:
  explicit Device(int Index);

  const int Index;
  const Architecture &Arch;
  const std::shared_ptr<Stream> Legacy;
  const std::shared_ptr<MemoryPool> DefaultPool;

  std::shared_ptr<Stream> createStream(unsigned Flags, int Priority);
  /// Removes a destroyed stream. Its work continues, and cudaDeviceSynchronize still waits for it.
  void dropStream(Stream &S);

  /// Appends work to a stream. `Build` receives the tasks that the work must follow, and returns
  /// the task that the stream's next work must follow.
  template <typename BuildFunction> TaskRef append(Stream &S, const BuildFunction &Build) {
    LockGuard Lock(Order);
    return S.Tail = Build(predecessors(S));
  }
  /// Returns the last task of the stream; null if it was never used.
  TaskRef tail(const Stream &S) {
    LockGuard Lock(Order);
    return S.Tail;
  }
  /// Returns a task that completes when all work submitted so far has.
  TaskRef allWork();

  /// Returns the error of a failed kernel, which persists until cudaDeviceReset.
  cudaError_t failure() const { return Failure.load(std::memory_order_acquire); }
  void fail(cudaError_t Error);
  void reset();

  std::vector<std::shared_ptr<Stream>> streams();

  /// Returns the device memory that limits above their defaults take, if Limit had this value: the
  /// buffer of printf and the heap of malloc().
  size_t limitBytes(cudaLimit Limit, size_t Value) const;

  // Settings.
  std::atomic<size_t> Limits[7];
  std::atomic<unsigned> Flags{0};
  std::atomic<cudaFuncCache> CacheConfig{cudaFuncCachePreferNone};
  HandleTable<MemoryPool> Pools;
  Mutex SettingsMutex;
  /// Devices whose memory this one may access.
  std::set<int> Peers GMPROF_GUARDED_BY(SettingsMutex);
  /// Pool of cudaMallocAsync.
  std::shared_ptr<MemoryPool> CurrentPool GMPROF_GUARDED_BY(SettingsMutex);

private:
  std::vector<TaskRef> predecessors(const Stream &S) const GMPROF_REQUIRES(Order);

  std::atomic<cudaError_t> Failure{cudaSuccess};
  Mutex Order; ///< guards every stream's tail
  std::set<std::shared_ptr<Stream>> Streams GMPROF_GUARDED_BY(Order);
  /// Last task of a destroyed stream.
  struct Orphan {
    TaskRef Last;
    bool Blocking;
  };
  std::vector<Orphan> Orphans GMPROF_GUARDED_BY(Order);
};

int deviceCount();
Device &device(int Index);
bool validDevice(int Index);

/// Returns the calling thread's device.
Device &currentDevice();
int currentDeviceIndex();
void setCurrentDevice(int Index);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_DEVICE_H
